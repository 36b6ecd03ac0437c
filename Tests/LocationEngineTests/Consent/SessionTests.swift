// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Service sessions")
struct SessionTests {
    private static func session(_ requirement: ServiceSessionRequirement, purposeKey: String? = nil) -> Request {
        .session(requirement, for: purposeKey)
    }

    @Test("a session tells where it stands on each change, and once")
    func diagnostics() {
        var bench = EngineBench(authorization: .undetermined)
        let client = bench.greet()
        _ = bench.lines(client)
        bench.ask(client, Self.session(.whenInUse))
        #expect(bench.lines(client) == ["reply", "session 1 authorizationRequestInProgress"])
        bench.answer(.whileUsing)
        #expect(bench.lines(client) == ["authorization authorizedWhenInUse full", "session 1"])
        bench.authorize(.denied)
        #expect(bench.lines(client) == ["authorization denied full", "session 1 authorizationDenied"])
        bench.switchServices(false)
        #expect(bench.lines(client) == ["session 1 authorizationDenied authorizationDeniedGlobally"])
        bench.switchServices(true)
        #expect(bench.lines(client) == ["session 1 authorizationDenied"])
        bench.authorize(Authorization(status: .restricted))
        #expect(bench.lines(client) == ["authorization restricted full", "session 1 authorizationRestricted"])
        #expect(bench.violations == [])
    }

    @Test("a session for always asks for more than while-using, once, and says what came of it")
    func always() {
        var bench = EngineBench(authorization: Authorization(status: .authorizedWhenInUse))
        let client = bench.greet()
        _ = bench.lines(client)
        bench.ask(client, Self.session(.always))
        #expect(bench.lines(client) == ["reply", "session 1 authorizationRequestInProgress"])
        bench.answer(.whileUsing)
        #expect(bench.lines(client) == ["session 1 alwaysAuthorizationDenied"])
        bench.ask(client, Self.session(.always))
        #expect(bench.lines(client) == ["reply", "session 2 alwaysAuthorizationDenied"])
        #expect(bench.prompts.isEmpty)
        #expect(bench.violations == [])
    }

    @Test("a session for full accuracy asks for it, and says if it is refused")
    func fullAccuracy() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.greet()
        _ = bench.lines(client)
        bench.ask(client, Self.session(.whenInUse, purposeKey: "way"))
        #expect(bench.lines(client) == ["reply", "session 1 authorizationRequestInProgress"])
        bench.answer(.deny)
        #expect(bench.lines(client) == ["session 1 fullAccuracyDenied"])
        #expect(bench.violations == [])
    }

    @Test("none asks for nothing; a settled matter has no flags")
    func none() {
        var bench = EngineBench(authorization: .undetermined)
        let client = bench.greet()
        _ = bench.lines(client)
        bench.ask(client, Self.session(.none))
        bench.authorize(.always)
        bench.ask(client, Self.session(.always))
        #expect(
            bench.lines(client) == ["reply", "session 1", "authorization authorizedAlways full", "reply", "session 2"])
        #expect(bench.newestPrompt == 0)
        #expect(bench.violations == [])
    }

    @Test("an ended session is silent; its number is not used again, after a reconnection neither")
    func ended() {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, Self.session(.whenInUse))
        bench.ask(client, .invalidateServiceSession(session: 1))
        bench.ask(client, Self.session(.whenInUse))
        bench.detach(client)
        bench.kill()
        bench.attach(client)
        _ = bench.lines(client)
        bench.authorize(.denied)
        #expect(bench.lines(client) == ["authorization denied full", "session 2 authorizationDenied"])
        bench.ask(client, Self.session(.none))
        #expect(bench.lines(client).last == "session 3 authorizationDenied")
        #expect(bench.violations == [])
    }

    @Test("32 sessions, and no more")
    func limit() {
        var bench = EngineBench()
        let client = bench.greet()
        for _ in 0..<32 { bench.ask(client, .startBackgroundActivitySession) }
        bench.ask(client, Self.session(.none))
        guard case .reply(let reply)? = bench.connections[client]?.lines.last?.line else { return #expect(Bool(false)) }
        #expect(reply.refusal == .limitExceeded)
        #expect(bench.violations == [])
    }

    @Test("the first word about authorization follows the first start of a session, and no opening of a monitor")
    func firstWord() {
        var bench = EngineBench()
        let (session, monitor) = (bench.open(), bench.open())
        bench.ask(session, .startBackgroundActivitySession)
        #expect(bench.lines(session) == ["reply", "authorization authorizedAlways full initial"])
        bench.ask(monitor, .openMonitor(name: "m"))
        #expect(bench.lines(monitor) == ["reply"])
    }
}
