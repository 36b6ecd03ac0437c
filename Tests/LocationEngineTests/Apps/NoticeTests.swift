// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Notices of regions")
struct NoticeTests {
    private static let whenInUse = Authorization(status: .authorizedWhenInUse)
    private static let provisional = Authorization(status: .authorizedAlways, isProvisional: true)

    private static func home(
        _ notice: RegionNotice = RegionNotice(title: "home", on: .both), tells: Bool = false, name: String = "home"
    ) -> Region {
        Region(
            identifier: name, shape: .round(), notifyOnEntry: tells, notifyOnExit: tells, notice: notice)
    }

    /// A client with that region at the origin, which the device is in.
    private static func bench(
        _ region: Region = NoticeTests.home(), _ authorization: Authorization = .always
    ) -> (EngineBench, ManagerID) {
        var bench = EngineBench(authorization: authorization)
        let client = bench.greet()
        bench.ask(client, .startMonitoring(region))
        bench.travel(3, metres: 0)
        _ = bench.lines(client)
        return (bench, client)
    }

    /// A clear-cut crossing, out first: a minute a kilometre away, or a minute in the middle.
    private static func cross(_ bench: inout EngineBench, times: Int = 1) {
        for time in 0..<times { bench.travel(60, from: time % 2 == 0 ? 1000 : 0, metres: 0) }
    }

    private static func raised(_ bench: EngineBench) -> [String] {
        bench.raised.map { entry in
            guard case .notice(let notice, let region, let state) = entry.event.content else { return "?" }
            return "\(entry.event.number) \(notice.title) \(region) \(state)"
        }
    }

    private static let app = AppID(rawValue: 0)

    private static func stored(_ bench: EngineBench) -> [UInt64] {
        bench.engine.events(of: app).filter(\.isNotice).map(\.number)
    }

    @Test("are stored and raised, and neither told to the app nor a reason to start it")
    func raisedAlone() {
        var (bench, client) = Self.bench()
        bench.close(client)
        Self.cross(&bench, times: 2)
        #expect(Self.raised(bench) == ["1 home home outside", "2 home home inside"])
        #expect(Self.stored(bench) == [1, 2] && bench.wakes == 0)
        let back = bench.greet()
        #expect(bench.lines(back).allSatisfy { !$0.contains("event") })
        bench.detach(back)
        #expect(bench.wakes == 0 && bench.violations == [])
    }

    @Test("go their own way beside what the app is told")
    func besideEvents() {
        var (bench, client) = Self.bench(Self.home(tells: true))
        bench.close(client)
        Self.cross(&bench)
        #expect(Self.raised(bench).count == 1 && bench.wakes == 1)
        let back = bench.greet()
        #expect(bench.lines(back).filter { $0.contains("event") } == ["exit home event 2"])
        #expect(bench.violations == [])
    }

    @Test("are for the crossings that they name", arguments: RegionNotice.Crossing.allCases)
    func crossings(crossing: RegionNotice.Crossing) {
        var (bench, _) = Self.bench(Self.home(RegionNotice(title: "t", on: crossing)))
        Self.cross(&bench, times: 2)
        let states = bench.raised.map { entry in
            if case .notice(_, _, let state) = entry.event.content { state } else { RegionState.unknown }
        }
        #expect(states == (crossing == .both ? [.outside, .inside] : crossing == .entry ? [.inside] : [.outside]))
    }

    @Test(
        "that come once are gone with the first, and their region where that tells nothing", arguments: [true, false])
    func once(tells: Bool) {
        var (bench, _) = Self.bench(Self.home(RegionNotice(title: "t", on: .exit, repeats: false), tells: tells))
        Self.cross(&bench)
        let left = bench.engine.monitoredRegions(of: Self.app)
        #expect(left.count == (tells ? 1 : 0) && left.allSatisfy { $0.notice == nil })
        bench.kill()
        #expect(bench.engine.monitoredRegions(of: Self.app) == left)
        _ = bench.greet()
        bench.travel(60, metres: 0)
        Self.cross(&bench)
        #expect(Self.raised(bench).count == 1 && bench.violations == [])
    }

    private static func shown(_ event: UInt64) -> Request {
        .acknowledgeNotice(NoticeName(identity: "uid:1000", label: nil, event: event))
    }

    @Test("wait for their acknowledgement over a kill, and no app acknowledges for another")
    func acknowledged() {
        var (bench, client) = Self.bench()
        Self.cross(&bench, times: 2)
        bench.kill()
        #expect(Self.stored(bench) == [1, 2])
        bench.authorize(.always, app: 1)
        let agent = bench.greet(app: 1)
        bench.ask(agent, Self.shown(1), noticeOwner: Self.app)
        bench.ask(agent, Self.shown(1), noticeOwner: Self.app)
        #expect(bench.lines(agent).filter { $0 == "reply" }.count == 2 && Self.stored(bench) == [2])
        bench.kill()
        #expect(Self.stored(bench) == [2])
        _ = client
    }

    @Test("and no others are acknowledged by who shows them")
    func onlyNotices() {
        var (bench, client) = Self.bench(Self.home(tells: true))
        bench.close(client)
        Self.cross(&bench)
        let agent = bench.greet()
        bench.ask(agent, Self.shown(2), noticeOwner: Self.app)
        #expect(bench.engine.events(of: Self.app).map(\.number) == [1, 2])
    }

