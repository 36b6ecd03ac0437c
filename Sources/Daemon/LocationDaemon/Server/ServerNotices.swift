// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Limits to what the journal hears of connections that are refused, closed or made to wait.
struct ServerNotices {
    var refusals = NoticeLimit()
    var closings = NoticeLimit()
    /// When it heard that requests of a user wait.
    private var toldDelays: [UInt32: BootInstant] = [:]

    /// Those among `users` of whom it is to hear now that they wait: once a minute each.
    mutating func takeDelays(_ users: [UInt32], at now: BootInstant) -> [UInt32] {
        toldDelays = toldDelays.filter { now - $0.value < .seconds(60) }
        return users.filter { uid in
            guard toldDelays[uid] == nil, toldDelays.count < NoticeLimit.users else { return false }
            toldDelays[uid] = now
            return true
        }
    }
}
