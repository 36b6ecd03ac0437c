// SPDX-License-Identifier: Apache-2.0

/// What a module may import, and why it exists: a module with the import list of another one should be part of it.
struct ModuleRule {
    let name: String
    /// Modules of this package; the same list stands in Package.swift.
    let modules: [String]
    /// Modules of the toolchain and the system.
    let system: [String]
    let reason: String
    /// The directory of its directory.
    let parent: String
    /// Where its sources are.
    var directory: String { "\(parent)/\(name)" }

    init(
        _ name: String, _ modules: [String], system: [String], in parent: String, because reason: String
    ) {
        self.name = name
        self.parent = parent
        self.modules = modules
        self.system = system
        self.reason = reason
    }
}

let moduleTable = [
    ModuleRule(
        "LocationModel", [], system: ["Glibc"], in: "Sources/Core",
        because: "values: no clock, no input, no output; of the C library only the mathematics"),
    ModuleRule(
        "LocationEngine", ["LocationModel"], system: [], in: "Sources/Core",
        because: "decisions: the same events give the same bytes, so nothing but values may be known"),
    ModuleRule(
        "LocationProtocol", ["LocationModel"], system: ["Glibc"], in: "Sources/Core",
        because:
            "messages and framing, for the daemon and for clients alike; the coder of Foundation would cost each program 0.3 MB"
    ),
    ModuleRule(
        "GPXReading", ["LocationModel"], system: ["Glibc"], in: "Sources/Outside",
        because: "recorded tracks, for the receiver that is made up and for the simulation: neither needs the other"),
    ModuleRule(
        "GPSDSource", ["CGPS", "LocationModel"], system: ["Glibc"], in: "Sources/Outside",
        because: "the only place that knows gpsd and libgps"),
    ModuleRule(
        "LocationStore", ["CLinux", "CSQLite", "LocationModel"], system: ["Glibc"], in: "Sources/Outside",
        because: "the only place that knows SQLite and the ring file"),
    ModuleRule(
        "LocationTracks", ["CLinux", "GPXReading", "LocationModel"], system: ["Glibc"], in: "Sources/Tools",
        because: "made-up journeys: must not know what will be made of them"),
    ModuleRule(
        "SystemSupport", ["CLinux", "LocationModel", "LocationProtocol"], system: ["Glibc", "Synchronization"],
        in: "Sources/Outside",
        because: "clocks, command lines, accounts and control groups, without a library beyond the C library"),
    ModuleRule(
        "SystemdSupport", ["CSystemd", "LocationModel", "SystemSupport"], system: ["Glibc"], in: "Sources/Outside",
        because: "the event loop, for the programs that systemd runs"),
    ModuleRule(
        "BusSupport", ["CSystemd", "LocationModel", "SystemSupport", "SystemdSupport"], system: ["Glibc"],
        in: "Sources/Outside",
        because: "the system's message bus, for the programs on it; the only place that knows D-Bus"),
    ModuleRule(
        "BeaconSource", ["LocationModel"], system: [], in: "Sources/Outside",
        because: "when and how adapters listen for beacons, and what they heard: no bus, no clock"),
    ModuleRule(
        "LocationServices", ["LocationEngine", "LocationModel", "LocationProtocol", "SystemSupport"],
        system: ["Glibc"], in: "Sources/Core",
        because: "the one service of daemon, replay and simulation: no socket, no database, no systemd"),
    ModuleRule(
        "ConfigurationReading", ["CInih", "LocationModel", "SystemSupport"], system: ["Glibc"], in: "Sources/Outside",
        because: "files of settings, for the daemon and for programs beside it; the only place that knows inih"),
    ModuleRule(
        "LocationDaemon",
        [
            "CLinux", "CSystemd", "ConfigurationReading", "GPSDSource", "LocationEngine", "LocationModel",
            "LocationProtocol", "LocationServices", "LocationStore", "SystemSupport", "SystemdSupport",
        ], system: ["Glibc"], in: "Sources/Daemon",
        because: "the shell that joins all others to the outside world"),
    ModuleRule(
        "locationd", ["LocationDaemon"], system: ["Glibc"], in: "Sources/Daemon", because: "a main of a few lines"),
    ModuleRule(
        "LocationClient", ["CLinux", "LocationModel", "LocationProtocol"],
        system: ["Glibc", "Synchronization", "Dispatch"], in: "Sources/Clients",
        because: "linked into other people's programs: no libgps, no libsystemd, no SQLite"),
    ModuleRule(
        "CoreLocation", ["CRunLoop", "CSubmodules", "LocationClient", "LocationModel", "LocationProtocol"],
        system: ["Glibc", "Foundation", "Synchronization", "Dispatch"], in: "Sources/Clients",
        because:
            "the API that Swift developers know; the only one that needs all of Foundation: run loops, NSObject, Info.plist"
    ),
    ModuleRule(
        "CoreLocationSimulation",
        [
            "CoreLocation", "GPXReading", "LocationClient", "LocationEngine", "LocationModel", "LocationProtocol",
            "LocationServices", "SystemSupport",
        ],
        system: ["Foundation", "Synchronization", "Dispatch"], in: "Sources/Clients",
        because: "the engine in place of a daemon, for tests of programs; programs themselves do not carry the engine"),
    ModuleRule(
        "TerminalScreen", ["CNcurses"], system: ["Glibc"], in: "Sources/Outside",
        because: "pictures of characters, and the only place that knows curses"),
    ModuleRule(
        "LocctlCommands", ["CLinux", "LocationClient", "LocationModel", "LocationProtocol", "TerminalScreen"],
        system: ["Glibc"], in: "Sources/Clients",
        because: "commands know the daemon as every client does"),
    ModuleRule(
        "locctl", ["LocctlCommands"], system: ["Glibc"], in: "Sources/Clients", because: "a main of a few lines"),
    ModuleRule(
        "manual-pages", ["LocationProtocol", "LocctlCommands"], system: ["Glibc"], in: "Sources/Tools",
        because: "the manual, from the tables that the programs themselves are made of"),
    ModuleRule(
        "LocationLink", ["LocationClient", "LocationModel", "LocationProtocol", "SystemSupport", "SystemdSupport"],
        system: [], in: "Sources/Clients",
        because: "a client's connection in the event loop, for the programs that systemd runs: no bus, no network"),
    ModuleRule(
        "LocationGeoClue",
        [
            "BusSupport", "CSystemd", "LocationClient", "LocationLink", "LocationModel", "LocationProtocol",
            "SystemSupport", "SystemdSupport",
        ],
        system: ["Glibc"], in: "Sources/Clients",
        because: "knows the daemon as every client does, and GeoClue's interface"),
    ModuleRule(
        "LocationBeacons",
        [
            "BeaconSource", "BusSupport", "CSystemd", "LocationClient", "LocationLink", "LocationModel",
            "LocationProtocol", "SystemSupport", "SystemdSupport",
        ],
        system: ["Glibc"], in: "Sources/Clients",
        because: "knows the daemon as every client does; the only one that knows BlueZ"),
    ModuleRule(
        "LocationAgent",
        [
            "BusSupport", "LocationClient", "LocationLink", "LocationModel", "LocationProtocol", "SystemSupport",
            "SystemdSupport",
        ],
        system: ["Glibc"], in: "Sources/Clients",
        because: "knows the daemon as every client does, and the desktop's notifications"),
    ModuleRule(
        "locationd-agent", ["LocationAgent"], system: ["Glibc"], in: "Sources/Clients",
        because: "a main of a few lines"),
    ModuleRule(
        "locationd-beacons", ["LocationBeacons"], system: ["Glibc"], in: "Sources/Clients",
        because: "a main of a few lines"),
    ModuleRule(
        "locationd-geoclue", ["LocationGeoClue"], system: ["Glibc"], in: "Sources/Clients",
        because: "a main of a few lines"),
    ModuleRule(
        "LocationUplink",
        [
            "CCurl", "CMosquitto", "CSystemd", "ConfigurationReading", "LocationClient", "LocationLink",
            "LocationModel", "LocationProtocol", "SystemSupport", "SystemdSupport",
        ], system: ["Glibc"], in: "Sources/Clients",
        because: "knows the daemon as every client does; the only one that knows MQTT and HTTP, and that has a network"),
    ModuleRule(
        "locationd-uplink", ["LocationUplink"], system: ["Glibc"], in: "Sources/Clients",
        because: "a main of a few lines"),
    ModuleRule(
        "locationd-track", ["LocationTracks"], system: ["Glibc"], in: "Sources/Tools", because: "a main of a few lines"),
    ModuleRule(
        "LivedDays", ["LocationEngine", "LocationModel", "LocationTracks"], system: ["Glibc"], in: "Tests",
        because: "made-up days of people, and the engine over one, for its tests and for the bench"),
    ModuleRule(
        "LocationBenchmarks",
        [
            "CAllocationCount", "CLinux", "CSQLite", "LivedDays", "LocationEngine", "LocationModel", "LocationStore",
            "LocationTracks",
        ],
        system: ["Glibc"], in: "Tests", because: "measures the engine alone and the built daemon from outside"),
    ModuleRule(
        "CoreLocationProbe", ["CoreLocation"], system: ["Glibc", "Synchronization"], in: "Tests",
        because: "what the benchmark measures of CoreLocation: a program that links nothing else of this package"),
    ModuleRule(
        "HikeTracker", ["CoreLocation"], system: ["Foundation", "Dispatch"], in: "Samples",
        because: "a sample: programs know CoreLocation and nothing else of this package"),
    ModuleRule(
        "GeofenceService", ["CoreLocation"], system: ["Foundation", "Synchronization"], in: "Samples",
        because: "a sample: programs know CoreLocation and nothing else of this package"),
    ModuleRule(
        "LiveFollower", ["CoreLocation"], system: ["Foundation", "Dispatch"], in: "Samples",
        because: "a sample: programs know CoreLocation and nothing else of this package"),
]