    @Test("that nobody shows are bounded, and push out nothing that the app waits for")
    func bounded() {
        var (bench, client) = Self.bench(Self.home(tells: true))
        bench.close(client)
        Self.cross(&bench, times: 24)
        let events = bench.engine.events(of: Self.app)
        #expect(events.count { !$0.isNotice } == 24 && bench.engine.eventsDropped(of: Self.app) == 0)
        #expect(Self.stored(bench) == (5...24).map { UInt64($0 * 2 - 1) })
        #expect(bench.violations == [])
    }

    @Test("are bounded for a user over all apps, the oldest first")
    func boundedForUser() {
        var bench = EngineBench()
        for app in Int32(0)..<5 {
            let identity = IdentityID(rawValue: app)
            bench.authorize(.always, app: app)
            bench.handle(
                .identityEntered(
                    identity, user: app == 4 ? 8 : 7, decided: Authorization.always.consent, policy: Consent(.undecided)
                ))
            bench.handle(.appEntered(AppID(rawValue: app), AppRecord(identity: identity)))
            bench.ask(bench.greet(app: app), .startMonitoring(Self.home()))
        }
        bench.travel(3, metres: 0)
        Self.cross(&bench, times: 18)
        let counts = (Int32(0)..<5).map { app in
            bench.engine.events(of: AppID(rawValue: app)).count { $0.isNotice }
        }
        #expect(counts.prefix(4).reduce(0, +) == 64 && counts[4] == 18)
        #expect(counts.prefix(4).allSatisfy { $0 >= 15 })
    }

    @Test("grow old, and go with the consent and with their region; the app is not told of a loss")
    func forgotten() {
        var (bench, client) = Self.bench()
        Self.cross(&bench)
        bench.handle(.eventsAged(before: WallTime(milliseconds: bench.wallTime.milliseconds + 1)))
        #expect(Self.stored(bench) == [] && bench.engine.eventsDropped(of: Self.app) == 0)
        bench.travel(60, metres: 0)
        #expect(Self.stored(bench) == [2])
        bench.ask(client, .stopMonitoring(identifier: "home"))
        #expect(Self.stored(bench) == [])
        bench.ask(client, .startMonitoring(Self.home()))
        bench.travel(60, metres: 0)
        Self.cross(&bench)
        #expect(Self.stored(bench) == [3])
        bench.authorize(.denied)
        #expect(Self.stored(bench) == [] && bench.violations == [])
    }

    @Test("wait on when their app says again what it wants, and go when it wants another notice or area")
    func replaced() {
        let other = RegionNotice(title: "away", on: .both)
        let elsewhere = Region(identifier: "home", shape: .round(500), notice: RegionNotice(title: "home", on: .both))
        for (region, isKept) in [
            (Self.home(), true), (Self.home(tells: true), true), (Self.home(name: "work"), true),
            (Self.home(other), false), (.circle("home"), false), (elsewhere, false),
        ] {
            var (bench, client) = Self.bench()
            Self.cross(&bench)
            bench.ask(client, .startMonitoring(region))
            #expect(Self.stored(bench) == (isKept ? [1] : []), "\(region)")
            #expect(bench.violations == [])
        }
    }

    @Test("that come once wait on when their app, which begins anew, asks for them again", arguments: [true, false])
    func onceAgain(tells: Bool) {
        let region = Self.home(RegionNotice(title: "t", on: .exit, repeats: false), tells: tells)
        var (bench, client) = Self.bench(region)
        Self.cross(&bench)
        bench.ask(client, .startMonitoring(region))
        #expect(Self.stored(bench) == [1])
    }

    @Test("of an app that may know only in use are raised while it is, and not stored")
    func inUse() {
        var (bench, client) = Self.bench(Self.home(), Self.whenInUse)
        Self.cross(&bench)
        #expect(Self.raised(bench).count == 1 && Self.stored(bench) == [])
        bench.close(client)
        bench.travel(60, metres: 0)
        #expect(Self.raised(bench).count == 1 && bench.violations == [])
    }

    @Test(
        "of an app whose always is provisional are not raised while it is away, ask the person, and take no held event's place"
    )
    func heldBack() {
        for tells in [true, false] {
            var (bench, client) = Self.bench(
                Self.home(RegionNotice(title: "t", on: .exit, repeats: false), tells: tells), Self.provisional)
            bench.close(client)
            Self.cross(&bench)
            #expect(Self.raised(bench) == [] && bench.prompts.count == 1)
            #expect((bench.engine.heldEvent(of: Self.app) != nil) == tells)
            #expect(bench.engine.monitoredRegions(of: Self.app).first?.notice != nil)
        }
    }

    @Test("count in what an app may keep")
    func size() {
        var (bench, client) = Self.bench(Self.home(tells: true))
        let with = bench.engine.storedSize(of: Self.app)
        bench.ask(client, .startMonitoring(.circle("home")))
        #expect(with - bench.engine.storedSize(of: Self.app) == "home".utf8.count)
    }
}
