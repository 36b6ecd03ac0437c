// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("A location manager without a daemon", .asynchronous)
struct ManagerOutageTests {
    @Test("does not wait longer than a second for a daemon that does not answer, and not twice")
    func noAnswer() throws {
        let app = try ManagedApp()
        let begun = ContinuousClock.now
        for _ in 0..<3 { #expect(try app.use { $0.location } == nil) }
        #expect(ContinuousClock.now - begun < .seconds(2.5))
    }

    @Test("without a daemon has the regions that are known to be watched")
    func regionsWithoutDaemon() async throws {
        let app = try ManagedApp()
        app.session.tell(.didStartMonitoring(.named("home")), .didStartMonitoring(.named("work")))
        app.session.say(.disconnected(.gone))
        await app.settle()
        try app.use { manager in
            #expect(Set(manager.monitoredRegions.map(\.identifier)) == ["home", "work"])
            manager.stopMonitoring(for: CLRegion.make(of: .named("work")))
            #expect(manager.monitoredRegions.map(\.identifier) == ["home"])
        }
    }

    @Test("is not told by the session of a request that it has ended for want of a daemon")
    func requestInOutage() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.say(.unreachable(.gone))
        await app.settle()
        try app.use { $0.requestLocation() }
        await app.settle()
        app.session.tell(.didFailWithError(LocationError(.locationUnknown), source: .request, request: 1))
        await app.settle()
        #expect(diary.all == ["error 2"])
    }

    @Test("completes a request for full accuracy without a daemon and without a delegate")
    func accuracyInOutage() async throws {
        let app = try ManagedApp()
        let ends = Notes<String>()
        try app.use { manager in
            manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "a") { error in
                ends.add("\((error as? CLError)?.code == .network)")
            }
        }
        app.session.say(.unreachable(.gone))
        await app.settle()
        #expect(ends.all == ["true"])
    }

    @Test("says that there is no daemon once per outage, and only to who waits for something")
    func outage() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.say(.disconnected(.gone), .unreachable(.gone))
        await app.settle()
        #expect(diary.all.isEmpty)
        try app.use {
            $0.startUpdatingLocation()
            $0.startUpdatingHeading()
        }
        await app.settle()
        #expect(diary.all == ["error 2"])
        app.session.connect()
        app.session.say(.disconnected(.gone), .unreachable(.gone))
        await app.settle()
        #expect(diary.all == ["error 2", "authorization 3 0", "error 2"])
        try app.use {
            $0.stopUpdatingLocation()
            $0.stopUpdatingHeading()
        }
        app.session.connect()
        app.session.say(.disconnected(.gone), .unreachable(.gone))
        await app.settle()
        #expect(diary.all.count == 3)
    }
}
