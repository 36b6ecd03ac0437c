// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import LocationWire

/// What a client is still to be sent, for another process that has the same log.
struct KeptOutbox: Codable {
    private enum Item: Codable {
        case reply(Data)
        case notification(Data, kind: Int, stream: UInt32)
        case locations(LocationRun.Kept)
    }

    private let counts: Outbox.Counts
    private let rest: Data
    private let delivering: UInt64?
    private let items: [Item]

    init(_ outbox: Outbox) {
        counts = Outbox.Counts(
            seq: outbox.seq, delivered: outbox.delivered, deliveredCount: outbox.deliveredCount,
            droppedCount: outbox.droppedCount, pendingDropped: outbox.pendingDropped)
        rest = Data(outbox.partial[outbox.partialOffset...])
        delivering = outbox.partialDelivered
        items = outbox.items.map { item in
            switch item {
            case .reply(let line): return .reply(Data(line))
            case .notification(let prefix, let kind):
                let (number, stream) = KeptOutbox.number(of: kind)
                return .notification(Data(prefix), kind: number, stream: stream)
            case .locations(let run): return .locations(run.kept)
            }
        }
    }

    /// nil: that cannot be gone on with.
    var outbox: Outbox? {
        var queued: [Outbox.Item] = []
        for item in items {
            switch item {
            case .reply(let line): queued.append(.reply(Array(line)))
            case .notification(let prefix, let number, let stream):
                guard let kind = KeptOutbox.kind(number, stream) else { return nil }
                queued.append(.notification(Array(prefix), kind: kind))
            case .locations(let kept):
                guard let run = LocationRun(kept) else { return nil }
                queued.append(.locations(run))
            }
        }
        return Outbox(counts, rest: Array(rest), delivering: delivering, items: queued)
    }

    private static func number(of kind: NotificationKind) -> (number: Int, stream: UInt32) {
        switch kind {
        case .engineRepeats: (0, 0)
        case .kept: (1, 0)
        case .place(survives: false): (2, 0)
        case .place(survives: true): (3, 0)
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
