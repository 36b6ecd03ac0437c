// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Consent for a while")
struct TemporaryConsentTests {
    private static let identity = IdentityID(rawValue: 0)

    @Test("allow once ends when the last client goes (A5)")
    func once() {
        var bench = EngineBench(authorization: .undetermined)
        let (client, other) = (bench.greet(), bench.greet())
        bench.ask(client, .start)
        bench.answer(.once)
        bench.travel(2)
        bench.detach(client)
        #expect(bench.engine.authorization(of: other).status == .authorizedWhenInUse)
        _ = bench.lines(client)
        bench.detach(other)
        #expect(bench.engine.authorization(of: Self.identity).status == .notDetermined)
        #expect(bench.engine.powerReport(at: bench.now).policy == .off)
        bench.travel(2)
        bench.attach(client)
        #expect(bench.lines(client) == ["authorization notDetermined full initial"])
        #expect(bench.prompts.count == 1)
        #expect(bench.violations == [])
    }

    @Test("an administrator's allow-once answers what was asked, and ends with use")
    func onceByAdministrator() {
        var bench = EngineBench(authorization: .undetermined)
        let client = bench.greet()
        bench.ask(client, .start)
        _ = bench.lines(client)
        bench.handle(.allowedOnce(Self.identity))
        #expect(bench.prompts.isEmpty)
        #expect(bench.lines(client) == ["authorization authorizedWhenInUse full"])
        bench.close(client)
        #expect(bench.engine.authorization(of: Self.identity).status == .notDetermined)
        #expect(bench.violations == [])
    }

    @Test(
        "a background activity session keeps the use alive until the rejoin time is over (B2)", arguments: [29.0, 33])
    func session(seconds: Double) {
        var bench = EngineBench(authorization: .undetermined)
        let client = bench.greet()
        bench.ask(client, .start)
        bench.answer(.once)
        bench.ask(client, .startBackgroundActivitySession)
        bench.detach(client)
        bench.advance(by: seconds)
        let isKept = seconds < 30
        #expect(bench.engine.isOpen(client) == isKept)
        #expect(bench.engine.isInUse(Self.identity) == isKept)
        #expect((bench.engine.authorization(of: Self.identity).status == .authorizedWhenInUse) == isKept)
        #expect(bench.violations == [])
    }

    @Test(
        "what was allowed for a use outlives a kill of the daemon if its client comes back in time",
        arguments: [29.0, 31])
    func killed(seconds: Double) {
        for isOnce in [true, false] {
            var bench = EngineBench(authorization: isOnce ? .undetermined : .reduced)
            let client = bench.greet()
            bench.ask(client, .start)
            if !isOnce { bench.ask(client, Self.accuracy) }
            bench.answer(.once)
            bench.travel(2)
            let allowed = bench.engine.authorization(of: Self.identity)
            #expect(allowed.isAuthorized && allowed.accuracy == .full)
            bench.kill()
            #expect(bench.engine.authorization(of: Self.identity) == allowed)
            bench.advance(by: seconds)
            let isInTime = seconds < 30
            let other = bench.greet()
            #expect((bench.engine.authorization(of: other) == allowed) == isInTime)
            bench.close(other)
            guard isInTime else {
                #expect(bench.engine.authorization(of: Self.identity) != allowed)
                #expect(bench.violations == [])
                continue
            }
            bench.attach(client)
            bench.advance(by: 60)
            #expect(bench.engine.authorization(of: client) == allowed)
            bench.detach(client)
            #expect(bench.engine.authorization(of: Self.identity) != allowed)
            bench.kill()
            #expect(bench.engine.authorization(of: Self.identity) != allowed)
            #expect(bench.violations == [])
        }
    }

    @Test("what was allowed for a use is over when somebody has decided otherwise before the next process")
    func decidedSince() {
        var bench = EngineBench(authorization: .undetermined)
        let client = bench.greet()
        bench.ask(client, .start)
        bench.answer(.once)
        bench.kill(authorizing: .denied)
        #expect(bench.engine.authorization(of: Self.identity).status == .denied)
        bench.attach(client)
        bench.travel(2)
        #expect(bench.sequences(client) == [])
        #expect(bench.violations == [])
    }

