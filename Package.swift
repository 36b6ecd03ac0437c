// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Layers, lowest first; a module exists only because its import list differs from its neighbours'.
// Tests/ArchitectureTests holds the same table and reads every `import` against it.
let package = Package(
    name: "locationd",
    products: [
        .executable(name: "locationd", targets: ["locationd"]),
        .executable(name: "locctl", targets: ["locctl"]),
        .executable(name: "locationd-geoclue", targets: ["locationd-geoclue"]),
        .executable(name: "locationd-uplink", targets: ["locationd-uplink"]),
        .executable(name: "locationd-beacons", targets: ["locationd-beacons"]),
        .executable(name: "locationd-agent", targets: ["locationd-agent"]),
        .library(name: "CoreLocation", targets: ["CoreLocation"]),
        .library(name: "CoreLocationSimulation", targets: ["CoreLocationSimulation"]),
        .library(name: "LocationClient", targets: ["LocationClient", "LocationProtocol", "LocationModel"]),
    ],
    targets: [
        // Debian's C libraries. Their module maps say what to link; pkg-config would have SwiftPM warn those who use only the library
        // products where a library is missing that only the daemon needs.
        .systemLibrary(name: "CCurl"),
        .systemLibrary(name: "CGPS"),
        .systemLibrary(name: "CSystemd"),
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CInih"),
        .systemLibrary(name: "CMosquitto"),
        .systemLibrary(name: "CNcurses"),
        .target(name: "CLinux"),
        .target(name: "CRunLoop"),
        .target(name: "CAllocationCount"),

        // Values and decisions: no input, no output, no clock.
        .target(name: "LocationModel"),
        .target(name: "LocationEngine", dependencies: ["LocationModel"]),
        .target(name: "LocationProtocol", dependencies: ["LocationModel"]),
        .target(name: "GPXReading", dependencies: ["LocationModel"]),

        // The outside world, one neighbour each.
        .target(name: "GPSDSource", dependencies: ["CGPS", "LocationModel"]),
        .target(name: "LocationStore", dependencies: ["CSQLite", "CLinux", "LocationModel"]),
        .target(name: "LocationTracks", dependencies: ["CLinux", "GPXReading", "LocationModel"]),

        .target(name: "SystemSupport", dependencies: ["CLinux", "LocationModel", "LocationProtocol"]),
        .target(name: "SystemdSupport", dependencies: ["CSystemd", "LocationModel", "SystemSupport"]),
        .target(name: "BusSupport", dependencies: ["CSystemd", "LocationModel", "SystemSupport", "SystemdSupport"]),
        .target(name: "BeaconSource", dependencies: ["LocationModel"]),

        // What clients are served with, for the daemon and for what stands in for it in tests: no socket, no database, no systemd.
        .target(
            name: "LocationServices",
            dependencies: ["LocationEngine", "LocationModel", "LocationProtocol", "SystemSupport"]),

        .target(name: "ConfigurationReading", dependencies: ["CInih", "LocationModel", "SystemSupport"]),

        // The daemon.
        .target(
            name: "LocationDaemon",
            dependencies: [
                "CLinux", "CSystemd", "ConfigurationReading", "GPSDSource", "LocationEngine", "LocationModel",
                "LocationProtocol", "LocationServices", "LocationStore", "SystemSupport", "SystemdSupport",
            ]),
        .executableTarget(name: "locationd", dependencies: ["LocationDaemon"]),

        // Clients: nothing below links libgps, libsystemd or SQLite, but for the bridge to the desktop's bus.
        .target(name: "LocationClient", dependencies: ["CLinux", "LocationModel", "LocationProtocol"]),
        // Lets `import CoreLocation.CLLocation` compile.
        .systemLibrary(name: "CSubmodules"),
        .target(
            name: "CoreLocation",
            dependencies: ["CRunLoop", "CSubmodules", "LocationClient", "LocationModel", "LocationProtocol"]),
        .target(
            name: "CoreLocationSimulation",
            dependencies: [
                "CoreLocation", "GPXReading", "LocationClient", "LocationEngine", "LocationModel", "LocationProtocol",
                "LocationServices", "SystemSupport",
            ]),
        // Programs to copy from.
        .executableTarget(name: "HikeTracker", dependencies: ["CoreLocation"], path: "Samples/HikeTracker"),
        .executableTarget(
            name: "GeofenceService", dependencies: ["CoreLocation"], path: "Samples/GeofenceService",
            exclude: ["Info.plist", "geofence.conf", "geofence.service"]),
        .executableTarget(name: "LiveFollower", dependencies: ["CoreLocation"], path: "Samples/LiveFollower"),

        .target(name: "TerminalScreen", dependencies: ["CNcurses"]),
        .target(
            name: "LocctlCommands",
            dependencies: ["CLinux", "LocationClient", "LocationModel", "LocationProtocol", "TerminalScreen"]),
        .executableTarget(name: "locctl", dependencies: ["LocctlCommands"], exclude: ["completions"]),
        .executableTarget(name: "manual-pages", dependencies: ["LocationProtocol", "LocctlCommands"]),
        .target(
            name: "LocationLink",
            dependencies: ["LocationClient", "LocationModel", "LocationProtocol", "SystemSupport", "SystemdSupport"]),
        .target(
            name: "LocationGeoClue",
            dependencies: [
                "BusSupport", "CSystemd", "LocationClient", "LocationLink", "LocationModel", "LocationProtocol",
                "SystemSupport", "SystemdSupport",
            ]),
        .executableTarget(name: "locationd-geoclue", dependencies: ["LocationGeoClue"]),
        .target(
            name: "LocationUplink",
            dependencies: [
                "CCurl", "CMosquitto", "CSystemd", "ConfigurationReading", "LocationClient", "LocationLink",
                "LocationModel", "LocationProtocol", "SystemSupport", "SystemdSupport",
            ]),
        .executableTarget(name: "locationd-uplink", dependencies: ["LocationUplink"]),
        .target(
            name: "LocationBeacons",
            dependencies: [
                "BeaconSource", "BusSupport", "CSystemd", "LocationClient", "LocationLink", "LocationModel",
                "LocationProtocol", "SystemSupport", "SystemdSupport",
            ]),
        .executableTarget(name: "locationd-beacons", dependencies: ["LocationBeacons"]),
        .target(
            name: "LocationAgent",
            dependencies: [
                "BusSupport", "LocationClient", "LocationLink", "LocationModel", "LocationProtocol", "SystemSupport",
                "SystemdSupport",
            ]),
        .executableTarget(name: "locationd-agent", dependencies: ["LocationAgent"]),
        .executableTarget(name: "locationd-track", dependencies: ["LocationTracks"]),
        .executableTarget(name: "CoreLocationProbe", dependencies: ["CoreLocation"]),
        .executableTarget(
            name: "LocationBenchmarks",
            dependencies: [
                "CAllocationCount", "CLinux", "CSQLite", "LivedDays", "LocationEngine", "LocationModel",
                "LocationStore",
                "LocationTracks",
            ]),

        // Tests.
        .target(
            name: "LocationTestSupport",
            dependencies: ["CLinux", "LocationModel", "LocationProtocol", "LocationTracks"],
            path: "Tests/LocationTestSupport"),
        .target(
            name: "LivedDays", dependencies: ["LocationEngine", "LocationModel", "LocationTracks"],
            path: "Tests/LivedDays"),
        .testTarget(name: "LocationModelTests", dependencies: ["LocationModel", "LocationTestSupport"]),
        .testTarget(
            name: "LocationEngineTests",
            dependencies: ["LivedDays", "LocationEngine", "LocationModel", "LocationTestSupport", "LocationTracks"]),
        .testTarget(
            name: "LocationProtocolTests", dependencies: ["LocationProtocol", "LocationModel", "LocationTestSupport"]),
        .testTarget(
            name: "GPSDSourceTests",
            dependencies: ["GPSDSource", "LocationModel", "LocationTestSupport", "LocationTracks"]),
        .testTarget(
            name: "LocationStoreTests",
            dependencies: ["CSQLite", "LocationStore", "LocationModel", "LocationTestSupport"]),
        .testTarget(
            name: "LocationTracksTests",
            dependencies: ["GPXReading", "LivedDays", "LocationTracks", "LocationModel", "LocationTestSupport"]),
        .testTarget(
            name: "LocationDaemonTests",
            dependencies: [
                "CAllocationCount", "CLinux", "ConfigurationReading", "LocationDaemon", "LocationEngine",
                "LocationModel", "LocationProtocol", "LocationServices", "LocationStore", "LocationTestSupport",
                "LocationTracks", "SystemSupport", "SystemdSupport",
            ]),
        .testTarget(
            name: "LocationClientTests",
            dependencies: ["CLinux", "LocationClient", "LocationModel", "LocationProtocol", "LocationTestSupport"]),
        .testTarget(
            name: "LocationLinkTests",
            dependencies: [
                "LocationClient", "LocationLink", "LocationModel", "LocationProtocol", "LocationTestSupport",
                "SystemdSupport",
            ]),
        .testTarget(
            name: "CoreLocationTests",
            dependencies: [
                "CoreLocation", "CoreLocationSimulation", "LocationClient", "LocationModel", "LocationProtocol",
                "LocationTestSupport", "LocationTracks",
            ],
            exclude: ["Programs"]),
        .testTarget(
            name: "LocctlCommandsTests",
            dependencies: [
                "LocctlCommands", "LocationClient", "LocationModel", "LocationProtocol", "LocationTestSupport",
                "TerminalScreen",
            ],
            exclude: ["Goldens"]
        ),
        .testTarget(
            name: "LocationGeoClueTests",
            dependencies: [
                "LocationClient", "LocationGeoClue", "LocationModel", "LocationProtocol", "LocationTestSupport",
                "LocationTracks", "SystemSupport",
            ],
            exclude: ["Programs"]
        ),
        .testTarget(
            name: "LocationUplinkTests",
            dependencies: [
                "CLinux", "ConfigurationReading", "LocationClient", "LocationModel", "LocationProtocol",
                "LocationTestSupport", "LocationUplink", "SystemSupport",
            ],
            exclude: ["Programs"]
        ),
        .testTarget(name: "BeaconSourceTests", dependencies: ["BeaconSource", "LocationModel"]),
        .testTarget(
            name: "LocationBeaconsTests",
            dependencies: ["LocationClient", "LocationModel", "LocationProtocol", "LocationTestSupport"],
            exclude: ["Programs"]),
        .testTarget(
            name: "LocationAgentTests",
            dependencies: [
                "CLinux", "LocationAgent", "LocationClient", "LocationModel", "LocationProtocol",
                "LocationTestSupport",
            ],
            exclude: ["Programs"]),
        .testTarget(name: "ArchitectureTests", dependencies: ["manual-pages"]),
    ],
    swiftLanguageModes: [.v6]
)

