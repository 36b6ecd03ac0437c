// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

/// Lines and locations that a manager is still to be sent, in order, and counts of those that it was sent.
///
/// Locations are ranges of the log and cost a few bytes however many they are; replies and other notifications, which cannot be made
/// again, wait as bytes. Nothing is encoded before there is room for it, and `seq` is given when a line is begun.
package struct Outbox {
    package enum Item {
        case reply([UInt8])
        /// A notification without its tail.
        case notification([UInt8], kind: NotificationKind)
        case locations(LocationRun)
        /// It was taken.
        case nothing
    }

    package enum Flushed {
        /// Everything is written.
        case done
        /// The channel is full.
        case full
        case broken
    }

    /// Items that are not begun.
    private var queue = OutboxQueue()
    /// The rest of a line that was begun.
    package private(set) var partial: [UInt8] = []
    package private(set) var partialOffset = 0
    /// Standard delivery reaches this far when the begun line is written.
    package private(set) var partialDelivered: UInt64?
    package private(set) var pendingDropped: UInt64 = 0

    /// Notification lines begun on this connection.
    package private(set) var seq: UInt64 = 0
    /// The last standard location whose line was wholly written.
    package var delivered: UInt64 = 0
    /// Locations that were written, of all services.
    package private(set) var deliveredCount: UInt64 = 0
    /// Locations that were dropped because the client did not read.
    package private(set) var droppedCount: UInt64 = 0
    /// Lines written; a client that takes none for too long is closed.
    package private(set) var linesWritten: UInt64 = 0

    /// Nothing is to be sent.
    init() {}

    /// Goes on where another process stopped: `rest` of a line that was begun, which delivers through `delivering`, then `items`.
    package init(_ counts: Counts, rest: [UInt8], delivering: UInt64?, items: [Item]) {
        queue = OutboxQueue(items)
        partial = rest
        partialDelivered = delivering
        (seq, delivered, deliveredCount) = (counts.seq, counts.delivered, counts.deliveredCount)
        (droppedCount, pendingDropped) = (counts.droppedCount, counts.pendingDropped)
    }

    /// The numbers that go on with the connection.
    package struct Counts: Codable {
        package var seq: UInt64
        package var delivered: UInt64
        package var deliveredCount: UInt64
        package var droppedCount: UInt64
        package var pendingDropped: UInt64
    }

    /// The numbers to go on with.
    package var counts: Counts {
        Counts(
            seq: seq, delivered: delivered, deliveredCount: deliveredCount, droppedCount: droppedCount,
            pendingDropped: pendingDropped)
    }

    package var isEmpty: Bool { queue.isEmpty && partial.isEmpty }
    /// The channel took the beginning of a line.
    var isBegun: Bool { !partial.isEmpty }
    /// Nothing waits, nor a number of locations that were lost.
    var hasNothingToTell: Bool { isEmpty && pendingDropped == 0 }
    /// Items that are not begun, in order.
    package var items: ArraySlice<Item> { queue.items }
    /// Bytes of notifications that cannot be dropped and are not begun. Replies are bounded otherwise: while too much waits, no further
    /// request is carried out.
    package var undroppableBytes: Int { queue.notificationBytes }
    /// Locations that wait.
    var waitingLocations: Int { queue.locations }
    /// Bytes that wait, counting locations as they will be.
    package var waitingBytes: Int {
        queue.replyBytes + queue.notificationBytes + partial.count - partialOffset + queue.locations * 250
    }

    package mutating func reply(_ line: [UInt8]) { queue.append(.reply(line)) }

    package mutating func notify(_ prefix: [UInt8], _ kind: NotificationKind) {
        // Nothing special was said since, or that would stand behind it.
        if case .element(let stream) = kind {
            queue.replace(stream, with: .notification(prefix, kind: kind))
        } else {
            queue.append(.notification(prefix, kind: kind))
        }
    }

    /// Queues a delivery; joins it to the last item if nothing stands between. Live ones beyond `backlog` push out the oldest.
    mutating func deliver(_ delivery: Delivery, isLive: Bool, backlog: Int) {
        // Only these are bounded by the backlog: a deferral's batch is bounded by the log, the others are few.
        let isLive = isLive && delivery.isStream
        let run = LocationRun(delivery, isLive: isLive)
        if !queue.join(run) { queue.append(.locations(run)) }
        guard isLive else { return }
        while queue.liveLocations > backlog, let lost = queue.dropOldestLive() {
            droppedCount += 1
            pendingDropped += lost
        }
    }

    /// Forgets queued standard locations that are not begun, those of a finished deferral excepted.
    mutating func rewindStandard(to sequence: UInt64) {
        delivered = sequence
        removeLocations { $0.source == .standard && $0.deferral == 0 && $0.request == 0 }
    }

    /// Forgets all queued locations, and whatever else tells where the device is.
    mutating func discardPlaces() {
        removeLocations { _ in true }
        queue.removeAll { item in
            guard case .notification(_, let kind) = item else { return false }
            return kind.tellsPlace
        }
    }

    private mutating func removeLocations(where isMeant: (LocationRun) -> Bool) {
        queue.removeAll { item in
            guard case .locations(let run) = item else { return false }
            return isMeant(run)
        }
    }

    /// The connection is lost: only what nobody can make again stays for the next one, which begins to count anew.
    mutating func detach() {
        queue.removeAll { item in
            switch item {
            case .reply, .nothing: true
            case .notification(_, let kind): !kind.survives
            case .locations(let run): run.source == .standard
            }
        }
        partial = []
        partialOffset = 0
        partialDelivered = nil
        pendingDropped = 0
        seq = 0
    }

    /// Takes out the items that wait for the next connection, so that other things can go before them.
    mutating func takeAll() -> [Item] { queue.takeAll() }

    /// Queues what was taken out.
    mutating func append(_ kept: [Item]) {
        for item in kept { queue.append(item) }
    }

    /// Writes a live location past the queue, where there is nothing to tell. It is counted as delivered when its line is begun, and is else still to be queued.
    mutating func writeAtOnce(
        _ delivery: Delivery, to channel: any Channel, _ line: inout SharedLine, noting: (UInt64) -> Void
    ) -> Flushed {
        let flushed = write(
            line.numbered(seq + 1), delivered: delivery.last, to: channel, noting, isNotification: true)
        if flushed == .done || isBegun { deliveredCount += 1 }
        return flushed
    }

    /// Writes what the channel takes. `noting` is told at once how far standard delivery has come with each line: a process that is
    /// killed in between sends the line again.
    mutating func flush(to channel: any Channel, _ encoder: LineEncoder, noting: (UInt64) -> Void) -> Flushed {
        if !partial.isEmpty {
            switch writePartial(to: channel, noting) {
            case .done: break
            case let stopped: return stopped
            }
        }
        while let item = queue.takeFirst() {
            let flushed = write(item, to: channel, encoder, noting)
            guard flushed == .done else { return flushed }
        }
        return .done
    }

    /// Writes an item. What is not begun of it goes back to its place; the rest of its last line may be in `partial`.
    private mutating func write(
        _ item: consuming Item, to channel: any Channel, _ encoder: LineEncoder, _ noting: (UInt64) -> Void
    ) -> Flushed {
        let flushed: Flushed
        switch item {
        case .nothing: return .done
        case .locations(let run): return write(run, to: channel, encoder, noting)
        case .reply(let line): flushed = write(line, delivered: nil, to: channel, noting)
        case .notification(let prefix, _):
            encoder.finish(prefix, seq: seq + 1)
            flushed = write(encoder.line, delivered: nil, to: channel, noting, isNotification: true)
        }
        if flushed != .done, partial.isEmpty { queue.putBack(item) }
        return flushed
    }

    private mutating func write(
        _ run: consuming LocationRun, to channel: any Channel, _ encoder: LineEncoder, _ noting: (UInt64) -> Void
    ) -> Flushed {
        run.dropped += pendingDropped
        pendingDropped = 0
        while !run.isEmpty {
            let batch = encoder.encode(run, seq: seq + 1)
            guard batch.count > 0 else {
                // The log has lost all of it; the next locations say so.
                pendingDropped += run.dropped + batch.missing
                droppedCount += batch.missing
                return .done
            }
            let isStream = run.source == .standard && !run.flags.contains(.cached)
            let flushed = write(
                encoder.line, delivered: isStream ? batch.last : nil, to: channel, noting, isNotification: true)
            if flushed != .done, partial.isEmpty {
                queue.putBack(.locations(run))
                return flushed
            }
            droppedCount += batch.missing
            run.remove(through: batch.last)
            run.dropped = 0
            run.flags.remove(.gap)
            run.isBegun = true
            deliveredCount += UInt64(batch.count)
            guard flushed == .done else {
                if !run.isEmpty { queue.putBack(.locations(run)) }
                return flushed
            }
        }
        return .done
    }

    private mutating func write(
        _ line: [UInt8], delivered: UInt64?, to channel: any Channel, _ noting: (UInt64) -> Void,
        isNotification: Bool = false
    ) -> Flushed {
        line.withUnsafeBytes {
            write($0, delivered: delivered, to: channel, noting, isNotification: isNotification)
        }
    }

    /// Writes a line, or its beginning, which makes it `partial`. `full` with nothing in `partial`: not a byte was taken.
    private mutating func write(
        _ line: UnsafeRawBufferPointer, delivered: UInt64?, to channel: any Channel, _ noting: (UInt64) -> Void,
        isNotification: Bool
    ) -> Flushed {
        guard case .bytes(let count) = channel.write(line) else { return .broken }
        guard count > 0 || line.isEmpty else { return .full }
        if isNotification { seq += 1 }
        guard count < line.count else {
            noteLine(delivered, noting)
            return .done
        }
        partial = Array(line[count...])
        partialOffset = 0
        partialDelivered = delivered
        return .full
    }

    private mutating func writePartial(to channel: any Channel, _ noting: (UInt64) -> Void) -> Flushed {
        let written = partial.withUnsafeBytes { channel.write(UnsafeRawBufferPointer(rebasing: $0[partialOffset...])) }
        guard case .bytes(let count) = written else { return .broken }
        partialOffset += count
        guard partialOffset == partial.count else { return .full }
        partial = []
        partialOffset = 0
        noteLine(partialDelivered, noting)
        partialDelivered = nil
        return .done
    }

    private mutating func noteLine(_ delivered: UInt64?, _ noting: (UInt64) -> Void) {
        linesWritten += 1
        guard let delivered, delivered > self.delivered else { return }
        self.delivered = delivered
        noting(delivered)
    }
}