    @Test("an ended session keeps nothing alive (B1)")
    func invalidated() {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .startBackgroundActivitySession)
        bench.ask(client, .invalidateBackgroundActivitySession(session: 1))
        bench.ask(client, .invalidateBackgroundActivitySession(session: 1))
        guard case .reply(let reply)? = bench.connections[client]?.lines.last?.line else { return #expect(Bool(false)) }
        #expect(reply.refusal == .notFound)
        bench.detach(client)
        #expect(bench.engine.isInUse(Self.identity) == false)
        #expect(bench.violations == [])
    }

    private static let accuracy = Request.requestTemporaryFullAccuracyAuthorization(purposeKey: "way")

    @Test("full accuracy for a while ends with use, with a word each time (A8)")
    func fullAccuracy() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.greet()
        bench.ask(client, .start)
        bench.travel(1)
        _ = bench.lines(client)
        bench.ask(client, Self.accuracy)
        #expect(bench.lines(client) == ["reply prompted", "temporaryFullAccuracy"])
        bench.answer(.once)
        bench.travel(2)
        #expect(bench.lines(client) == ["authorization authorizedAlways full", "standard 2", "standard 3"])
        bench.detach(client)
        #expect(bench.engine.authorization(of: Self.identity).accuracy == .reduced)
        bench.travel(2)
        bench.attach(client)
        #expect(bench.lines(client) == ["authorization authorizedAlways reduced initial", "standard 1 cached reduced"])
        #expect(bench.violations == [])
    }

    @Test("a refusal leaves accuracy as it is, and it may be asked for again")
    func refused() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.greet()
        for number in [1, 2] as [UInt64] {
            bench.ask(client, Self.accuracy)
            #expect(bench.prompts.keys.sorted() == [number])
            bench.answer(.deny)
        }
        #expect(bench.engine.authorization(of: client).accuracy == .reduced)
        #expect(bench.violations == [])
    }

    @Test("18 where nobody is asked: undeclared, nobody there, already full, not authorized (A8)")
    func unasked() {
        let cases: [(Authorization, isDeclared: Bool, canAsk: Bool, String)] = [
            (.reduced, false, true, "ignored"), (.reduced, true, false, "ignored"),
            (.always, true, true, "alreadyDetermined"), (.denied, true, true, "denied"),
            (.undetermined, true, true, "waitingForAuthorization"),
        ]
        for (authorization, isDeclared, canAsk, state) in cases {
            var bench = EngineBench(authorization: authorization)
            let client = bench.greet()
            _ = bench.lines(client)
            bench.ask(client, Self.accuracy, isDeclared: isDeclared, canAsk: canAsk)
            #expect(bench.lines(client) == ["reply \(state)", "temporaryFullAccuracy error 18"])
            #expect(bench.prompts.isEmpty)
        }
    }

    @Test("services off read as denied and on again as before, one word each (A6)")
    func services() {
        var bench = EngineBench(authorization: Authorization(status: .authorizedWhenInUse))
        bench.authorize(.denied, app: 1)
        let (client, refused) = (bench.greet(), bench.greet(app: 1))
        bench.ask(client, .start)
        bench.travel(1)
        _ = (bench.lines(client), bench.lines(refused))
        bench.switchServices(false)
        bench.switchServices(false)
        #expect(bench.lines(client) == ["authorization denied full", "fail 1 standard"])
        bench.travel(2)
        bench.switchServices(true)
        bench.travel(1)
        #expect(
            bench.lines(client) == ["authorization authorizedWhenInUse full", "standard 3 cached", "standard 4"])
        // Whoever was denied anyway learns nothing.
        #expect(bench.lines(refused) == [])
        #expect(bench.violations == [])
    }

    @Test("services off ask nobody; a question from before outlives them, and one is raised when they are back")
    func servicesAndQuestions() {
        var bench = EngineBench(authorization: .undetermined)
        bench.authorize(.undetermined, app: 1)
        let (client, late) = (bench.greet(), bench.greet(app: 1))
        bench.ask(client, .start)
        bench.switchServices(false)
        bench.ask(late, .start)
        #expect(bench.prompts.keys.sorted() == [1])
        #expect(bench.lines(late).last == "fail 1 standard")
        bench.switchServices(true)
        #expect(bench.prompts.keys.sorted() == [1, 2])
        bench.answer(.whileUsing)
        bench.answer(.whileUsing)
        bench.travel(1)
        #expect(bench.lines(client).last == "standard 1" && bench.lines(late).last == "standard 1")
        #expect(bench.violations == [])
    }
}
