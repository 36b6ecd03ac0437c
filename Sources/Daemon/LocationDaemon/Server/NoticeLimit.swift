// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// How often the journal hears of one kind of thing: so many times a minute for each user, and of so many users. What is left out is
/// counted, and said with the next.
struct NoticeLimit {
    /// Lines of a minute about one user.
    static let perUser = 4
    /// Users of a minute.
    static let users = 16

    private struct Minute {
        var began: BootInstant
        var said = 0
        var unsaid = 0
    }

    private var minutes: [UInt32: Minute] = [:]
    /// Left out in minutes that are over, and of users that there was no room for.
    private var unsaid = 0

    /// How many were left out since the last time; nil: this one is left out, too.
    mutating func take(_ uid: UInt32, at now: BootInstant) -> Int? {
        for (other, minute) in minutes where now - minute.began >= .seconds(60) {
            unsaid += minute.unsaid
            minutes[other] = nil
        }
        guard minutes[uid] != nil || minutes.count < NoticeLimit.users else {
            unsaid += 1
            return nil
        }
        var minute = minutes[uid] ?? Minute(began: now)
        defer { minutes[uid] = minute }
        guard minute.said < NoticeLimit.perUser else {
            minute.unsaid += 1
            return nil
        }
        minute.said += 1
        defer { unsaid = 0 }
        return unsaid
    }

    /// `; 12 more like it were not written here`, or nothing.
    static func text(_ unsaid: Int) -> String { unsaid == 0 ? "" : "; \(unsaid) more like it were not written here" }
}
