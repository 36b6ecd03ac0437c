// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import GPSDSource

@Suite("The satellites that are kept")
struct KeptSkyTests {
    private static let start = BootInstant(nanoseconds: 1_000_000_000_000)
    private static func second(_ seconds: Double) -> BootInstant { start + .seconds(seconds) }
    private static let one = ReceiverID(rawValue: 0)
    private static let other = ReceiverID(rawValue: 1)

    @Test func `nothing is kept until somebody asks, and again when nobody has asked for a while`() {
        let sky = Sky()
        #expect(!sky.isWanted(at: Self.second(0)))
        #expect(sky.ask(about: nil, at: Self.second(1)) == nil)
        #expect(sky.isWanted(at: Self.second(15.9)))
        sky.note([Satellite(.gps, 5)], of: Self.one, at: Self.second(15.9))
        #expect(!sky.isWanted(at: Self.second(16)))
        #expect(sky.ask(about: nil, at: Self.second(16)) == nil)
    }

    @Test func `an epoch takes the place of the one before, of its own receiver`() {
        let sky = Sky()
        _ = sky.ask(about: nil, at: Self.second(0))
        sky.note([Satellite(.gps, 5), Satellite(.gps, 6)], of: Self.one, at: Self.second(1))
        sky.note([Satellite(.galileo, 7)], of: Self.other, at: Self.second(1))
        sky.note([Satellite(.gps, 5)], of: Self.one, at: Self.second(2))
        #expect(sky.ask(about: Self.one, at: Self.second(2))?.satellites.map(\.number) == [5])
        #expect(sky.ask(about: Self.other, at: Self.second(2))?.satellites.map(\.number) == [7])
        #expect(sky.ask(about: nil, at: Self.second(2))?.receiver == Self.one)
    }

    @Test func `a sky that is old is not told, however often somebody asks`() {
        let sky = Sky()
        _ = sky.ask(about: nil, at: Self.second(0))
        sky.note([Satellite(.gps, 5)], of: Self.one, at: Self.second(1))
        #expect(sky.ask(about: nil, at: Self.second(10)) != nil)
        #expect(sky.ask(about: nil, at: Self.second(16.1)) == nil)
    }

    private static let line = #"""
        {"class":"SKY","device":"/dev/r","hdop":1,"satellites":[\#
        {"PRN":5,"gnssid":0,"svid":5,"el":41.0,"az":290.0,"ss":38.0,"used":true},\#
        {"PRN":312,"gnssid":2,"svid":12,"el":10.0,"az":360.0,"ss":0.0,"used":false},\#
        {"PRN":70,"el":80.0,"az":12.0,"used":true},\#
        {"PRN":120,"el":91.0,"az":400.0,"ss":-1.0,"used":false}]}
        """#

    /// A sky that tells its changes to expectations.
    private final class Sky {
        private var kept = KeptSky()

        func isWanted(at now: BootInstant) -> Bool { kept.isWanted(at: now) }
        func ask(about receiver: ReceiverID?, at now: BootInstant) -> KeptSky.Heard? {
            kept.ask(about: receiver, at: now)
        }
        func note(_ satellites: [Satellite], of receiver: ReceiverID, at now: BootInstant) {
            kept.note(satellites, of: receiver, at: now)
        }
    }

    private func satellites(in line: [UInt8]) -> [Satellite] {
        let decoder = GPSDDecoder()
        return line.withUnsafeBytes { decoder.satellites(in: $0) }
    }

    @Test func `satellites have their system and their number there, and nothing that is out of range`() {
        #expect(
            satellites(in: Array(Self.line.utf8)) == [
                Satellite(.gps, 5, elevation: 41, azimuth: 290, signal: 38, used: true),
                Satellite(.galileo, 12, elevation: 10, azimuth: 0, signal: 0),
                Satellite(.glonass, 6, elevation: 80, azimuth: 12, used: true),
                Satellite(.sbas, 120),
            ])
    }

    @Test func `of more satellites than libgps can hold some are told, and nothing is lost of the line`() {
        let entries = (0..<300).map { #"{"PRN":\#($0 % 32 + 1),"el":40.0,"az":90.0,"ss":30.0,"used":true}"# }
        let line = Array(#"{"class":"SKY","device":"/dev/r","satellites":[\#(entries.joined(separator: ","))]}"#.utf8)
        #expect(satellites(in: line).count <= 140)
        guard case .sky(let report)? = GPSDDecoder().decode(line) else {
            Issue.record("the line is no SKY")
            return
        }
        #expect(report.satellitesSeen == 300)
    }
}
