// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Synchronization
import Testing

@testable import CoreLocation

@Suite("Sessions that a program holds", .serialized, .asynchronous)
struct HeldSessionTests {
    let daemon = ScriptedDaemon()
    let shared: SharedSession

    init() { shared = SharedSession(over: daemon) }

    private func asked(_ request: Request) async throws {
        try await eventually("the daemon is asked for \(request)") { daemon.calls.contains(.asked(request)) }
    }

    private func nothingRuns() async throws {
        try await eventually("the connection is given up", within: 1) { daemon.connectionsOpen == 0 }
    }

    /// What is written for a person while `body` runs.
    func lines(of body: () async throws -> Void) async throws -> [String] {
        let lines = Lines()
        try await self.lines(into: lines, of: body)
        return lines.all
    }

    /// Adds to `lines` what is written for a person while `body` runs.
    func lines(into lines: Lines, of body: () async throws -> Void) async throws {
        ApplicationLog.redirect { lines.add($0) }
        defer { ApplicationLog.redirect(to: nil) }
        try await body()
    }

    final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test("ask for what they are made for")
    func requirements() async throws {
        let sessions = [
            CLServiceSession(.none, purposeKey: nil, of: shared),
            CLServiceSession(.whenInUse, purposeKey: nil, of: shared),
            CLServiceSession(.always, purposeKey: "tour", of: shared),
        ]
        try await asked(.startServiceSession(ServiceSessionParameters(requirement: .none)))
        try await asked(.startServiceSession(ServiceSessionParameters(requirement: .whenInUse)))
        try await asked(
            .startServiceSession(ServiceSessionParameters(requirement: .always, fullAccuracyPurposeKey: "tour")))
        for session in sessions { session.invalidate() }
        try await nothingRuns()
    }

    @Test("tell every iteration the present state first, then changes, and end it when they are invalidated")
    func diagnostics() async throws {
        let session = CLServiceSession(.always, purposeKey: nil, of: shared)
        try await asked(.startServiceSession(ServiceSessionParameters(requirement: .always)))
        daemon.diagnostic(daemon.lastNumber, [.authorizationRequestInProgress])
        var first = session.diagnostics.makeAsyncIterator()
        #expect(try await first.next()?.authorizationRequestInProgress == true)
        daemon.diagnostic(daemon.lastNumber, [.alwaysAuthorizationDenied])
        let denied = try await first.next()
        #expect(denied?.alwaysAuthorizationDenied == true && denied?.authorizationRequestInProgress == false)
        var second = session.diagnostics.makeAsyncIterator()
        #expect(try await second.next()?.alwaysAuthorizationDenied == true)
        session.invalidate()
        #expect(try await first.next() == nil)
        #expect(try await second.next() == nil)
    }

    @Test("do not tell what has not changed again after a restart of the daemon")
    func restart() async throws {
        let session = CLServiceSession(.always, purposeKey: nil, of: shared)
        let taken = Taken<CLServiceSession.Diagnostic>()
        let loop = Task { for try await diagnostic in session.diagnostics { taken.add(diagnostic) } }
        try await asked(.startServiceSession(ServiceSessionParameters(requirement: .always)))
        daemon.diagnostic(daemon.lastNumber, [.authorizationRequestInProgress])
        try await eventually("the first state is taken") { taken.count == 1 }
        let before = daemon.lastNumber
        daemon.drop()
        try await eventually("the session is begun again") { daemon.lastNumber > before }
        daemon.diagnostic(daemon.lastNumber, [.authorizationRequestInProgress])
        await LocationSessionQueue.settled()
        daemon.diagnostic(daemon.lastNumber, [.alwaysAuthorizationDenied])
        try await eventually("the change is taken") { taken.all.last?.alwaysAuthorizationDenied == true }
        #expect(taken.count == 2)
        session.invalidate()
        try await loop.value
    }

