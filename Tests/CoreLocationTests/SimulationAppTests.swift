// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import CoreLocationSimulation
import Foundation
import Testing

// What the tests of an app look like: the app's own classes, Core Location's names, and a simulation around them.

/// An app that records a hike.
@MainActor
private final class Hike: NSObject, @MainActor CLLocationManagerDelegate {
    let manager = CLLocationManager()
    private(set) var points: [CLLocation] = []
    private(set) var diary: [String] = []

    override init() {
        super.init()
        manager.delegate = self
    }

    func begin() {
        manager.distanceFilter = 20
        manager.activityType = .fitness
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        diary.append("authorization \(manager.authorizationStatus.rawValue)")
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        points += locations
        // An app that answers: it stops when it has all that it wants.
        if points.count == 5 { manager.stopUpdatingLocation() }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        diary.append("error \((error as? CLError)?.code.rawValue ?? -1)")
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        diary.append("enter \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        diary.append("exit \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        diary.append(visit.departureDate == .distantFuture ? "arrival" : "departure")
    }

    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { diary.append("pause") }

    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) { diary.append("resume") }
}

/// An app that makes another manager when it is called.
@MainActor
private final class Relay: NSObject, @MainActor CLLocationManagerDelegate {
    private var managers: [CLLocationManager] = []
    /// How many locations each manager has told, in the order in which they were made.
    private(set) var counts: [Int] = []

    func begin() {
        let manager = CLLocationManager()
        manager.delegate = self
        counts.append(0)
        managers.append(manager)
        manager.startUpdatingLocation()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        guard let index = managers.firstIndex(where: { $0 === manager }) else { return }
        counts[index] += locations.count
        if managers.count < 2 { begin() }
    }
}

@MainActor
@Suite("An app tested with a simulation")
struct SimulationAppTests {
    @Test("A hike begins when the user allows it, and stops itself after five points")
    func hike() async throws {
        let simulation = CLSimulation()
        try await simulation.run {
            let hike = Hike()
            hike.begin()
            await simulation.settle()
            #expect(simulation.pendingPrompts.count == 1)
            await simulation.answer(.whileUsing)
            await simulation.move(along: [place(0), place(0.01)], speed: 5)
            #expect(hike.points.count == 5)
            #expect(!simulation.isReceiverOn)
            let steps = zip(hike.points, hike.points.dropFirst()).map { $1.distance(from: $0) }
            #expect(steps.allSatisfy { $0 >= 19.9 && $0 < 30 }, "\(steps)")
            #expect(hike.diary == ["authorization 0", "authorization 4"])
            let first = try #require(hike.points.first)
            #expect(first.sourceInformation?.isSimulatedBySoftware == true)
        }
    }

    @Test("A hike that is denied says so")
    func denied() async {
        let simulation = CLSimulation(authorization: .denied)
        await simulation.run {
            let hike = Hike()
            hike.begin()
            await simulation.feed(latitude: 47, longitude: 11)
            #expect(hike.points.isEmpty)
            #expect(hike.diary.last == "error 1")
        }
    }

    @Test("A location of the app's own making is delivered as it is")
    func ownLocation() async throws {
        let simulation = CLSimulation(authorization: .authorizedAlways)
        try await simulation.run {
            let hike = Hike()
            hike.manager.startUpdatingLocation()
            let location = CLLocation(
                coordinate: place(0), altitude: 520, horizontalAccuracy: 8, verticalAccuracy: 3, course: 90, speed: 1.5,
                timestamp: simulation.date.addingTimeInterval(30))
            #expect(await simulation.feed(location))
            #expect(simulation.date == location.timestamp)
            let delivered = try #require(hike.points.first)
            #expect(delivered.altitude == 520)
            #expect(delivered.timestamp == location.timestamp)
            #expect(delivered.speed == 1.5)
            #expect(hike.manager.location?.altitude == 520)
        }
    }

    @Test("A request for one location fails after its time")
    func request() async {
        let simulation = CLSimulation(authorization: .authorizedWhenInUse)
        await simulation.run {
            let hike = Hike()
            hike.manager.requestLocation()
            await simulation.advance(by: 9)
            #expect(hike.diary.filter { $0.hasPrefix("error") } == [])
            await simulation.advance(by: 2)
            #expect(hike.diary.filter { $0.hasPrefix("error") } == ["error 0"])
        }
    }

    @Test("Places are entered, left and visited")
    func places() async {
        let simulation = CLSimulation(authorization: .authorizedAlways)
        await simulation.run {
            let app = Hike()
            app.manager.startMonitoring(for: CLCircularRegion(center: place(0), radius: 100, identifier: "hut"))
            app.manager.startMonitoringVisits()
            await simulation.move(along: [place(-0.02), place(0)], speed: 10)
            await simulation.stay(for: 1200, every: 5)
            await simulation.move(along: [place(0), place(0.02)], speed: 10)
            let places = app.diary.filter { !$0.hasPrefix("authorization") }
            #expect(places.filter { $0.hasSuffix("hut") } == ["enter hut", "exit hut"])
            #expect(places.filter { !$0.hasSuffix("hut") } == ["arrival", "departure"])
        }
    }

