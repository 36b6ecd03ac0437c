// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import CoreLocation

@Suite("Streams, monitors and sessions over the real daemon and gpsd", .serialized, .asynchronous)
struct ModernHouseTests {
    private static func follow(_ shared: SharedSession, _ taken: Taken<CLLocationUpdate>) -> Task<Void, any Error> {
        let updates = CLLocationUpdate.Updates(configuration: .default, shared: shared)
        return Task { for try await update in updates { taken.add(update) } }
    }

    @Test("a stream yields where the receiver is, and a second after its end nothing of it is left at the daemon")
    func stream() async throws {
        let house = try House()
        try await house.serving()
        let shared = SharedSession(over: house.transport)
        let taken = Taken<CLLocationUpdate>()
        let loop = ModernHouseTests.follow(shared, taken)
        // On a busy machine the loss of a sky that is not fed for a second may be told between them.
        func places() -> [CLLocation] { taken.all.compactMap(\.location) }
        try await house.repeatEpochs(at: 0, until: "three places come") { places().count >= 3 }
        let place = try #require(places().last)
        #expect(place.distance(from: CLLocation(latitude: 45, longitude: -30)) < 1)
        #expect(place.horizontalAccuracy > 0)
        #expect(try house.liveUpdates() == 1)
        loop.cancel()
        try await loop.value
        try await eventually("the daemon has forgotten the stream", within: 1) { try house.liveUpdates() == 0 }
        try await eventually("the connection is given up", within: 1) { try house.isIdle() }
    }

    @Test("a stream tells rest once, is silent, and goes on with movement")
    func rest() async throws {
        let house = try House(House.awake + "[Stationary]\nOtherSec=10s\nOtherMeters=20\nCheckSec=10s\n")
        try await house.serving()
        let taken = Taken<CLLocationUpdate>()
        let loop = ModernHouseTests.follow(SharedSession(over: house.transport), taken)
        try await house.repeatEpochs(at: 0, until: "the device rests", within: 60) {
            taken.all.last?.stationary == true
        }
        #expect(taken.all.last?.location != nil)
        let count = taken.count
        for _ in 1...5 { try house.epoch(at: 0) }
        // At rest the daemon looks only now and then.
        try await house.repeatEpochs(at: 300, until: "it moves", within: 60) { taken.count > count }
        #expect(taken.all.count { $0.stationary } == 1)
        #expect(taken.all[count].stationary == false)
        loop.cancel()
        try await loop.value
    }

    @Test("a stream says that the sky is lost, and goes on when it is back")
    func loss() async throws {
        let house = try House()
        try await house.serving()
        let taken = Taken<CLLocationUpdate>()
        let loop = ModernHouseTests.follow(SharedSession(over: house.transport), taken)
        try await house.repeatEpochs(at: 0, until: "an update comes") { taken.count >= 1 }
        try await house.repeatEpochs(at: nil, until: "the loss is told") {
            taken.all.last?.locationUnavailable == true
        }
        #expect(taken.all.last?.location == nil)
        try await house.repeatEpochs(at: 10, until: "it goes on") { taken.all.last?.location != nil }
        #expect(taken.all.count { $0.locationUnavailable } == 1)
        loop.cancel()
        try await loop.value
    }

    @Test("a stream says that its application may not know, that nobody may, and goes on when it may")
    func denied() async throws {
        let house = try House()
        try await house.serving()
        try house.ask { daemon throws(LocationClientError) in try daemon.authorize("uid:\(getuid())", .denied) }
        let taken = Taken<CLLocationUpdate>()
        let loop = ModernHouseTests.follow(SharedSession(over: house.transport), taken)
        try await eventually("the denial is told") { taken.count == 1 }
        #expect(taken.all[0].authorizationDenied && !taken.all[0].authorizationDeniedGlobally)
        #expect(taken.all[0].location == nil)
        try house.ask { daemon throws(LocationClientError) in try daemon.setLocationServicesEnabled(false) }
        try await eventually("it is told that nobody may") { taken.all.last?.authorizationDeniedGlobally == true }
        try house.ask { daemon throws(LocationClientError) in
            try daemon.setLocationServicesEnabled(true)
            try daemon.authorize("uid:\(getuid())", .authorizedAlways)
        }
        try await house.repeatEpochs(at: 0, until: "it goes on") { taken.all.last?.location != nil }
        loop.cancel()
        try await loop.value
    }

    @Test("a stream goes on over a killed daemon")
    func killedUnderAStream() async throws {
        let house = try House()
        try await house.serving()
        let taken = Taken<CLLocationUpdate>()
        let loop = ModernHouseTests.follow(SharedSession(over: house.transport), taken)
        try await house.repeatEpochs(at: 0, until: "an update comes") { taken.count >= 1 }
        try await house.kill()
        try await house.start()
        let count = taken.count
        try await house.repeatEpochs(at: 100, until: "the next update comes") {
            taken.count > count && (taken.all.last?.location?.coordinate.latitude ?? 0) > 45.0005
        }
        loop.cancel()
        try await loop.value
    }

