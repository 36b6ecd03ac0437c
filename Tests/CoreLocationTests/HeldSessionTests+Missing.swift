// SPDX-License-Identifier: Apache-2.0
import CoreLocationSimulation
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import CoreLocation

// What is said on standard error belongs to the whole process: one suite listens, one test at a time.
extension HeldSessionTests {
    @Test("say of an activity that somebody is being asked, as long as nothing is decided")
    func activityWhileNothingIsDecided() async throws {
        let simulation = CLSimulation()
        try await simulation.run {
            let activity = CLBackgroundActivitySession()
            var diagnostics = activity.diagnostics.makeAsyncIterator()
            #expect(try await diagnostics.next()?.authorizationRequestInProgress == true)
            await simulation.authorize(.authorizedWhenInUse)
            let authorized = try await diagnostics.next()
            #expect(authorized?.authorizationRequestInProgress == false)
            #expect(authorized?.authorizationDenied == false)
            await simulation.authorize(.notDetermined)
            #expect(try await diagnostics.next()?.authorizationRequestInProgress == true)
            activity.invalidate()
        }
    }

    @Test("and not where the application asks only with a service session, and holds none")
    func activityThatAsksNobody() async throws {
        let shared = SharedSession(over: daemon, requiresServiceSession: true)
        let activity = CLBackgroundActivitySession(of: shared)
        var diagnostics = activity.diagnostics.makeAsyncIterator()
        #expect(try await diagnostics.next()?.serviceSessionRequired == true)
        daemon.authorize(.notDetermined)
        daemon.authorize(.denied)
        let denied = try await diagnostics.next()
        #expect(denied?.authorizationDenied == true && denied?.authorizationRequestInProgress == false)
        activity.invalidate()
    }

    @Test(
        "do without full accuracy where no text says what for, name the missing key, and tell the rest",
        arguments: [CLAccuracyAuthorization.fullAccuracy, .reducedAccuracy])
    func missingPurposeKey(accuracy: CLAccuracyAuthorization) async throws {
        let key = "Nav\(accuracy.rawValue)"
        let simulation = CLSimulation(
            authorization: .authorizedWhenInUse, accuracy: accuracy, requiresUsageDescriptions: true)
        let said = try await lines {
            try await simulation.run {
                let session = CLServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: key)
                var diagnostics = session.diagnostics.makeAsyncIterator()
                let first = try await diagnostics.next()
                #expect(first?.fullAccuracyDenied == (accuracy == .reducedAccuracy))
                #expect(first?.authorizationDenied == false)
                await simulation.authorize(.denied)
                let denied = try await diagnostics.next()
                #expect(denied?.authorizationDenied == true && denied?.fullAccuracyDenied == false)
                await simulation.authorize(.authorizedWhenInUse, accuracy: .reducedAccuracy)
                #expect(try await diagnostics.next()?.fullAccuracyDenied == true)
                session.invalidate()
                await simulation.settle()
                #expect(try await diagnostics.next() == nil)
            }
        }
        // Other tests say things, too.
        let own = said.filter { $0.contains("\"\(key)\"") }
        #expect(own.count == 1)
        #expect(own.first?.contains("NSLocationTemporaryUsageDescriptionDictionary[\"\(key)\"]") == true)
        #expect(own.first?.contains("Info.plist") == true)
        #expect(own.first?.contains("no effect") == false)
    }

    @Test("keep no session at the daemon that was invalidated while a purpose key was found missing")
    func invalidatedWhileKeyIsMissing() async throws {
        let key = "Gone"
        let simulation = CLSimulation(authorization: .authorizedWhenInUse, requiresUsageDescriptions: true)
        _ = try await lines {
            try await simulation.run {
                let session = CLServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: key)
                session.invalidate()
                await simulation.settle()
                let other = CLServiceSession(authorization: .none)
                var diagnostics = other.diagnostics.makeAsyncIterator()
                let first = try await diagnostics.next()
                #expect(first != nil)
                await #expect(throws: InvalidatedSession.self) { for try await _ in session.diagnostics {} }
            }
        }
    }
}