// The rooms, as Documentation/Architecture.md walks through them.
let rooms = [
    "Sources/Core": ["LocationModel", "LocationEngine", "LocationProtocol", "LocationServices"],
    "Sources/Outside": [
        "BeaconSource", "BusSupport", "CCurl", "CGPS", "CInih", "CLinux", "CMosquitto", "CNcurses", "CRunLoop",
        "CSQLite",
        "CSubmodules", "CSystemd",
        "ConfigurationReading",
        "GPSDSource", "GPXReading", "LocationStore", "SystemSupport", "SystemdSupport", "TerminalScreen",
    ],
    "Sources/Daemon": ["LocationDaemon", "locationd"],
    "Sources/Clients": [
        "CoreLocation", "CoreLocationSimulation", "LocationAgent", "LocationBeacons", "LocationClient",
        "LocationGeoClue", "LocationLink",
        "LocationUplink", "LocctlCommands", "locationd-agent", "locationd-beacons", "locationd-geoclue",
        "locationd-uplink", "locctl",
    ],
    "Sources/Tools": ["LocationTracks", "locationd-track", "manual-pages"],
    "Tests": ["CAllocationCount", "CoreLocationProbe", "LocationBenchmarks"],
]
for (room, modules) in rooms {
    for target in package.targets where modules.contains(target.name) { target.path = "\(room)/\(target.name)" }
}

// `make fuzz` sets it: libFuzzer links only where everything is built under it.
if Context.environment["LOCATIOND_FUZZING"] != nil {
    package.targets.append(.systemLibrary(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"))
    for (name, fuzzed) in [
        ("RequestFuzzing", "LocationProtocol"), ("GPSDFuzzing", "GPSDSource"),
        ("ConfigurationFuzzing", "LocationDaemon"),
    ] {
        package.targets.append(
            .executableTarget(
                name: name, dependencies: ["CFuzzer", "ConfigurationReading", .byName(name: fuzzed), "LocationModel"],
                path: "Tests/Fuzzing/\(name)"))
    }
}

// Set by the Makefile. A newer compiler that warns of more must not end the builds of those who depend on this package.
let isStrict = Context.environment["LOCATIOND_WARNINGS_AS_ERRORS"] != nil

for target in package.targets
where target.type != .system && !["CLinux", "CRunLoop", "CAllocationCount"].contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
    if isStrict { target.swiftSettings?.append(.treatAllWarnings(as: .error)) }
}
