// SPDX-License-Identifier: Apache-2.0
import CLinux
import LocationModel

/// Makes the TPV lines that a test pushes through its gpsd: one epoch each, with growing time.
struct Simulation {
    /// The path of the receiver in every line.
    static let device = "/dev/ttyFAKE0"
    /// Where the device is before it moves.
    static let home = Coordinate(latitude: 45, longitude: -30)

    /// Epochs made so far.
    private(set) var count = 0
    private let start: WallTime
    private let step: Int64
    // Milliseconds in which there was no epoch.
    private var skipped: Int64 = 0

    /// Epochs `step` milliseconds apart, of the last minutes, so that the newest is a location that can be had from a store.
    init(step: Int64 = 20) {
        start = WallTime(milliseconds: clinux_realtime_milliseconds() - 200_000)
        self.step = step
    }

    /// The next epoch comes so much later.
    mutating func skip(seconds: Int64) { skipped += seconds * 1000 }

    /// The receiver's date of epoch number `index`, counted from 0; only of those since the last skip.
    func time(of index: Int) -> String {
        var bytes: [UInt8] = []
        WallTime(milliseconds: start.milliseconds + Int64(index) * step + skipped).appendRFC3339(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The next epoch, `metres` north of home, with a radius near `accuracy`.
    ///
    /// Whole multiples of 0.19 m look like computed from a dilution; others are taken for the receiver's own estimate.
    mutating func fix(at metres: Double = 0, accuracy: Double = 5) -> String {
        let place = Simulation.home.moved(by: metres, course: 0)
        let eph = Simulation.radius(accuracy)
        defer { count += 1 }
        return
            #"{"class":"TPV","device":"\#(Simulation.device)","mode":3,"time":"\#(time(of: count))","lat":\#(place.latitude),"#
            + #""lon":\#(place.longitude),"altHAE":59.5,"altMSL":0.5,"epv":7.77,"track":0.0,"speed":1.25,"eph":\#(eph)}"#
    }

    /// The next epoch, without a position.
    mutating func noFix() -> String {
        defer { count += 1 }
        return #"{"class":"TPV","device":"\#(Simulation.device)","mode":1,"time":"\#(time(of: count))"}"#
    }

    /// What a compass says: degrees from true north.
    func attitude(heading: Double) -> String {
        #"{"class":"ATT","device":"\#(Simulation.device)","time":"\#(time(of: count))","heading":\#(heading)}"#
    }

    /// The radius that the daemon is told for a wish.
    static func radius(_ accuracy: Double) -> Double { ((accuracy / 0.19).rounded(.down) + 0.5) * 0.19 }
}
