// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import CoreLocation

@Suite("Deferrals that fail at once", .asynchronous)
struct DeferralThrottleTests {
    private static func end(_ code: LocationErrorCode?) -> DaemonNotification {
        .didFinishDeferredUpdates(deferral: 1, error: code.map { LocationError($0) })
    }

    /// An app with a daemon of its own: a simulation that another test has put in force does not throttle.
    private static func app(_ diary: Diary) async throws -> ManagedApp {
        try await CoreLocationBackend.withDaemon(CoreLocationBackend.Daemon(ScriptedDaemon())) {
            try ManagedApp(diary)
        }
    }

    @Test("are told a second apart, in order, each once")
    func apart() async throws {
        let times = Notes<ContinuousClock.Instant>()
        let diary = Diary { if $0.hasPrefix("finish") { times.add(.now) } }
        let app = try await DeferralThrottleTests.app(diary)
        app.session.tell(
            DeferralThrottleTests.end(.deferredNotUpdatingLocation), DeferralThrottleTests.end(.deferredAccuracyTooLow),
            DeferralThrottleTests.end(.deferredDistanceFiltered))
        try app.use { $0.allowDeferredLocationUpdates(untilTraveled: .nan, timeout: 1) }
        try await eventually("all are told") { times.all.count == 4 }
        // What the program itself asked wrongly is told from another thread than the rest.
        #expect(Set(diary.all) == ["finish 12", "finish 13", "finish 14", "finish 11"])
        for (earlier, later) in zip(times.all, times.all.dropFirst()) {
            // They are called a second apart, and told when it is their turn.
            #expect(earlier.duration(to: later) > .milliseconds(700))
        }
    }

    @Test("do not hold up one that works, nor what it held, and come before it")
    func works() async throws {
        let diary = Diary()
        let app = try await DeferralThrottleTests.app(diary)
        app.session.tell(
            DeferralThrottleTests.end(.deferredAccuracyTooLow), DeferralThrottleTests.end(.deferredAccuracyTooLow),
            .didUpdateLocations(.at(1)), DeferralThrottleTests.end(nil), .didUpdateLocations(.at(2, 3, deferral: 1)),
            DeferralThrottleTests.end(.deferredFailed), .didUpdateLocations(.at(4, deferral: 2)))
        await app.settle()
        #expect(
            diary.all == [
                "finish 13", "locations 1", "finish 13", "finish nil", "locations 2 3", "finish 11", "locations 4",
            ])
    }
}
