// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// The part of locationd that programs build with themselves.
let package = Package(
    name: "locationd",
    products: [
        .library(name: "CoreLocation", targets: ["CoreLocation"]),
        .library(name: "CoreLocationSimulation", targets: ["CoreLocationSimulation"]),
        .library(name: "LocationClient", targets: ["LocationClient", "LocationProtocol", "LocationModel"]),
    ],
    targets: [
        .target(name: "CLinux"),
        .target(name: "CRunLoop"),
        .target(name: "LocationModel"),
        .target(name: "LocationEngine", dependencies: ["LocationModel"]),
        .target(name: "LocationProtocol", dependencies: ["LocationModel"]),
        .target(name: "GPXReading", dependencies: ["LocationModel"]),
        .target(name: "SystemSupport", dependencies: ["CLinux", "LocationModel", "LocationProtocol"]),
        .target(
            name: "LocationServices",
            dependencies: ["LocationEngine", "LocationModel", "LocationProtocol", "SystemSupport"]),
        .target(name: "LocationClient", dependencies: ["CLinux", "LocationModel", "LocationProtocol"]),
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
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where !target.name.hasPrefix("C") || target.name.hasPrefix("CoreLocation") {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
