// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Questions to a person")
struct AuthorizationRequestTests {
    private static let app = AppID(rawValue: 0)

    /// A client whose identity has chosen so; for `provisionalAlways`, asked and answered.
    private static func bench(_ choice: Consent.Choice) -> (EngineBench, ManagerID) {
        var bench = EngineBench(authorization: .undetermined)
        bench.handle(.decided(IdentityID(rawValue: 0), choice == .undecided ? nil : Consent(choice)))
        let client = bench.greet()
        _ = bench.lines(client)
        return (bench, client)
    }

    @Test("as many are asked at a time as one user may cause, and the others when those are over")
    func bounded() {
        var (bench, _) = Self.bench(.undecided)
        let limit = EngineConfiguration().questionsPerUser
        var clients: [ManagerID] = []
        for number in 1...Int32(limit + 3) {
            let (app, identity) = (AppID(rawValue: number), IdentityID(rawValue: number))
            bench.handle(.identityEntered(identity, user: 1001, decided: nil, policy: Consent(.undecided)))
            bench.handle(.appEntered(app, AppRecord(identity: identity)))
            let client = bench.open(app: number)
            bench.ask(client, .start)
            clients.append(client)
        }
        #expect(bench.prompts.count == limit)
        // Another user's is asked.
        bench.handle(.identityEntered(IdentityID(rawValue: 99), user: 1002, decided: nil, policy: Consent(.undecided)))
        bench.handle(.appEntered(AppID(rawValue: 99), AppRecord(identity: IdentityID(rawValue: 99))))
        let other = bench.open(app: 99)
        bench.ask(other, .start)
        #expect(bench.prompts.count == limit + 1)
        // Who goes makes room for who waits.
        bench.close(clients[0])
        bench.close(clients[1])
        #expect(bench.prompts.count == limit + 1)
        #expect(bench.prompts.values.contains { $0.identity == IdentityID(rawValue: Int32(limit + 2)) })
    }

    @Test("a question for while-using acts only from not determined (A1)", arguments: Consent.Choice.allCases)
    func whenInUse(choice: Consent.Choice) {
        var (bench, client) = Self.bench(choice)
        bench.ask(client, .requestWhenInUseAuthorization)
        let isAsked = choice == .undecided
        #expect(bench.lines(client) == ["reply \(isAsked ? "prompted" : "alreadyDetermined")"])
        #expect(bench.prompts.values.map(\.level) == (isAsked ? [.whenInUse] : []))
        #expect(bench.violations == [])
    }

    @Test(
        "a question for always acts from not determined, and once from while-using (A2)",
        arguments: Consent.Choice.allCases)
    func always(choice: Consent.Choice) {
        var (bench, client) = Self.bench(choice)
        let isAsked = choice == .undecided || choice == .whenInUse
        for isFirst in [true, false] {
            bench.ask(client, .requestAlwaysAuthorization)
            let isHeard = isAsked && (isFirst || choice == .undecided)
            #expect(bench.lines(client) == ["reply \(isHeard ? "prompted" : "alreadyDetermined")"])
            #expect(bench.prompts.count == (isAsked ? 1 : 0))
        }
        #expect(bench.newestPrompt == (isAsked ? 1 : 0))
        #expect(bench.violations == [])
    }

    struct Case: Sendable {
        var choice: Consent.Choice
        var level: AuthorizationLevel
        var answer: AuthorizationAnswer
        /// What the client reads then, and whether it is told.
        var status: AuthorizationStatus
        var isProvisional = false
        var isTold = true
        var kept: Consent.Choice
    }

    private static let table: [Case] = [
        Case(choice: .undecided, level: .whenInUse, answer: .always, status: .authorizedAlways, kept: .always),
        Case(
            choice: .undecided, level: .whenInUse, answer: .whileUsing, status: .authorizedWhenInUse, kept: .whenInUse),
        Case(choice: .undecided, level: .whenInUse, answer: .once, status: .authorizedWhenInUse, kept: .undecided),
        Case(choice: .undecided, level: .whenInUse, answer: .deny, status: .denied, kept: .denied),
        Case(choice: .undecided, level: .always, answer: .always, status: .authorizedAlways, kept: .always),
        Case(
            choice: .undecided, level: .always, answer: .whileUsing, status: .authorizedAlways, isProvisional: true,
            kept: .provisionalAlways),
        Case(choice: .undecided, level: .always, answer: .once, status: .authorizedWhenInUse, kept: .undecided),
        Case(choice: .undecided, level: .always, answer: .deny, status: .denied, kept: .denied),
        Case(choice: .whenInUse, level: .always, answer: .always, status: .authorizedAlways, kept: .always),
        Case(
            choice: .whenInUse, level: .always, answer: .whileUsing, status: .authorizedWhenInUse, isTold: false,
            kept: .whenInUse),
        Case(
            choice: .whenInUse, level: .always, answer: .once, status: .authorizedWhenInUse, isTold: false,
            kept: .whenInUse),
        Case(
            choice: .whenInUse, level: .always, answer: .deny, status: .authorizedWhenInUse, isTold: false,
            kept: .whenInUse),
    ]

