// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("What is on record about an identity")
struct ConsentOnRecordTests {
    private static let identity = IdentityID(rawValue: 0)

    /// An app that nobody decided about, with what the configuration says of it.
    private static func bench(policy: Consent) -> EngineBench {
        var bench = EngineBench(authorization: .undetermined)
        bench.reset()
        change(&bench, policy: policy)
        return bench
    }

    private static func change(_ bench: inout EngineBench, policy: Consent) {
        bench.people[identity] = BenchPerson(choice: policy.choice, accuracy: policy.accuracy)
        bench.handle(.policyChanged(identity, policy))
    }

    @Test(
        "allow once is no more precise than what was decided, leaves that as it is, and it is in force again afterwards",
        arguments: [Consent.Choice.whenInUse, .always, .denied])
    func once(choice: Consent.Choice) {
        let decision = Consent(choice, accuracy: .reduced, hasAskedAlways: true)
        var bench = EngineBench()
        bench.handle(.decided(Self.identity, decision))
        let before = bench.engine.authorization(of: Self.identity)
        let client = bench.greet()
        bench.handle(.allowedOnce(Self.identity))
        let during = Authorization(status: .authorizedWhenInUse, accuracy: .reduced)
        #expect(bench.engine.authorization(of: Self.identity) == during)
        #expect(bench.store.consents[Self.identity] == decision)
        bench.ask(client, .start)
        bench.travel(3)
        bench.close(client)
        #expect(bench.engine.consent(of: Self.identity).consent == decision)
        #expect(bench.engine.consent(of: Self.identity).isDecided)
        #expect(bench.engine.authorization(of: Self.identity) == before)
        #expect(bench.violations == [])
    }

    @Test("asking for more than a default allows makes no decision of it: a stricter default is in force at once")
    func pinned() {
        for request in [
            Request.requestAlwaysAuthorization, .session(.always),
        ] {
            var bench = Self.bench(policy: Consent(.whenInUse))
            let client = bench.greet()
            bench.ask(client, request)
            #expect(bench.prompts.values.map(\.level) == [.always])
            #expect(!bench.engine.consent(of: Self.identity).isDecided)
            #expect(bench.store.consents[Self.identity] == nil)
            Self.change(&bench, policy: Consent(.denied))
            #expect(bench.engine.authorization(of: Self.identity).status == .denied)
            #expect(bench.violations == [])
        }
    }

    @Test("more than a default allows is asked for once")
    func askedOnce() {
        var bench = Self.bench(policy: Consent(.whenInUse))
        let client = bench.greet()
        _ = bench.lines(client)
        bench.ask(client, .requestAlwaysAuthorization)
        bench.answer(.whileUsing)
        bench.ask(client, .requestAlwaysAuthorization)
        #expect(bench.lines(client) == ["reply prompted", "reply alreadyDetermined"])
        #expect(bench.prompts.isEmpty)
    }
}
