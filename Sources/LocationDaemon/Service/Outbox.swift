// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationWire

/// What a manager is still to be sent, in order, and what it was sent.
///
/// Locations are ranges of the log and cost a few bytes however many they are; replies and other notifications, which cannot be made
/// again, wait as bytes. Nothing is encoded before there is room for it, and `seq` is given when a line is begun.
struct Outbox {
    enum Item {
        case reply([UInt8])
        /// A notification without its tail.
        case notification([UInt8], kind: NotificationKind)
        case locations(LocationRun)
    }

    enum Flushed {
        /// Everything is written.
        case done
        /// The channel is full.
        case full
        case broken
    }

    /// What is not begun, in order.
    private(set) var items: [Item] = []
    /// The rest of a line that was begun.
    private(set) var partial: [UInt8] = []
    private(set) var partialOffset = 0
    /// Standard delivery reaches this far when the begun line is written.
    private(set) var partialDelivered: UInt64?
    private var replyBytes = 0
    private var notificationBytes = 0
    private(set) var pendingDropped: UInt64 = 0
    private var liveBacklog = 0

    /// Notification lines begun on this connection.
    private(set) var seq: UInt64 = 0
    /// The last standard location whose line was wholly written.
    var delivered: UInt64 = 0
    /// Locations that were written, of all services.
    private(set) var deliveredCount: UInt64 = 0
    /// Locations that were dropped because the client did not read.
    private(set) var droppedCount: UInt64 = 0
    /// Lines written; a client that takes none for too long is closed.
    private(set) var linesWritten: UInt64 = 0

    /// Nothing is to be sent.
    init() {}

    /// Goes on where another process stopped: `rest` of a line that was begun, which delivers through `delivering`, then `items`.
    init(_ counts: Counts, rest: [UInt8], delivering: UInt64?, items: [Item]) {
        self.items = items
        partial = rest
        partialDelivered = delivering
        (seq, delivered, deliveredCount) = (counts.seq, counts.delivered, counts.deliveredCount)
        (droppedCount, pendingDropped) = (counts.droppedCount, counts.pendingDropped)
        for item in items {
            switch item {
            case .reply(let line): replyBytes += line.count
            case .notification(let prefix, _): notificationBytes += prefix.count
            case .locations(let run): if run.isLive { liveBacklog += run.count }
            }
        }
    }

    /// The numbers that go on with the connection.
    struct Counts: Codable {
        var seq: UInt64
        var delivered: UInt64
        var deliveredCount: UInt64
        var droppedCount: UInt64
        var pendingDropped: UInt64
    }

    var isEmpty: Bool { items.isEmpty && partial.isEmpty }
    /// Bytes of notifications that cannot be dropped and are not begun. Replies are bounded otherwise: while too much waits, no further
    /// request is carried out.
    var undroppableBytes: Int { notificationBytes }
    private var queuedBytes: Int { replyBytes + notificationBytes + partial.count - partialOffset }
    /// Locations that wait.
    var waitingLocations: Int {
        items.reduce(0) { if case .locations(let run) = $1 { $0 + run.count } else { $0 } }
    }
    /// Bytes that wait, counting locations as they will be.
    var waitingBytes: Int { items.isEmpty ? queuedBytes : queuedBytes + waitingLocations * 250 }

    mutating func reply(_ line: [UInt8]) {
        replyBytes += line.count
        items.append(.reply(line))
    }

    mutating func notify(_ prefix: [UInt8], _ kind: NotificationKind) {
        notificationBytes += prefix.count
        if case .element(let stream) = kind, let index = items.lastIndex(where: { $0.isElement(of: stream) }) {
            // Nothing special was said since, or that would stand behind it.
            if case .notification(let old, _) = items[index] { notificationBytes -= old.count }
            items.remove(at: index)
        }
        items.append(.notification(prefix, kind: kind))
    }

    /// Queues a delivery; joins it to the last item if nothing stands between. Live ones beyond `backlog` push out the oldest.
    mutating func deliver(_ delivery: Delivery, isLive: Bool, backlog: Int) {
        if let last = items.indices.last, case .locations(var run) = items[last] {
            // Taken out, so that the array's own copy is not kept alive beside the changed one.
            items[last] = .reply([])
            if run.join(delivery, isLive: isLive) {
                items[last] = .locations(run)
                if isLive { countLive(delivery, backlog) }
                return
            }
            items[last] = .locations(run)
        }
        items.append(.locations(LocationRun(delivery, isLive: isLive)))
        if isLive { countLive(delivery, backlog) }
    }