    @Test("Updates pause at rest and resume with the next steps")
    func pause() async {
        let simulation = CLSimulation(authorization: .authorizedWhenInUse)
        await simulation.run {
            let app = Hike()
            app.manager.activityType = .fitness
            app.manager.distanceFilter = 10_000
            app.manager.startUpdatingLocation()
            await simulation.feed(latitude: 47, longitude: 11)
            await simulation.stay(for: 400)
            #expect(app.diary.last == "pause")
            await simulation.move(along: [place(0), place(0.01)], speed: 3)
            #expect(app.diary.last == "resume")
        }
    }

    @Test("An app goes on after the daemon was restarted, whatever that has kept", arguments: [false, true])
    func restart(losingManagers: Bool) async {
        let simulation = CLSimulation(authorization: .authorizedWhenInUse)
        await simulation.run {
            let app = Hike()
            app.manager.startUpdatingLocation()
            await simulation.feed(latitude: 47, longitude: 11)
            await simulation.restartDaemon(losingManagers: losingManagers)
            await simulation.advance(by: 2)
            await simulation.feed(latitude: 47, longitude: 11.01)
            #expect(app.points.map(\.coordinate.longitude) == [11, 11.01])
        }
    }

    @Test("Live updates of the main actor have arrived when feed returns, and say when the device is stationary")
    func liveUpdates() async {
        let simulation = CLSimulation(authorization: .authorizedWhenInUse)
        await simulation.run {
            var updates: [CLLocationUpdate] = []
            let loop = Task {
                for try await update in CLLocationUpdate.liveUpdates(.fitness) { updates.append(update) }
            }
            defer { loop.cancel() }
            for second in 0..<50 {
                await simulation.feed(latitude: 47 + Double(second) / 1e4, longitude: 11)
                #expect(updates.count == second + 1)
            }
            await simulation.stay(for: 400)
            #expect(updates.last?.stationary == true)
            #expect(updates.count(where: \.stationary) == 1)
        }
    }

    @Test("Full accuracy for a while is the user's to give")
    func temporaryFullAccuracy() async {
        let simulation = CLSimulation(authorization: .authorizedWhenInUse, accuracy: .reducedAccuracy)
        await simulation.run {
            let app = Hike()
            app.manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "turns") { _ in }
            await simulation.settle()
            #expect(simulation.pendingPrompts.map(\.level) == [.temporaryFullAccuracy(purposeKey: "turns")])
            #expect(app.manager.accuracyAuthorization == .reducedAccuracy)
            await simulation.answer(.once)
            #expect(app.manager.accuracyAuthorization == .fullAccuracy)
        }
    }

    @Test("A monitor says that its condition is met")
    func monitor() async throws {
        let simulation = CLSimulation(authorization: .authorizedAlways)
        try await simulation.run {
            let monitor = await CLMonitor("errands")
            await monitor.add(CLMonitor.CircularGeographicCondition(center: place(0), radius: 100), identifier: "shop")
            await simulation.feed(latitude: 47, longitude: 11.02)
            await simulation.stay(for: 60)
            await simulation.feed(latitude: 47, longitude: 11, after: 60)
            await simulation.stay(for: 60)
            var states: [CLMonitor.Event.State] = []
            for try await event in await monitor.events {
                states.append(event.state)
                if event.state == .satisfied { break }
            }
            #expect(states.last == .satisfied)
        }
    }

    @Test("A simulation that is installed is in force for what is made outside of its tasks")
    func install() async {
        let simulation = CLSimulation(authorization: .authorizedWhenInUse)
        simulation.install()
        let app = await Task.detached { await Hike() }.value
        CLSimulation.uninstall()
        app.manager.startUpdatingLocation()
        await simulation.feed(latitude: 47, longitude: 11)
        #expect(app.points.count == 1)
    }

    @Test("Location services are on or off as the user has them")
    func services() async {
        let simulation = CLSimulation(authorization: .authorizedWhenInUse)
        await simulation.run {
            #expect(CLLocationManager.locationServicesEnabled())
            await simulation.setLocationServicesEnabled(false)
            #expect(!CLLocationManager.locationServicesEnabled())
        }
    }

    @Test("What a delegate makes when it is called is in its manager's simulation")
    func madeByDelegate() async {
        let simulation = CLSimulation(authorization: .authorizedWhenInUse)
        let relay = Relay()
        await simulation.run { relay.begin() }
        for metres in [0.0, 10, 20] {
            await simulation.feed(east: metres)
            await simulation.settle()
        }
        #expect(relay.counts == [3, 3])
    }
}
