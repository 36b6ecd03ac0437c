// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Why nothing comes of a monitor")
struct UnmonitoredTests {
    private static let app = AppID(rawValue: 0)

    /// A client with the monitor `m` open, number 1, whose condition `home` it has taken as satisfied.
    private static func bench(_ authorization: Authorization = .always) -> (EngineBench, ManagerID) {
        var bench = EngineBench(authorization: authorization)
        let client = bench.greet()
        bench.ask(client, .openMonitor(name: "m"))
        bench.ask(client, .add("home", .round(), assuming: .satisfied))
        bench.travel(60, metres: 0)
        _ = bench.lines(client)
        return (bench, client)
    }

    /// What was told of conditions since a test looked last.
    private static func events(_ bench: inout EngineBench, _ client: ManagerID) -> [String] {
        bench.lines(client).filter { $0.contains(" event ") }
    }

    private static func stored(_ bench: EngineBench) -> Int { bench.store.events[app]?.count ?? 0 }

    @Test(
        "lost consent is told with its flags, not stored, and how the condition stands when it is back, be it as before",
        arguments: [
            (.denied, "authorizationDenied"), (Authorization(status: .restricted), "authorizationRestricted"),
            (.reduced, "accuracyLimited"),
        ] as [(Authorization, String)])
    func consent(lost: Authorization, flag: String) {
        for acknowledges in [true, false] {
            var (bench, client) = Self.bench()
            bench.authorize(lost)
            #expect(Self.events(&bench, client) == ["m/home unmonitored \(flag) event 1"])
            bench.travel(60, metres: 0)
            #expect(Self.events(&bench, client) == [] && Self.stored(bench) == 0)
            if acknowledges { bench.ask(client, .acknowledge(event: 1)) }
            let last = bench.engine.condition("home", inMonitor: 1, of: client)?.lastEvent
            #expect(last?.state == (acknowledges ? .unmonitored : .satisfied))
            bench.authorize(.always)
            #expect(Self.events(&bench, client) == [])
            bench.travel(60, metres: 0)
            #expect(Self.events(&bench, client) == ["m/home satisfied event 2"])
            #expect(Self.stored(bench) == 1)
            bench.ask(client, .acknowledge(event: 2))
            bench.travel(60, metres: 0)
            #expect(Self.events(&bench, client) == [] && Self.stored(bench) == 0)
            #expect(bench.violations == [])
        }
    }

    @Test("services that are off for everyone are told as that; the next reason replaces one that was not taken")
    func services() {
        var (bench, client) = Self.bench()
        bench.switchServices(false)
        #expect(
            Self.events(&bench, client)
                == ["m/home unmonitored authorizationDenied authorizationDeniedGlobally event 1"])
        bench.authorize(.denied)
        bench.switchServices(true)
        #expect(Self.events(&bench, client) == ["m/home unmonitored authorizationDenied event 2"])
        bench.ask(client, .acknowledge(event: 1))
        #expect(bench.engine.condition("home", inMonitor: 1, of: client)?.lastEvent.state == .satisfied)
        bench.ask(client, .acknowledge(event: 2))
        #expect(bench.engine.condition("home", inMonitor: 1, of: client)?.lastEvent.flags == .authorizationDenied)
        #expect(bench.violations == [])
    }

    @Test("it is dated when it was said, and says nothing of when the device was seen")
    func date() throws {
        var (bench, client) = Self.bench()
        bench.advance(by: 1000)
        bench.authorize(.denied)
        guard case .event(let event, _)? = bench.connections[client]?.lines.last?.line else {
            Issue.record("nothing was told")
            return
        }
        #expect(event.date == bench.wallTime)
    }

    @Test("a condition that is added, and a monitor that is opened, say at once that nothing will come")
    func atOnce() {
        var (bench, client) = Self.bench()
        bench.ask(client, .closeMonitor(monitor: 1))
        bench.authorize(.denied)
        #expect(Self.events(&bench, client) == [])
        bench.ask(client, .openMonitor(name: "m"))
        #expect(Self.events(&bench, client) == ["m/home unmonitored authorizationDenied event 1"])
        bench.ask(client, .add("work", .round(), to: 2))
        #expect(Self.events(&bench, client) == ["m/work unmonitored authorizationDenied event 2"])
        // What was taken is not told again.
        bench.ask(client, .acknowledge(event: 1))
        bench.ask(client, .acknowledge(event: 2))
        bench.ask(client, .closeMonitor(monitor: 2))
        bench.ask(client, .openMonitor(name: "m"))
        #expect(Self.events(&bench, client) == [])
        bench.authorize(.always)
        bench.travel(60, metres: 0)
        #expect(Self.events(&bench, client) == ["m/home satisfied event 3", "m/work satisfied event 4"])
        #expect(bench.violations == [])
    }

    @Test("who was away is told when it is back, over a restart of the daemon too, until it has taken it")
    func away() {
        var (bench, client) = Self.bench()
        bench.detach(client)
        bench.authorize(.denied)
        bench.attach(client)
        #expect(Self.events(&bench, client) == ["m/home unmonitored authorizationDenied event 1"])
        bench.kill()
        bench.attach(client)
        // Numbers that were reserved are not given again.
        let second = bench.pending(client)
        #expect(second > 1)
        #expect(Self.events(&bench, client) == ["m/home unmonitored authorizationDenied event \(second)"])
        bench.ask(client, .acknowledge(event: second))
        bench.kill()
        bench.attach(client)
        #expect(Self.events(&bench, client) == [])
        bench.authorize(.always)
        bench.travel(60, metres: 0)
        #expect(bench.pending(client) > second)
        #expect(Self.events(&bench, client) == ["m/home satisfied event \(bench.pending(client))"])
        #expect(bench.violations == [])
    }

    @Test("while nobody has decided, that somebody is being asked")
    func undetermined() {
        var bench = EngineBench(authorization: Authorization(status: .notDetermined))
        let client = bench.greet()
        bench.ask(client, .openMonitor(name: "m"))
        bench.ask(client, .add("home", .round()))
        #expect(Self.events(&bench, client) == ["m/home unmonitored authorizationRequestInProgress event 1"])
        bench.answer(.whileUsing)
        bench.travel(60, metres: 0)
        #expect(Self.events(&bench, client) == ["m/home satisfied event 2"])
        #expect(bench.violations == [])
    }
}
