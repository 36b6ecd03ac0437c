// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import GPSDSource

@Suite("A receiver without a fix")
struct NoFixTests {
    private let bench = ConnectionBench.subscribed()

    /// A SKY with satellites of these signals; nil: the receiver says nothing of it.
    private static func sky(_ signals: Double?..., by path: String = "/dev/a") -> String {
        let entries = signals.enumerated().map { number, signal in
            let heard = signal.map { #","ss":\#($0)"# } ?? ""
            return #"{"PRN":\#(number + 1),"el":40.0,"az":90.0\#(heard),"used":false}"#
        }
        return #"{"class":"SKY","device":"\#(path)","satellites":[\#(entries.joined(separator: ","))]}"#
    }

    /// The reports about fixes since the last call.
    private func reports() -> [String] { bench.said().filter { $0.contains("fix") } }

    @Test func `tells how many satellites it heard at once, and not those that it only knows of`() {
        bench.tpv(mode: 1)
        bench.receive(Self.sky(0, nil, 0.0, 0))
        bench.tpv(mode: 1)
        bench.receive(Self.sky(19.5, 24, 0, nil, 31))
        bench.tpv(mode: 0)
        #expect(reports() == ["no fix, 0 heard", "no fix, 0 heard", "no fix, 3 heard"])
    }

    // Some receivers list the satellites of each system in a line of its own.
    @Test func `tells the most that one line had`() {
        bench.receive(Self.sky(25, 21, 21, 19), Self.sky(0, 0), #"{"class":"SKY","device":"/dev/a","nSat":0}"#)
        bench.tpv(mode: 1)
        bench.receive(Self.sky(25, by: "/dev/b"))
        bench.tpv("/dev/b", mode: 1)
        #expect(reports() == ["no fix, 4 heard", "no fix, 4 heard"])
    }

    @Test func `counts anew after a fix, and when fixes are wanted again`() {
        bench.receive(Self.sky(25, 21, 21, 19))
        bench.tpv()
        bench.receive(Self.sky(25, 21, 21, 19))
        bench.tpv(mode: 1)
        bench.receive(Self.sky(25, 21, 21))
        bench.tpv(mode: 1)
        #expect(reports() == ["fix", "no fix, 0 heard", "no fix, 3 heard"])
        bench.want(false)
        bench.tpv(mode: 1)
        bench.want(true)
        bench.receive(ConnectionBench.confirmation)
        bench.tpv(mode: 1)
        #expect(reports() == ["no fix, 0 heard"])
    }
}