    @Test("every answer to every question leads where Core Location has it (A1, A2, A3, A4)", arguments: table)
    func answers(row: Case) {
        var (bench, client) = Self.bench(row.choice)
        bench.ask(client, row.level == .always ? .requestAlwaysAuthorization : .requestWhenInUseAuthorization)
        _ = bench.lines(client)
        bench.answer(row.answer)
        let words = "authorization \(row.status) full" + (row.isProvisional ? " provisional" : "")
        #expect(bench.lines(client) == (row.isTold ? [words] : []))
        #expect(bench.engine.authorization(of: client).status == row.status)
        #expect(bench.engine.authorization(of: client).isProvisional == row.isProvisional)
        #expect(bench.engine.consent(of: IdentityID(rawValue: 0)).consent.choice == row.kept)
        #expect(bench.prompts.isEmpty)
        // What was kept outlives the daemon.
        bench.kill()
        #expect(bench.engine.consent(of: IdentityID(rawValue: 0)).consent.choice == row.kept)
        #expect(bench.violations == [])
    }

    @Test("from allow-once nothing more can be asked for (A5)")
    func onceIsAll() {
        var (bench, client) = Self.bench(.undecided)
        bench.ask(client, .requestWhenInUseAuthorization)
        bench.answer(.once)
        _ = bench.lines(client)
        bench.ask(client, .requestAlwaysAuthorization)
        bench.ask(client, .requestWhenInUseAuthorization)
        #expect(bench.lines(client) == ["reply alreadyDetermined", "reply alreadyDetermined"])
        #expect(bench.violations == [])
    }

    @Test("the one chance is spent in another process, too")
    func chanceIsKept() {
        var (bench, client) = Self.bench(.whenInUse)
        bench.ask(client, .requestAlwaysAuthorization)
        bench.answer(.deny)
        bench.kill()
        let back = bench.greet()
        _ = bench.lines(back)
        bench.ask(back, .requestAlwaysAuthorization)
        #expect(bench.lines(back) == ["reply alreadyDetermined"])
        #expect(bench.violations == [])
    }

    @Test("many services and clients raise one question; the one for always takes the place of the smaller one")
    func raisedOnce() {
        var (bench, client) = Self.bench(.undecided)
        let other = bench.greet()
        for request in [Request.start, .startSignificant, .requestLocation, .startMonitoringVisits] {
            bench.ask(client, request)
            bench.ask(other, request)
        }
        #expect(bench.newestPrompt == 1)
        bench.ask(other, .requestAlwaysAuthorization)
        bench.ask(client, .requestWhenInUseAuthorization)
        #expect(bench.prompts.keys.sorted() == [2])
        #expect(bench.prompts.values.map(\.level) == [.always])
        #expect(bench.violations == [])
    }

    @Test("the first answer wins; a late one changes nothing")
    func late() {
        var (bench, client) = Self.bench(.undecided)
        bench.ask(client, .start)
        bench.handle(.answered(request: 1, .deny))
        _ = bench.lines(client)
        bench.handle(.answered(request: 1, .always))
        #expect(bench.lines(client) == [])
        #expect(bench.engine.authorization(of: client).status == .denied)
    }

    @Test("a question is withdrawn when its app goes, and raised again when it is back and still wants")
    func withdrawn() {
        var (bench, client) = Self.bench(.undecided)
        bench.ask(client, .start)
        bench.detach(client)
        #expect(bench.prompts.isEmpty)
        bench.attach(client)
        #expect(bench.prompts.keys.sorted() == [2])
        bench.close(client)
        #expect(bench.prompts.isEmpty)
        #expect(bench.violations == [])
    }

    @Test("an administrator's word, or the policy's, leaves nothing to ask", arguments: [true, false])
    func decidedOtherwise(byPolicy: Bool) {
        var (bench, client) = Self.bench(.undecided)
        bench.ask(client, .start)
        if byPolicy {
            bench.people[IdentityID(rawValue: 0)]?.choice = .always
            bench.handle(.policyChanged(IdentityID(rawValue: 0), Consent(.always)))
        } else {
            bench.authorize(.always)
        }
        #expect(bench.prompts.isEmpty)
        bench.travel(1)
        #expect(bench.lines(client).last == "standard 1")
        #expect(bench.violations == [])
    }

    @Test("a decision taken back asks again for what runs", arguments: [true, false])
    func takenBack(wantsAlways: Bool) {
        var (bench, client) = Self.bench(.always)
        bench.ask(client, wantsAlways ? .session(.always) : .start)
        bench.reset()
        #expect(bench.prompts.values.map(\.level) == [wantsAlways ? .always : .whenInUse])
        bench.answer(.whileUsing)
        #expect(bench.engine.authorization(of: client).isProvisional == wantsAlways)
        #expect(bench.violations == [])
    }

    @Test("an answer to what another identity asked is none to the one that has its slot")
    func slotGivenAway() {
        var (bench, client) = Self.bench(.provisionalAlways)
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(3, metres: 0)
        bench.close(client)
        bench.travel(60, from: 1000, metres: 0)
        #expect(bench.prompts.count == 1)
        let identity = IdentityID(rawValue: 0)
        bench.people[identity] = BenchPerson(choice: .undecided, accuracy: .full)
        bench.handle(.identityEntered(identity, decided: nil, policy: Consent(.undecided)))
        bench.handle(.appEntered(Self.app, AppRecord(identity: identity)))
        #expect(bench.prompts.isEmpty)
        bench.handle(.answered(request: 1, .always))
        #expect(bench.engine.authorization(of: identity).status == .notDetermined)
        #expect(bench.violations == [])
    }

    @Test("numbers are used once, in another process too")
    func numbers() {
        var (bench, client) = Self.bench(.undecided)
        bench.ask(client, .start)
        bench.kill()
        bench.attach(client)
        #expect(bench.prompts.keys.sorted() == [2])
        #expect(bench.violations == [])
    }
}
