// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// The ledger of a day, for its report: when the receiver was on and for whom, and how much each app was told.
struct ReceiverDay {
    /// An app's day, or the device's.
    struct Holder {
        /// As `apps` names it, or for people.
        var name: String
        /// Seconds that the receiver was on, by the stretch.
        var receiver: [WallTime: Double] = [:]
        var locations: UInt64 = 0
        var liveUpdates: UInt64 = 0
        var events: UInt64 = 0

        var seconds: Double { receiver.values.reduce(0, +) }
    }

    /// A time in which the receiver was on again and again, and the same apps needed it.
    struct Span {
        var from: WallTime
        var to: WallTime
        var seconds: Double
        var apps: [String]
    }

    private(set) var device = Holder(name: "Receiver")
    /// Those that the receiver was on for longest first.
    private(set) var apps: [Holder] = []

    init(_ entries: [LedgerPage.Entry]) {
        var holders: [String: Holder] = [:]
        for entry in entries {
            let seconds = entry.receiver ?? 0
            if entry.isDevice {
                device.receiver[entry.start, default: 0] += seconds
            } else {
                let name = entry.app.map(printable) ?? "other apps"
                var holder = holders[name] ?? Holder(name: name)
                if seconds > 0 { holder.receiver[entry.start, default: 0] += seconds }
                holder.locations += entry.locations ?? 0
                holder.liveUpdates += entry.liveUpdates ?? 0
                holder.events += entry.events ?? 0
                holders[name] = holder
            }
        }
        apps = holders.values.sorted { ($0.seconds, $1.name) > ($1.seconds, $0.name) }
    }

    /// When it was on, oldest first. Who sees no more than an app's own sees that app's.
    var spans: [Span] {
        let all = device.receiver.isEmpty ? apps.first?.receiver ?? [:] : device.receiver
        var spans: [Span] = []
        for (start, seconds) in all.sorted(by: { $0.key < $1.key }) where seconds > 0 {
            let names = apps.filter { $0.receiver[start] ?? 0 > 0 }.map(\.name)
            let end = WallTime(milliseconds: start.milliseconds + LedgerEntry.stretch.nanoseconds / 1_000_000)
            if let last = spans.last, last.to == start, last.apps == names {
                (spans[spans.count - 1].to, spans[spans.count - 1].seconds) = (end, last.seconds + seconds)
            } else {
                spans.append(Span(from: start, to: end, seconds: seconds, apps: names))
            }
        }
        return spans
    }
}
