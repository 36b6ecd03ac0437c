// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import GPSDSource

@Suite("The satellites that are kept")
struct KeptSkyTests {
    private let bench = ConnectionBench.subscribed()

    private static func sky(_ numbers: Int..., by path: String = "/dev/a", used: Int = 1) -> String {
        let entries = numbers.enumerated().map { #"{"PRN":\#($1),"gnssid":0,"svid":\#($1),"used":\#($0 < used)}"# }
        return #"{"class":"SKY","device":"\#(path)","hdop":1,"satellites":[\#(entries.joined(separator: ","))]}"#
    }

    private func told(by number: Int32? = nil) -> [Int]? {
        bench.machine.satellites(of: number.map { ReceiverID(rawValue: $0) }, at: bench.now)?.satellites.map(\.number)
    }

    @Test func `an epoch takes the place of the one before, of its own receiver`() {
        #expect(told() == nil)
        bench.receive(Self.sky(5, 6), Self.sky(7, 8, 9, by: "/dev/b"))
        bench.pass(1)
        bench.receive(Self.sky(5, 12, 25, 31, used: 2))
        #expect(told(by: 0) == [5, 12, 25, 31] && told(by: 1) == [7, 8, 9])
        #expect(told() == [5, 12, 25, 31])
        #expect(bench.machine.receivers.map(\.satellitesSeen) == [4, 3])
        #expect(bench.machine.receivers.map(\.satellitesUsed) == [2, 1])
    }

    @Test func `a SKY without satellites leaves those that were told before`() {
        bench.receive(Self.sky(5, 6), #"{"class":"SKY","device":"/dev/a","hdop":1.5}"#, Self.sky())
        #expect(told() == [5, 6])
        #expect(bench.machine.receivers.map(\.satellitesSeen) == [2])
    }

    @Test func `a sky that is old is not told, nor one of a receiver that is off`() {
        bench.receive(Self.sky(5))
        bench.now = bench.now + .seconds(15)
        #expect(told() == [5])
        bench.now = bench.now + .seconds(0.1)
        #expect(told() == nil)
        bench.receive(Self.sky(6))
        bench.want(false)
        #expect(told() == nil)
        bench.receive(Self.sky(7))
        bench.want(true)
        #expect(told() == [6])
        bench.closed()
        #expect(told() == nil)
    }

    private static let line = #"""
        {"class":"SKY","device":"/dev/r","hdop":1,"satellites":[\#
        {"PRN":5,"gnssid":0,"svid":5,"el":41.0,"az":290.0,"ss":38.0,"used":true},\#
        {"PRN":312,"gnssid":2,"svid":12,"el":10.0,"az":360.0,"ss":0.0,"used":false},\#
        {"PRN":70,"el":80.0,"az":12.0,"used":true},\#
        {"PRN":120,"el":91.0,"az":400.0,"ss":-1.0,"used":false}]}
        """#

    @Test func `satellites have their system and their number there, and nothing that is out of range`() {
        #expect(
            GPSDDecoder().satellites(in: Array(Self.line.utf8)) == [
                Satellite(.gps, 5, elevation: 41, azimuth: 290, signal: 38, used: true),
                Satellite(.galileo, 12, elevation: 10, azimuth: 0, signal: 0),
                Satellite(.glonass, 6, elevation: 80, azimuth: 12, used: true),
                Satellite(.sbas, 120),
            ])
    }

    @Test func `blanks in the line hide none of them`() {
        let line = Self.line.replacing(":", with: ": ").replacing(",", with: " , ")
        #expect(GPSDDecoder().satellites(in: Array(line.utf8)) == GPSDDecoder().satellites(in: Array(Self.line.utf8)))
        bench.receive(line)
        #expect(told() == [5, 12, 6, 120])
        #expect(bench.machine.receivers.map(\.satellitesUsed) == [2])
    }

    @Test func `of more satellites than libgps can hold some are told, and all are counted`() {
        let entries = (0..<300).map { #"{"PRN":\#($0 % 32 + 1),"el":40.0,"az":90.0,"ss":30.0,"used":\#($0 % 2 == 0)}"# }
        let line = Array(#"{"class":"SKY","device":"/dev/r","satellites":[\#(entries.joined(separator: ","))]}"#.utf8)
        #expect((1...140).contains(GPSDDecoder().satellites(in: line).count))
        let count = line.withUnsafeBytes { GPSDDecoder().countSatellites(in: $0) }
        #expect(count == SatelliteCount(seen: 300, heard: 300, used: 150))
    }

    @Test func `a list that is broken counts for nothing`() {
        let line = #"{"class":"SKY","device":"/dev/a","hdop":1.5,"satellites":[{"PRN":5,"used":true},{"PRN"]}"#
        bench.receive(line)
        #expect(bench.machine.receivers.map(\.satellitesSeen) == [nil])
        #expect(told() == [])
    }
}
