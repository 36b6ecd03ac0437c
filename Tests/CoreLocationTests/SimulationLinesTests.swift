// SPDX-License-Identifier: Apache-2.0
import CoreLocationSimulation
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Synchronization
import Testing

@Suite("Lines of a simulated daemon")
struct SimulationLinesTests {
    @Test("A connection is opened, greeted and told where it stands")
    func hello() async throws {
        let simulation = CLSimulation(authorization: .authorizedWhenInUse)
        let client = await simulation.run { LineClient() }
        client.send(.hello(HelloParameters(app: "hike")))
        await simulation.settle()
        #expect(client.methods == ["hello", "didChangeAuthorization"])
        #expect(client.lines.last?.contains(#""seq":1}}"#) == true)
    }

    @Test("Each location is a line, counted from 1, with the date of its fix")
    func locations() async throws {
        let simulation = CLSimulation(startingAt: .testsBegin, authorization: .authorizedAlways)
        let client = await simulation.run { LineClient() }
        client.send(.hello(HelloParameters(app: nil)), .asked(.startUpdatingLocation(resumeAfter: nil)))
        await simulation.settle()
        #expect(simulation.isReceiverOn)
        #expect(await simulation.feed(latitude: 47.5, longitude: 11.5))
        #expect(await simulation.feed(latitude: 47.5, longitude: 11.6))
        let locations = client.lines.filter { $0.contains("didUpdateLocations") }
        #expect(locations.count == 2)
        #expect(locations.last?.contains("2025-06-15T15:06:42") == true, "\(locations)")
    }

    @Test("A request that nobody knows is refused, and the connection goes on")
    func refusal() async throws {
        let simulation = CLSimulation(startingAt: .testsBegin, authorization: .authorizedAlways)
        let client = await simulation.run { LineClient() }
        client.send(.hello(HelloParameters(app: nil)), .asked(.stopLiveUpdates(updates: 7)), .apps, .getProperties)
        await simulation.settle()
        #expect(client.lines.filter { $0.contains(#""error":"#) }.count == 2)
        #expect(client.lines.last?.contains("distanceFilter") == true)
    }

    @Test("The same test has the same log, to the byte")
    func sameLog() async throws {
        var logs: [[CLSimulation.LogEntry]] = []
        for _ in 0..<2 {
            let simulation = CLSimulation(startingAt: .testsBegin, authorization: .authorizedAlways)
            let client = await simulation.run { LineClient() }
            client.send(.hello(HelloParameters(app: nil)), .asked(.startUpdatingLocation(resumeAfter: nil)))
            await simulation.move(along: [place(0), place(0.001), place(0.002)], speed: 20)
            await simulation.advance(by: 60)
            logs.append(simulation.log)
        }
        #expect(logs[0].count > 10)
        #expect(logs[0] == logs[1])
    }
}

/// A connection without a session.
private final class LineClient: Sendable {
    private final class Heard: Sendable { let lines = Mutex<[String]>([]) }

    private let heard = Heard()
    private let connection: any TransportConnection
    private let lastID = Atomic<Int64>(0)

    init() {
        connection = CoreLocationBackend.transport.open(on: LocationSession.queue) { [heard] event in
            if case .line(let bytes) = event {
                heard.lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            }
        }
    }

    var lines: [String] { heard.lines.withLock { $0 } }

    /// `hello` for its reply, and the methods of notifications.
    var methods: [String] {
        lines.map { line in
            if line.contains(#""rejoined":"#) { return "hello" }
            guard let start = line.firstRange(of: #""method":""#)?.upperBound else { return "reply" }
            return String(line[start...].prefix { $0 != "\"" })
        }
    }

    func send(_ calls: Call...) {
        for call in calls {
            let id = RequestID.integer(lastID.add(1, ordering: .relaxed).newValue)
            LocationSession.queue.async { [connection] in connection.send(call, as: id) }
        }
    }
}
