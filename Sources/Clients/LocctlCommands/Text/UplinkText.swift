// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// The screen of `locctl uplink`, and a sentence.
package enum UplinkText {
    /// The screen at the date `now`.
    package static func screen(_ report: UplinkReport, now: WallTime, _ calendar: LocalCalendar) -> String {
        func moment(_ milliseconds: Int64) -> String {
            calendar.moment(WallTime(milliseconds: milliseconds), now: now)
        }
        var rows = [(side(report), printable(report.broker) + link(report, moment))]
        rows.append(("sends", "\(report.mode)\(consent(report))"))
        rows.append(("waiting", waiting(report, now: now)))
        rows.append(("sent", "\(Quantities.grouped(report.sent)) locations\(acknowledged(report, moment))"))
        if report.lost > 0 { rows.append(("lost", "at most \(Quantities.counted(report.lost, "location"))")) }
        if report.leftOut > 0 {
            rows.append(("left out", "at most \(Quantities.counted(report.leftOut, "location")), since Backlog=drop"))
        }
        if let refused = report.refused, refused > 0 {
            rows.append(
                (
                    "refused",
                    "\(Quantities.counted(refused, "message")) that the server did not take while it took others"
                ))
        }
        if let error = report.lastError { rows.append(("trouble", printable(error))) }
        if !report.hasDaemon { rows.append(("locationd", "is not there")) }
        return rows.map { name, text in
            name + String(repeating: " ", count: 11 - name.count) + text + "\n"
        }.joined()
    }

    /// The sentence about the cause that keeps locations from the broker or server, or that nothing does.
    package static func sentence(_ report: UplinkReport) -> String {
        let side = side(report)
        return switch report.link {
        case .connected:
            report.waiting == 0 && report.waitingEvents == 0
                ? "The \(side) has all of it."
                : "The \(side) \(isServer(report) ? "takes messages" : "is connected"), and \(things(report)) wait for it."
        case .connecting: "It connects to the \(side), for which \(things(report)) wait."
        case .waiting:
            "The \(side) \(isServer(report) ? "takes nothing" : "is not connected"): "
                + "\(printable(report.lastError ?? "it is tried again soon")); \(things(report)) wait for it."
        case .off:
            "It does not connect to the \(side), since "
                + (report.hasDaemon ? "it may not know where the device is." : "locationd is not there.")
        }
    }

    private static func isServer(_ report: UplinkReport) -> Bool { report.carrier == "server" }

    private static func side(_ report: UplinkReport) -> String { isServer(report) ? "server" : "broker" }

    private static func things(_ report: UplinkReport) -> String {
        guard report.waitingEvents > 0 else { return locations(report) }
        let events = Quantities.counted(report.waitingEvents, "event")
        return report.waiting > 0 ? "\(locations(report)) and \(events)" : events
    }

    private static func locations(_ report: UplinkReport) -> String {
        Quantities.counted(report.waiting, "location")
    }

    private static func link(_ report: UplinkReport, _ moment: (Int64) -> String) -> String {
        switch report.link {
        case .connected where isServer(report):
            report.connectedSince.map { ", takes messages since \(moment($0))" } ?? ", nothing sent yet"
        case .waiting where isServer(report): ", takes nothing"
        case .connected: ", connected" + (report.connectedSince.map { " since \(moment($0))" } ?? "")
        case .connecting: ", connecting"
        case .waiting: ", not connected"
        case .off: ", not connected, since \(report.hasDaemon ? "nothing may be sent" : "locationd is not there")"
        }
    }

    private static func consent(_ report: UplinkReport) -> String {
        switch report.consent {
        case "none": ", and may not know where the device is: see locctl authorize"
        case "reduced": ", reduced"
        default: ""
        }
    }

    private static func waiting(_ report: UplinkReport, now: WallTime) -> String {
        let events = report.waitingEvents > 0 ? ", and \(Quantities.counted(report.waitingEvents, "event"))" : ""
        guard report.waiting > 0 else { return report.waitingEvents > 0 ? "no location\(events)" : "nothing" }
        let age = report.oldest.map { oldest in
            ", the oldest of \(Quantities.time(Double(max(0, now.milliseconds - oldest)) / 1000)) ago"
        }
        return "at most \(locations(report))\(age ?? "")\(events)"
    }

    private static func acknowledged(_ report: UplinkReport, _ moment: (Int64) -> String) -> String {
        report.lastAcknowledgement.map { ", the last acknowledgement at \(moment($0))" } ?? ""
    }
}
