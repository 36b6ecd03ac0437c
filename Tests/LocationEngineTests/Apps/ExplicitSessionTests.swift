// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Apps that hold their service sessions themselves")
struct ExplicitSessionTests {
    private static func bench(_ authorization: Authorization = .always) -> (EngineBench, ManagerID) {
        var bench = EngineBench(authorization: authorization)
        bench.handle(.sessionsRequired(IdentityID(rawValue: 0), true))
        let client = bench.greet()
        _ = bench.lines(client)
        return (bench, client)
    }

    @Test("get nothing of streams and monitors without one, and are told so; regions and updates are as ever")
    func required() {
        var (bench, client) = Self.bench()
        bench.ask(client, .startLiveUpdates(.default))
        #expect(bench.lines(client) == ["reply running", "update 1 serviceSessionRequired"])
        #expect(
            bench.engine.powerReport(at: bench.now).policy == .off
                && !bench.engine.isUsingLocation(IdentityID(rawValue: 0)))
        bench.ask(client, .openMonitor(name: "m"))
        bench.ask(client, .add("home", .round()))
        #expect(bench.lines(client) == ["reply", "reply", "m/home unmonitored serviceSessionRequired event 1"])
        bench.ask(client, .startMonitoring(Region(identifier: "r", shape: .round())))
        bench.travel(60, metres: 0)
        #expect(bench.lines(client) == ["reply running", "r started"])
        bench.ask(client, .session(.none))
        bench.travel(30, metres: 0)
        let lines = bench.lines(client)
        #expect(lines.contains { $0.hasPrefix("update 1 at") })
        #expect(lines.contains("m/home satisfied event 2"))
        bench.ask(client, .invalidateServiceSession(session: 1))
        let ended = bench.lines(client)
        #expect(ended.contains("update 1 serviceSessionRequired") && ended.last == "reply", "\(ended)")
        bench.travel(30, from: 500, metres: 0)
        #expect(bench.lines(client) == ["exit r event 3", "r is outside"])
        // What is stored comes first.
        bench.ask(client, .acknowledge(event: 2))
        #expect(bench.lines(client) == ["reply", "m/home unmonitored serviceSessionRequired event 4"])
        #expect(bench.violations == [])
    }

    @Test("are not asked about for a stream, but for their session")
    func prompts() {
        var (bench, client) = Self.bench(Authorization(status: .notDetermined))
        bench.ask(client, .startLiveUpdates(.default))
        bench.ask(client, .openMonitor(name: "m"))
        #expect(bench.engine.authorizationRequests.isEmpty)
        #expect(bench.lines(client) == ["reply waitingForAuthorization", "update 1 serviceSessionRequired", "reply"])
        bench.ask(client, .session(.whenInUse))
        #expect(bench.engine.authorizationRequests.map(\.level) == [.whenInUse])
        #expect(bench.violations == [])
    }

    @Test("get nothing in the background while they may know only while in use, without a background activity session")
    func background() {
        var (bench, client) = Self.bench(Authorization(status: .authorizedWhenInUse))
        bench.ask(client, .session(.whenInUse))
        #expect(bench.lines(client) == ["reply", "session 1 insufficientlyInUse"])
        bench.ask(client, .startLiveUpdates(.default))
        bench.travel(3)
        #expect(bench.lines(client) == ["reply running", "update 1 insufficientlyInUse"])
        bench.ask(client, .setPresence(.foreground))
        bench.travel(1)
        let front = bench.lines(client)
        #expect(front.contains("session 1") && front.contains { $0.hasPrefix("update 1 at") }, "\(front)")
        bench.ask(client, .setPresence(.background))
        bench.travel(3)
        #expect(
            bench.lines(client).filter { $0.hasPrefix("update 1 ") && !$0.hasPrefix("update 1 at") } == [
                "update 1 insufficientlyInUse"
            ])
        bench.ask(client, .startBackgroundActivitySession)
        bench.travel(1)
        #expect(bench.lines(client).contains { $0.hasPrefix("update 1 at") })
        #expect(bench.violations == [])
    }

    @Test("are told once why nothing comes when they are back in the foreground and something else stands in the way")
    func returning() {
        var (bench, client) = Self.bench(Authorization(status: .authorizedWhenInUse, accuracy: .reduced))
        bench.ask(client, .setPresence(.foreground))
        bench.ask(client, .session(.whenInUse))
        bench.ask(client, .startLiveUpdates(.default))
        bench.ask(client, .openMonitor(name: "m"))
        bench.ask(client, .add("home", .round()))
        bench.travel(3)
        _ = bench.lines(client)
        bench.detach(client)
        bench.attach(client, presence: .foreground)
        let lines = bench.lines(client)
        #expect(lines.filter { $0.contains(" event ") } == ["m/home unmonitored accuracyLimited event 3"])
        #expect(lines.filter { $0.hasPrefix("update 1") }.count == 1, "\(lines)")
        #expect(bench.violations == [])
    }

    @Test("are told before the answer what the end of a background activity session makes of the other sessions")
    func invalidated() {
        var (bench, client) = Self.bench(Authorization(status: .authorizedWhenInUse))
        let other = bench.greet()
        _ = bench.lines(other)
        bench.ask(client, .startBackgroundActivitySession)
        for holder in [client, other] {
            bench.ask(holder, .session(.whenInUse))
        }
        _ = (bench.lines(client), bench.lines(other))
        bench.ask(client, .invalidateBackgroundActivitySession(session: 1))
        #expect(bench.lines(client) == ["session 2 insufficientlyInUse", "reply"])
        #expect(bench.lines(other) == ["session 1 insufficientlyInUse"])
        #expect(bench.violations == [])
    }

    @Test("that may always know and are not there go on being watched for")
    func absent() {
        var (bench, client) = Self.bench()
        bench.ask(client, .session(.always))
        bench.ask(client, .openMonitor(name: "m"))
        bench.ask(client, .add("home", .round()))
        bench.close(client)
        bench.travel(60, metres: 0)
        #expect(bench.store.events[AppID(rawValue: 0)]?.count == 1)
        #expect(bench.violations == [])
    }

    private static let app = AppID(rawValue: 0)

    private static func stored(_ bench: EngineBench) -> [UInt64] { (bench.store.events[app] ?? []).map(\.number) }

    /// A client with a session, number 1, and the monitor `m` open, number 1, with the condition `home`, where the device is.
    private static func visitor(assuming: ConditionState) -> (EngineBench, ManagerID) {
        var (bench, client) = bench()
        bench.ask(client, .session(.always))
        bench.ask(client, .openMonitor(name: "m"))
        bench.ask(client, .add("home", .round(), assuming: assuming))
        return (bench, client)
    }

    @Test(
        "that end their session and are gone are not started for it, whether they took that nothing comes or not",
        arguments: [false, true])
    func gone(takes: Bool) {
        var (bench, client) = Self.visitor(assuming: .satisfied)
        bench.travel(60, metres: 0)
        bench.ask(client, .invalidateServiceSession(session: 1))
        #expect(bench.lines(client).contains("m/home unmonitored serviceSessionRequired event 1"))
        if takes { bench.ask(client, .acknowledge(event: 1)) }
        bench.detach(client)
        bench.chores = []
        bench.travel(120, metres: 0)
        #expect(Self.stored(bench) == [] && bench.wakes == 0)
        // What changes is a reason.
        bench.travel(60, from: 3000, metres: 0)
        #expect(Self.stored(bench).count == 1 && bench.wakes > 0)
        #expect(bench.violations == [])
    }

    @Test("that took that nothing comes are told how the condition stands when they are back, not started for it")
    func back() {
        var (bench, client) = Self.visitor(assuming: .satisfied)
        bench.travel(60, metres: 0)
        bench.ask(client, .invalidateServiceSession(session: 1))
        bench.ask(client, .acknowledge(event: 1))
        bench.detach(client)
        bench.travel(120, metres: 0)
        let second = bench.greet()
        bench.ask(second, .session(.always))
        bench.travel(60, metres: 0)
        #expect(Self.stored(bench) == [])
        _ = bench.lines(second)
        bench.ask(second, .openMonitor(name: "m"))
        #expect(bench.lines(second) == ["reply", "m/home satisfied event 2"])
        bench.ask(second, .acknowledge(event: 2))
        bench.travel(60, metres: 0)
        #expect(bench.lines(second) == ["reply"] && Self.stored(bench) == [])
        #expect(bench.violations == [])
    }

    @Test("that are gone before a location comes are not started for what they were owed")
    func owed() {
        var (bench, client) = Self.visitor(assuming: .satisfied)
        bench.travel(60, metres: 0)
        bench.ask(client, .invalidateServiceSession(session: 1))
        bench.ask(client, .session(.always))
        bench.detach(client)
        bench.chores = []
        bench.travel(120, metres: 0)
        #expect(Self.stored(bench) == [] && bench.wakes == 0)
        #expect(bench.violations == [])
    }

    @Test("that are back within the rejoin time are told how a condition stands if that is owed")
    func rejoined() {
        var (bench, client) = Self.visitor(assuming: .satisfied)
        bench.travel(60, metres: 0)
        bench.ask(client, .invalidateServiceSession(session: 1))
        bench.ask(client, .session(.always))
        _ = bench.lines(client)
        bench.detach(client)
        bench.travel(10, metres: 0)
        bench.attach(client)
        bench.travel(60, metres: 0)
        #expect(bench.lines(client).filter { $0.contains(" event ") } == ["m/home satisfied event 2"])
        #expect(bench.violations == [])
    }

    @Test("take what is stored before they are told that nothing comes: no crossing is told twice or left behind")
    func storedFirst() {
        var (bench, client) = Self.visitor(assuming: .unsatisfied)
        _ = bench.lines(client)
        bench.close(client)
        bench.travel(60, metres: 0)
        #expect(Self.stored(bench) == [1])
        client = bench.greet()
        _ = bench.lines(client)
        bench.ask(client, .openMonitor(name: "m"))
        #expect(bench.lines(client) == ["reply", "m/home satisfied event 1"])
        bench.ask(client, .acknowledge(event: 1))
        #expect(bench.lines(client) == ["reply", "m/home unmonitored serviceSessionRequired event 2"])
        #expect(Self.stored(bench) == [])
        bench.ask(client, .session(.always))
        bench.travel(60, metres: 0)
        bench.ask(client, .acknowledge(event: 3))
        bench.travel(120, from: 3000, metres: 0)
        #expect(
            bench.lines(client).filter { $0.contains(" event ") } == [
                "m/home satisfied event 3", "m/home unsatisfied event 4",
            ])
        bench.ask(client, .acknowledge(event: 4))
        bench.close(client)
        bench.kill()
        client = bench.greet()
        bench.ask(client, .session(.always))
        _ = bench.lines(client)
        bench.ask(client, .openMonitor(name: "m"))
        #expect(bench.lines(client) == ["reply"] && Self.stored(bench) == [])
        #expect(bench.violations == [])
    }

    @Test("and begin and end sessions as fast as they can cost no write for each, and no number is given twice")
    func toggles() {
        var (bench, client) = Self.visitor(assuming: .satisfied)
        for number in 2...10 {
            bench.ask(client, .add("c\(number)", .round(), assuming: .satisfied))
        }
        bench.chores = []
        for session in 1...100 {
            bench.ask(client, .invalidateServiceSession(session: UInt64(session)))
            bench.ask(client, .session(.always))
        }
        #expect(bench.saves == 1)
        bench.ask(client, .invalidateServiceSession(session: 101))
        let last = bench.pending(client)
        #expect(last > 1000)
        bench.kill()
        bench.handle(.sessionsRequired(IdentityID(rawValue: 0), true))
        bench.attach(client)
        #expect(bench.pending(client) > last && bench.violations == [])
    }
}

extension EngineBench {
    fileprivate var saves: Int { chores.count { if case .saveApp = $0 { true } else { false } } }
}
