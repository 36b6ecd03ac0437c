// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Glibc

/// Programs that ask for something whose effect outlives them, and end at once.
@MainActor
enum LastMoment {
    private static let places = (0..<20).map { number in
        CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: 45, longitude: Double(number)), radius: 200,
            identifier: "last\(number)")
    }

    private static func startRegions(_ manager: CLLocationManager, _ some: ArraySlice<CLCircularRegion> = places[...]) {
        for place in some { manager.startMonitoring(for: place) }
    }

    /// Returns where the program ends with the end of `main.swift`.
    static func run(_ way: String) {
        switch way {
        case "condition": Task { await addCondition() }
        case "dropped":
            startRegions(CLLocationManager())
            // The manager is gone; the program is not.
            DispatchQueue.main.asyncAfter(deadline: .now() + 30) { exit(0) }
        default: return runWithManager(way)
        }
        dispatchMain()
    }

    private static func runWithManager(_ way: String) {
        let manager = CLLocationManager()
        switch way {
        case "start": startRegions(manager)
        case "stop": for region in manager.monitoredRegions { manager.stopMonitoring(for: region) }
        case "visits": manager.startMonitoringVisits()
        case "no-visits":
            _ = manager.monitoredRegions
            manager.stopMonitoringVisits()
        case "thread": endFromAnotherThread(manager)
        case "source": endFromSignalSource(manager)
        case "handler":
            signal(SIGTERM) { _ in exit(0) }
            startRegions(manager)
            kill(getpid(), SIGTERM)
            pause()
        case "fork":
            // The child that a library forks ends like its parent, and knows nothing of Dispatch's threads.
            startRegions(manager, places.prefix(10))
            typealias Fork = @convention(c) () -> pid_t
            guard let symbol = dlsym(nil, "fork") else { return }
            let child = unsafeBitCast(symbol, to: Fork.self)()
            if child == 0 { exit(7) }
            var status: Int32 = 0
            waitpid(child, &status, 0)
            say("the child has ended: \(status >> 8)")
            startRegions(manager, places.dropFirst(10))
        default: say("no way to end is called \(way)")
        }
        // As a global variable of a program lives to its end.
        _ = Unmanaged.passRetained(manager)
    }

    private static func endFromAnotherThread(_ manager: CLLocationManager) {
        startRegions(manager)
        Thread.detachNewThread { exit(0) }
        withExtendedLifetime(manager) { while true { pause() } }
    }

    private static func endFromSignalSource(_ manager: CLLocationManager) {
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
        source.setEventHandler {
            startRegions(manager)
            exit(0)
        }
        source.activate()
        say("ready")
        withExtendedLifetime(source) { dispatchMain() }
    }

    private static func addCondition() async {
        let monitor = await CLMonitor("last")
        for place in places {
            await monitor.add(
                CLMonitor.CircularGeographicCondition(center: place.center, radius: place.radius),
                identifier: place.identifier)
        }
        exit(0)
    }
}