    @Test("a monitor's events outlive a killed daemon and a program that did not take them")
    func monitor() async throws {
        let house = try House()
        try await house.serving()
        let circle = CLMonitor.CircularGeographicCondition(center: House.home, radius: 100)
        let shared = SharedSession(over: house.transport)
        let keeper = ModernHouseTests.follow(shared, Taken())
        var monitor: CLMonitor? = await CLMonitor("places", of: shared)
        await monitor?.add(circle, identifier: "home", assuming: .unsatisfied)
        try await house.repeatEpochs(at: 0, until: "the arrival is found") { try house.events().count == 1 }
        // Nobody takes it, and the daemon dies.
        try await house.kill()
        try await house.start()
        #expect(await monitor?.record(for: "home")?.lastEvent.state == .unsatisfied)
        var events = await monitor?.events.makeAsyncIterator()
        let arrival = try await events?.next()
        #expect(arrival?.identifier == "home" && arrival?.state == .satisfied)
        #expect(await monitor?.record(for: "home")?.lastEvent.state == .satisfied)
        try await eventually("the event is acknowledged") { try house.events().isEmpty }
        try await house.repeatEpochs(at: 500, until: "the departure is found") { try house.events().count == 1 }
        events = nil
        monitor = nil
        let again = await CLMonitor("places", of: shared)
        #expect(await again.identifiers == ["home"])
        var rest = await again.events.makeAsyncIterator()
        #expect(try await rest.next()?.state == .unsatisfied)
        keeper.cancel()
        try await keeper.value
    }

    @Test("a name is open once: the second monitor watches nothing and says so, in this process or another")
    func name() async throws {
        let house = try House()
        try await house.serving()
        let circle = CLMonitor.CircularGeographicCondition(center: House.home, radius: 100)
        let first = await CLMonitor("places", of: SharedSession(over: house.transport))
        await first.add(circle, identifier: "home")
        // A session of its own is to the daemon what another process is.
        let second = await CLMonitor("places", of: SharedSession(over: house.transport))
        await second.add(circle, identifier: "work")
        var events = await second.events.makeAsyncIterator()
        let event = try await events.next()
        #expect(event?.state == .unmonitored && event?.persistenceUnavailable == true)
        #expect(await first.identifiers == ["home"])
    }

    @Test("the 21st condition is unmonitored, and the 20 before it go on")
    func limit() async throws {
        let house = try House(House.awake + "[Limits]\nChangesPerSecond=1000\n")
        try await house.serving()
        let monitor = await CLMonitor("places", of: SharedSession(over: house.transport))
        for number in 1...21 {
            let center = CLLocationCoordinate2D(latitude: Double(number), longitude: 0)
            await monitor.add(
                CLMonitor.CircularGeographicCondition(center: center, radius: 100), identifier: "c\(number)")
        }
        var events = await monitor.events.makeAsyncIterator()
        let event = try await events.next()
        #expect(event?.identifier == "c21" && event?.state == .unmonitored)
        #expect(event?.conditionLimitExceeded == true)
        #expect(await monitor.record(for: "c20")?.lastEvent.state == .unknown)
    }

    @Test("sessions are at the daemon as long as they are held, and tell what they lack")
    func sessions() async throws {
        let house = try House()
        try await house.serving()
        try house.ask { daemon throws(LocationClientError) in try daemon.authorize("uid:\(getuid())", .denied) }
        let shared = SharedSession(over: house.transport)
        let activity = CLBackgroundActivitySession(of: shared)
        let service = CLServiceSession(.none, purposeKey: nil, of: shared)
        var lacks = service.diagnostics.makeAsyncIterator()
        #expect(try await lacks.next()?.authorizationDenied == true)
        var lacking = activity.diagnostics.makeAsyncIterator()
        #expect(try await lacking.next()?.authorizationDenied == true)
        #expect(try house.managers().first?.sessions?.map(\.kind).contains(.backgroundActivity) == true)
        service.invalidate()
        activity.invalidate()
        try await eventually("the daemon has forgotten them", within: 1) { try house.isIdle() }
    }

    @Test("a thousand streams that are begun and cancelled leave nothing at the daemon and nothing open here")
    func storm() async throws {
        let house = try House()
        try await house.serving()
        let shared = SharedSession(over: house.transport)
        let before = openDescriptors()
        for _ in 1...10 {
            let loops = (1...100).map { index in
                let updates = CLLocationUpdate.Updates(configuration: .default, shared: shared)
                return Task {
                    do { for try await _ in updates {} } catch is LocationClientError {}
                    return index
                }
            }
            try await eventually("some run") { try house.liveUpdates() > 0 }
            for loop in loops { loop.cancel() }
            for loop in loops { _ = try await loop.value }
        }
        do {
            try await eventually("the daemon has forgotten them all", within: 1) { try house.isIdle() }
        } catch {
            let left = try house.managers().map { "\($0.waitingToRejoin) \($0.liveUpdates?.map(\.updates) ?? [])" }
            throw TestFailure("\(error): of managers that wait to rejoin or not, it has the streams \(left)")
        }
        try await eventually("no descriptor is left") { openDescriptors() <= before }
    }
}

extension House {
    /// The events of this user's programs that the daemon keeps until they are taken.
    fileprivate func events() throws -> [StoredEvent] {
        try ask { daemon throws(LocationClientError) in try daemon.events(of: "uid:\(getuid())") }
    }
}

private func openDescriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}
