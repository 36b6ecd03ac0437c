// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("A request, as the wire says it")
struct RequestTests {
    private static func isRefused(_ bench: EngineBench, _ client: ManagerID) -> Bool {
        guard case .reply(let reply)? = bench.connections[client]?.lines.last?.line else { return false }
        return reply.refusal == .notFound
    }

    private static func sessions(_ bench: EngineBench, _ client: ManagerID) -> [UInt32] {
        bench.engine.report(of: client, at: bench.now).sessions.map(\.number)
    }

    @Test("changes the properties that it names, and no others")
    func properties() {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .setProperties(PropertiesPatch(distanceFilter: 50, activityType: .fitness)))
        bench.ask(client, .setProperties(PropertiesPatch(desiredAccuracy: .kilometer, headingFilter: 5)))
        var expected = ManagerProperties()
        expected.distanceFilter = 50
        expected.activityType = .fitness
        expected.desiredAccuracy = .kilometer
        expected.headingFilter = 5
        #expect(bench.engine.properties(of: client) == expected)
    }

    @Test("for a location without a time looks for as long as configured", arguments: [nil, 3])
    func timeout(asked: Double?) {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .requestLocation(timeout: asked), requestTimeout: .seconds(7))
        let begin = bench.now
        bench.advance(by: 20)
        #expect(bench.moment(of: "fail 0 request request 1", to: client, after: begin) == asked ?? 7)
    }

    @Test("invalidates a session as what it is; as the other kind it is not there")
    func sessions() {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .startBackgroundActivitySession)
        bench.ask(client, .session(.whenInUse))
        for wrong in [
            .invalidateServiceSession(session: 1), .invalidateBackgroundActivitySession(session: 2),
        ] as [Request] {
            bench.ask(client, wrong)
            #expect(Self.isRefused(bench, client))
        }
        #expect(Self.sessions(bench, client) == [1, 2])
        bench.ask(client, .invalidateBackgroundActivitySession(session: 1))
        bench.ask(client, .invalidateServiceSession(session: 2))
        #expect(!Self.isRefused(bench, client) && Self.sessions(bench, client).isEmpty)
    }

    @Test("names what nobody has given out, however large the number is, and is refused")
    func largeNumbers() {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .openMonitor(name: "m"))
        bench.ask(client, .add("c", .round()))
        bench.ask(client, .startLiveUpdates(.default))
        bench.ask(client, .session(.whenInUse))
        for number in [1 << 32 + 1, .max] as [UInt64] {
            for request in [
                .closeMonitor(monitor: number), .add("c", .round(), to: number),
                .removeCondition(ConditionName(monitor: number, identifier: "c")), .stopLiveUpdates(updates: number),
                .invalidateServiceSession(session: number),
            ] as [Request] {
                bench.ask(client, request)
                #expect(Self.isRefused(bench, client), "\(request)")
            }
        }
        #expect(bench.engine.monitorName(1 << 32 + 1, of: client) == nil)
        #expect(bench.violations == [])
    }

    @Test("adds a condition with the date that was said for its turn")
    func dates() {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .openMonitor(name: "m"))
        bench.advance(by: 30)
        let date = WallTime(milliseconds: 1_234_567)
        bench.handle(.dated(date))
        bench.ask(client, .add("c", .round(), assuming: .satisfied))
        #expect(
            bench.engine.condition("c", inMonitor: 1, of: client)?.lastEvent
                == ConditionEvent(state: .satisfied, date: date))
    }

    @Test("that acknowledges a notice of nobody is refused")
    func noticeOfNobody() {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .acknowledgeNotice(NoticeName(identity: "uid:1", label: nil, event: 1)))
        #expect(Self.isRefused(bench, client))
    }
}