    @Test("cannot be used again after their end")
    func ended() async throws {
        let session = CLServiceSession(.whenInUse, purposeKey: nil, of: shared)
        let activity = CLBackgroundActivitySession(of: shared)
        try await asked(.startBackgroundActivitySession)
        session.invalidate()
        activity.invalidate()
        session.invalidate()
        try await nothingRuns()
        await #expect(throws: InvalidatedSession.self) { for try await _ in session.diagnostics {} }
        await #expect(throws: InvalidatedSession.self) { for try await _ in activity.diagnostics {} }
        #expect(daemon.connectionsOpen == 0)
    }

    @Test("end at the daemon when nobody holds them any more")
    func letGo() async throws {
        var session: CLServiceSession? = CLServiceSession(.whenInUse, purposeKey: nil, of: shared)
        try await asked(.startServiceSession(ServiceSessionParameters(requirement: .whenInUse)))
        withExtendedLifetime(session) {}
        session = nil
        try await nothingRuns()
    }

    @Test("warn who lets an activity go within a second, and nobody else")
    func localVariable() async throws {
        let warned = try await lines {
            var activity: CLBackgroundActivitySession? = CLBackgroundActivitySession(of: shared)
            try await asked(.startBackgroundActivitySession)
            withExtendedLifetime(activity) {}
            activity = nil
        }
        // Other suites may have something to say at the same time.
        #expect(warned.count { $0.contains("keep it in a property") } == 1)
        let silent = try await lines {
            let activity = CLBackgroundActivitySession(of: shared)
            activity.invalidate()
        }
        #expect(!silent.contains { $0.contains("keep it in a property") })
    }

    @Test("say what keeps an activity from having an effect, also to who looks late, and change nothing by that")
    func activityDiagnostics() async throws {
        let activity = CLBackgroundActivitySession(of: shared)
        var diagnostics = activity.diagnostics.makeAsyncIterator()
        #expect(try await diagnostics.next()?.authorizationDenied == false)
        daemon.authorize(.denied)
        #expect(try await diagnostics.next()?.authorizationDenied == true)
        let later = CLBackgroundActivitySession(of: shared)
        var late = later.diagnostics.makeAsyncIterator()
        #expect(try await late.next()?.authorizationDenied == true)
        activity.invalidate()
        later.invalidate()
        #expect(try await diagnostics.next() == nil)
        try await nothingRuns()
        #expect(!daemon.calls.contains { $0.method == .startServiceSession })
    }

    @Test("say of an activity when the service session that the application must hold is missing")
    func activityNeedsServiceSession() async throws {
        let shared = SharedSession(over: daemon, requiresServiceSession: true)
        let activity = CLBackgroundActivitySession(of: shared)
        var diagnostics = activity.diagnostics.makeAsyncIterator()
        #expect(try await diagnostics.next()?.serviceSessionRequired == true)
        let session = CLServiceSession(.none, purposeKey: nil, of: shared)
        #expect(try await diagnostics.next()?.serviceSessionRequired == false)
        session.invalidate()
        #expect(try await diagnostics.next()?.serviceSessionRequired == true)
        activity.invalidate()
    }

    @Test("say loudly, and to who looks, that the daemon refuses them, and which keys are missing where")
    func refused() async throws {
        daemon.refuse(.startServiceSession, RPCError(.missingUsageDescription, "cannot ask: usageDescriptions"))
        for (purposeKey, key) in [
            (nil, "NSLocationWhenInUseUsageDescription"),
            ("Summit", "NSLocationTemporaryUsageDescriptionDictionary[\"Summit\"]"),
        ] {
            let said = try await lines {
                let session = CLServiceSession(.whenInUse, purposeKey: purposeKey, of: shared)
                let thrown = await #expect(throws: LocationClientError.self) {
                    for try await _ in session.diagnostics {}
                }
                #expect(thrown?.localizedDescription.contains(key) == true)
            }
            let ofKey = said.filter { $0.contains("CLServiceSession") && $0.contains(key) }
            #expect(ofKey.count == 1 && ofKey.first?.contains("Info.plist") == true)
        }
    }
}
