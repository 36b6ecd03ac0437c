// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import LocationModel
import Testing

/// Plays reports to a gatherer at given milliseconds and serves the gatherer's timers in between.
struct EpochPlayer {
    var gatherer = EpochGatherer()
    var published: [(milliseconds: Int64, fix: Fix)] = []

    static let day = WallTime(year: 2026, month: 11, day: 21)

    static func report(_ members: String, receiver: Int32 = 0) -> TPVReport {
        var report = TPVReport(receiver: ReceiverID(rawValue: receiver), mode: 3)
        report.latitude = 10
        report.longitude = 20
        report.eph = 19
        for member in members.split(separator: " ") {
            let pair = member.split(separator: "=")
            let value = pair.count == 2 ? Double(pair[1]) : nil
            switch pair[0] {
            case "t": report.time = value.map { WallTime(milliseconds: day.milliseconds + Int64($0 * 1000)) }
            case "mode": report.mode = Int8(value ?? 0)
            case "status": report.status = FixStatus(rawValue: Int8(value ?? 0))
            case "lat": report.latitude = value
            case "alt": report.altMSL = value
            case "hae": report.altHAE = value
            case "speed": report.speed = value
            case "track": report.track = value
            case "eph": report.eph = value
            case "eps": report.eps = value
            case "epd": report.epd = value
            case "noposition":
                report.latitude = nil
                report.longitude = nil
            default: Issue.record("unknown member \(member)")
            }
        }
        return report
    }

    mutating func play(_ report: GPSDReport, at milliseconds: Int64) {
        serveTimers(until: milliseconds)
        let now = BootInstant(nanoseconds: milliseconds * 1_000_000)
        var fixes: [Fix] = []
        let host = WallTime(milliseconds: Self.day.milliseconds + 5_000_000 + milliseconds)
        gatherer.receive(report, at: now, hostTime: host, into: &fixes)
        for fix in fixes { published.append((milliseconds, fix)) }
    }

    mutating func tpv(_ members: String, at milliseconds: Int64, receiver: Int32 = 0) {
        play(.tpv(Self.report(members, receiver: receiver)), at: milliseconds)
    }

    /// For each second, a report with its time as many milliseconds later as each of `delays` says.
    mutating func seconds(_ seconds: some Sequence<Int>, after delays: [Int64] = [0]) {
        for second in seconds {
            for delay in delays { tpv("t=\(second)", at: Int64(second) * 1000 + delay) }
        }
    }

    mutating func gst(_ seconds: Double?, at milliseconds: Int64) {
        var report = GSTReport(receiver: ReceiverID(rawValue: 0))
        report.time = seconds.map { WallTime(milliseconds: Self.day.milliseconds + Int64($0 * 1000)) }
        report.latitudeError = 3
        report.longitudeError = 4
        play(.gst(report), at: milliseconds)
    }

    mutating func serveTimers(until milliseconds: Int64) {
        while let deadline = gatherer.nextDeadline, deadline.nanoseconds <= milliseconds * 1_000_000 {
            var fixes: [Fix] = []
            gatherer.expire(at: deadline, into: &fixes)
            for fix in fixes { published.append((deadline.nanoseconds / 1_000_000, fix)) }
        }
    }

    /// `seconds of the epoch@milliseconds of its publication`, `-` for an epoch without time.
    var summary: String {
        published.map { published in
            let seconds = Double(published.fix.location.timestamp.milliseconds - Self.day.milliseconds) / 1000
            return "\(published.fix.hasReceiverTime ? "\(seconds)" : "-")@\(published.milliseconds)"
        }.joined(separator: " ")
    }
}
