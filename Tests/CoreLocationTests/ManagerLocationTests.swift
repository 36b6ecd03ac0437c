// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("A location manager that is asked for locations", .asynchronous)
struct ManagerLocationTests {
    @Test("hands over a batch that came in several pieces as one")
    func batch() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.connect()
        app.session.tell(
            .didFinishDeferredUpdates(deferral: 1, error: nil),
            .didUpdateLocations(.at(1, 2, more: true, deferral: 1)),
            .didUpdateLocations(.at(3, more: true, deferral: 1)), .didUpdateLocations(.at(4, 5, deferral: 1)),
            .didUpdateLocations(.at(6)))
        await app.settle()
        #expect(Array(diary.all.dropFirst()) == ["finish nil", "locations 1 2 3 4 5", "locations 6"])
    }

    @Test("hands over the beginning of a batch whose end is lost with the connection, before anything else")
    func brokenBatch() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.connect()
        app.session.tell(.didUpdateLocations(.at(1, 2, more: true, deferral: 1)))
        app.session.say(.disconnected(.gone))
        app.session.connect()
        app.session.tell(.didUpdateLocations(.at(3)))
        await app.settle()
        #expect(Array(diary.all.dropFirst()) == ["locations 1 2", "locations 3"])
    }

    @Test("asks for a deferral without limits where there is none, and answers NaN itself")
    func deferral() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        try app.use { manager in
            manager.allowDeferredLocationUpdates(untilTraveled: CLLocationDistanceMax, timeout: 60)
            manager.allowDeferredLocationUpdates(untilTraveled: 500, timeout: CLTimeIntervalMax)
            manager.allowDeferredLocationUpdates(untilTraveled: .infinity, timeout: -5)
            manager.allowDeferredLocationUpdates(untilTraveled: .nan, timeout: 1)
            manager.disallowDeferredLocationUpdates()
        }
        await app.settle()
        #expect(
            app.session.commands == [
                .allowDeferredLocationUpdates(DeferralParameters(untilTraveled: nil, timeout: 60)),
                .allowDeferredLocationUpdates(DeferralParameters(untilTraveled: 500, timeout: nil)),
                .allowDeferredLocationUpdates(DeferralParameters(untilTraveled: nil, timeout: -1)),
                .disallowDeferredLocationUpdates,
            ])
        #expect(diary.all == ["finish 11"])
    }

    @Test("finishes a refused deferral once, when the session says so")
    func refusedDeferral() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        let command = SessionCommand(.allowDeferredLocationUpdates(DeferralParameters()))
        app.session.say(.refused(command, RPCError(.limitExceeded, "too many")))
        app.session.tell(.didFinishDeferredUpdates(deferral: 1, error: LocationError(.deferredFailed)))
        await app.settle()
        #expect(diary.all == ["finish 11"])
    }

    @Test("to request a location without a delegate stops a program that is built for debugging")
    func requestWithoutDelegate() async {
        await #expect(processExitsWith: .failure) {
            let app = try ManagedApp()
            try app.use { $0.requestLocation() }
        }
    }

    @Test("ends a request once: what it is cancelled by, and no daemon, end it too")
    func request() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.connect()
        try app.use { $0.requestLocation() }
        app.session.tell(
            .didUpdateLocations(LocationUpdate(locations: [.at(1)], source: .request, request: 1)))
        await app.settle()
        app.session.say(.unreachable(.gone))
        await app.settle()
        try app.use { $0.requestLocation() }
        await app.settle()
        try app.use { $0.requestLocation() }
        await app.settle()
        #expect(Array(diary.all.dropFirst()) == ["locations 1", "error 2", "error 2"])
        // So that no late answer is a second end.
        #expect(
            app.session.commands == [
                .requestLocation(timeout: nil), .requestLocation(timeout: nil), .stopUpdatingLocation,
                .requestLocation(timeout: nil), .stopUpdatingLocation,
            ])
    }

    @Test("tells no location that was on its way when the program stopped them, but what a deferral held")
    func afterStop() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        try app.use {
            $0.startUpdatingLocation()
            $0.stopUpdatingLocation()
        }
        app.session.tell(.didUpdateLocations(.at(1)), .didUpdateLocations(.at(2, deferral: 1)))
        await app.settle()
        #expect(diary.all == ["locations 2"])
        try app.use { $0.startUpdatingLocation() }
        app.session.tell(.didUpdateLocations(.at(3)))
        await app.settle()
        #expect(diary.all == ["locations 2", "locations 3"])
    }

    @Test("keeps a bounded number of locations for a place that is busy, the newest, and says how many are lost")
    func busyPlace() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        await app.settle()
        let free = DispatchSemaphore(value: 0)
        await app.occupy(until: free)
        for second in 1...50_000 { app.session.tell(.didUpdateLocations(.at(Double(second)))) }
        await withCheckedContinuation { done in LocationSession.queue.async { done.resume() } }
        free.signal()
        await app.settle()
        let told = diary.all.map { $0.split(separator: " ").dropFirst().count }
        #expect(told == Array(repeating: 1, count: 63) + [16_384])
        #expect(diary.all.last?.hasSuffix(" 49999 50000") == true)
        #expect(app.log.all.contains { $0.hasPrefix("33553 locations are lost") })
    }
}
