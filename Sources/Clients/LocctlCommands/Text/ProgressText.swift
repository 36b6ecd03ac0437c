// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// The last line of a terminal while a command waits for a location.
package enum ProgressText {
    /// One line of at most `width` columns after waiting `seconds`.
    package static func line(
        _ status: Status, waited seconds: Double, now: WallTime, _ calendar: LocalCalendar, width: Int = 80
    ) -> String {
        let whole = seconds < 60 ? "\(Int(max(0, seconds))) s" : Quantities.time(seconds)
        let end = ", \(whole)"
        return shortened("waiting: " + reason(status, now: now, calendar), to: width - 1 - end.count) + end
    }

    private static func reason(_ status: Status, now: WallTime, _ calendar: LocalCalendar) -> String {
        let explanation = Explanation.device(status, now: now, calendar)
        if explanation.cause == .gpsdNotConnected, let error = status.gpsd.lastError { return error }
        guard let receiver = Explanation.bestReceiver(status.receivers ?? []), !receiver.lost,
            [.noFix, .nothing].contains(explanation.cause)
        else { return explanation.reason }
        let fix = Explanation.hasFix(receiver) ? "the receiver has a fix" : "no fix yet"
        guard let seen = receiver.satellitesSeen else { return fix }
        return "\(fix), \(receiver.satellitesUsed ?? 0) of \(seen) satellites used"
    }
}
