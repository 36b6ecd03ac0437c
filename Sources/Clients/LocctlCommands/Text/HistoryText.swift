// SPDX-License-Identifier: Apache-2.0
import LocationModel
package import LocationProtocol

/// Text about the history, for people.
enum HistoryText {
    /// The row of `locctl status`.
    static func row(_ history: HistoryStatus, now: WallTime, _ calendar: LocalCalendar) -> String {
        var parts = ["\(Quantities.grouped(history.fixes)) fixes"]
        if let oldest = history.oldest { parts[0] += " since \(calendar.moment(oldest, now: now))" }
        if history.events > 0 { parts.append(Quantities.counted(Int(clamping: history.events), "event")) }
        parts.append(Quantities.bytes(history.bytes))
        if history.waiting > 0 { parts.append("\(Quantities.grouped(history.waiting)) wait to be written") }
        if history.lost > 0 { parts.append("\(Quantities.grouped(history.lost)) lost") }
        if history.damage != nil { parts.append("damaged, see locctl why") }
        parts.append(
            history.problem == nil
                ? "kept for \(Quantities.counted(history.keepDays, "day"))" : "nothing is kept now, see locctl why")
        return parts.joined(separator: ", ")
    }
}

extension Explanation {
    /// Returns why locations are not kept, or that some cannot be read; nil: all is well, or none are to be kept.
    package static func history(_ status: Status) -> Explanation? {
        guard let history = status.history else { return nil }
        guard let problem = history.problem else {
            return history.damage.map { Explanation(.historyDamaged, printable($0)) }
        }
        let counts = [(history.lost, "fixes"), (history.lostEvents ?? 0, "events")].filter { $0.0 > 0 }
            .map { "\(Quantities.grouped($0.0)) \($0.1)" }
        let lost = counts.isEmpty ? "" : "; \(counts.joined(separator: " and ")) are lost"
        return Explanation(.historyNotKept, printable(problem) + lost)
    }
}