    private mutating func countLive(_ delivery: Delivery, _ backlog: Int) {
        liveBacklog += Int(delivery.last - delivery.first + 1)
        while liveBacklog > backlog, let index = items.firstIndex(where: { $0.isLiveLocations }) {
            guard case .locations(var run) = items[index] else { return }
            run.removeFirst()
            run.dropped += 1
            liveBacklog -= 1
            droppedCount += 1
            if run.isEmpty {
                pendingDropped += run.dropped
                items.remove(at: index)
            } else {
                items[index] = .locations(run)
            }
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
        items.removeAll { item in
            guard case .notification(let bytes, let kind) = item, kind.tellsPlace else { return false }
            notificationBytes -= bytes.count
            return true
        }
    }

    private mutating func removeLocations(where isMeant: (LocationRun) -> Bool) {
        items.removeAll { item in
            guard case .locations(let run) = item, isMeant(run) else { return false }
            if run.isLive { liveBacklog -= run.count }
            return true
        }
    }

    /// The connection is lost: only what nobody can make again stays for the next one, which begins to count anew.
    mutating func detach() {
        items.removeAll { item in
            switch item {
            case .reply: true
            case .notification(_, let kind): !kind.survives
            case .locations(let run): run.source == .standard
            }
        }
        replyBytes = 0
        notificationBytes = items.reduce(0) {
            if case .notification(let bytes, _) = $1 { $0 + bytes.count } else { $0 }
        }
        partial = []
        partialOffset = 0
        partialDelivered = nil
        pendingDropped = 0
        liveBacklog = 0
        seq = 0
    }

    /// What waits for the next connection, taken out so that other things can go before it.
    mutating func takeAll() -> [Item] {
        defer { items = [] }
        notificationBytes = 0
        return items
    }

    /// Queues what was taken out.
    mutating func append(_ kept: [Item]) {
        for item in kept {
            if case .notification(let bytes, _) = item { notificationBytes += bytes.count }
            items.append(item)
        }
    }

    /// Writes what the channel takes. `noting` is told at once how far standard delivery has come with each line: a process that is
    /// killed in between sends the line again.
    mutating func flush(to channel: Channel, _ encoder: LineEncoder, noting: (UInt64) -> Void) -> Flushed {
        if !partial.isEmpty {
            switch writePartial(to: channel, noting) {
            case .done: break
            case let stopped: return stopped
            }
        }
        var position = 0
        defer { items.removeSubrange(0..<position) }
        while position < items.count {
            let written = writeItem(at: position, to: channel, encoder, noting)
            if written.isConsumed { position += 1 }
            guard written.flushed == .done else { return written.flushed }
        }
        return .done
    }

    /// An item is consumed when nothing of it is left to be begun; the rest of its last line may be in `partial`.
    private mutating func writeItem(
        at position: Int, to channel: Channel, _ encoder: LineEncoder, _ noting: (UInt64) -> Void
    ) -> (flushed: Flushed, isConsumed: Bool) {
        let flushed: Flushed
        switch items[position] {
        case .locations(let run):
            return writeRun(run, at: position, to: channel, encoder, noting)
        case .reply(let line):
            flushed = write(line, delivered: nil, to: channel, noting)
            guard flushed == .done || !partial.isEmpty else { return (flushed, false) }
            replyBytes -= line.count
        case .notification(let prefix, _):
            encoder.finish(prefix, seq: seq + 1)
            flushed = write(encoder.line, delivered: nil, to: channel, noting, isNotification: true)
            guard flushed == .done || !partial.isEmpty else { return (flushed, false) }
            notificationBytes -= prefix.count
        }
        return (flushed, true)
    }

    private mutating func writeRun(
        _ queued: LocationRun, at position: Int, to channel: Channel, _ encoder: LineEncoder,
        _ noting: (UInt64) -> Void
    ) -> (flushed: Flushed, isConsumed: Bool) {
        var run = queued
        run.dropped += pendingDropped
        pendingDropped = 0
        while !run.isEmpty {
            let batch = encoder.encode(run, seq: seq + 1)
            guard batch.count > 0 else {
                // The log has lost all of it; the next locations say so.
                if run.isLive { liveBacklog -= run.count }
                pendingDropped += run.dropped + batch.missing
                droppedCount += batch.missing
                return (.done, true)
            }
            let isStream = run.source == .standard && !run.flags.contains(.cached)
            let flushed = write(
                encoder.line, delivered: isStream ? batch.last : nil, to: channel, noting, isNotification: true)
            if flushed != .done, partial.isEmpty {
                items[position] = .locations(run)
                return (flushed, false)
            }
            droppedCount += batch.missing
            let before = run.count
            run.remove(through: batch.last)
            if run.isLive { liveBacklog -= before - run.count }
            run.dropped = 0
            run.flags.remove(.gap)
            run.isBegun = true
            deliveredCount += UInt64(batch.count)
            if flushed != .done {
                items[position] = .locations(run)
                return (flushed, run.isEmpty)
            }
        }
        return (.done, true)
    }

    /// Writes a line, or its beginning, which makes it `partial`. `full` with nothing in `partial`: not a byte was taken.
    private mutating func write(
        _ line: [UInt8], delivered: UInt64?, to channel: Channel, _ noting: (UInt64) -> Void,
        isNotification: Bool = false
    ) -> Flushed {
        let written = line.withUnsafeBytes { channel.write($0) }
        guard case .bytes(let count) = written else { return .broken }
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

    private mutating func writePartial(to channel: Channel, _ noting: (UInt64) -> Void) -> Flushed {
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

extension Outbox.Item {
    func isElement(of stream: NotificationKind.Stream) -> Bool {
        guard case .notification(_, .element(stream)) = self else { return false }
        return true
    }

    var isLiveLocations: Bool {
        guard case .locations(let run) = self else { return false }
        return run.isLive && !run.isBegun
    }
}
