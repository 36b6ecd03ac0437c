// SPDX-License-Identifier: Apache-2.0
import LocationServices

/// The output that a client is still to be sent, for another process that has the same log.
struct KeptOutbox: Codable {
    /// One thing that waits to be sent. Kinds are numbers, since what another process reads must not depend on how this one was built.
    private struct Item: Codable {
        static let reply = -1
        static let locations = -2

        /// `reply`, `locations`, or the number of a notification's kind.
        var kind: Int
        var stream: UInt32 = 0
        var bytes = KeptBytes()
        var run: LocationRun.Kept?
    }

    private let counts: Outbox.Counts
    private let rest: KeptBytes
    private let delivering: UInt64?
    private let items: [Item]

    init(_ outbox: Outbox) {
        counts = outbox.counts
        rest = KeptBytes(outbox.partial[outbox.partialOffset...])
        delivering = outbox.partialDelivered
        items = outbox.items.compactMap { item in
            switch item {
            case .reply(let line): return Item(kind: Item.reply, bytes: KeptBytes(line))
            case .notification(let prefix, let kind):
                let (number, stream) = KeptOutbox.number(of: kind)
                return Item(kind: number, stream: stream, bytes: KeptBytes(prefix))
            case .locations(let run): return Item(kind: Item.locations, run: run.kept)
            case .nothing: return nil
            }
        }
    }

    /// Bytes that wait; of locations, which are ranges of the log, about as many as say which.
    var size: Int { items.reduce(rest.bytes.count) { $0 + $1.bytes.bytes.count + 64 * ($1.run?.ranges.count ?? 0) } }

    /// nil: that cannot be gone on with.
    var outbox: Outbox? {
        var queued: [Outbox.Item] = []
        for item in items {
            switch item.kind {
            case Item.reply: queued.append(.reply(item.bytes.bytes))
            case Item.locations:
                guard let run = item.run.flatMap({ LocationRun($0) }) else { return nil }
                queued.append(.locations(run))
            default:
                guard let kind = KeptOutbox.kind(item.kind, item.stream) else { return nil }
                queued.append(.notification(item.bytes.bytes, kind: kind))
            }
        }
        return Outbox(counts, rest: rest.bytes, delivering: delivering, items: queued)
    }

    private static func number(of kind: NotificationKind) -> (number: Int, stream: UInt32) {
        switch kind {
        case .engineRepeats: (0, 0)
        case .kept: (1, 0)
        case .place(survives: false): (2, 0)
        case .place(survives: true): (3, 0)
        // A second later there is a newer one.
        case .element(.ranging): (0, 0)
        case .element(.heading): (4, 0)
        case .element(.liveUpdates(let stream)): (5, stream)
        }
    }

    private static func kind(_ number: Int, _ stream: UInt32) -> NotificationKind? {
        switch number {
        case 0: .engineRepeats
        case 1: .kept
        case 2: .place(survives: false)
        case 3: .place(survives: true)
        case 4: .element(.heading)
        case 5: .element(.liveUpdates(stream))
        default: nil
        }
    }
}
