// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

/// Makes the lines that are written. A live location's line is made once: all clients share all of it but the tail with `seq`.
final class LineEncoder {
    /// How far a notification got.
    struct Batch {
        /// Locations in the line; 0: there is no line.
        var count = 0
        /// The last of them.
        var last: UInt64 = 0
        /// Locations that the log has lost before they could be written.
        var missing: UInt64 = 0
    }

    /// The line that was made last, whole; after `makeShared` only the part that all share.
    private(set) var line: [UInt8] = []
    /// How many lines were made.
    private(set) var linesMade: UInt64 = 0
    private let log: any LocationLog
    /// A location that a former run left, and that the log does not hold.
    var stored: Location?
    private var batch = LocationBatch()

    // The bytes of `line` up to `sharedLength` are good for every client that is owed the same single location.
    private var shared: Delivery?
    private var sharedLength = 0

    init(log: any LocationLog) {
        self.log = log
        line.reserveCapacity(NotificationWriter.maximumLineLength)
    }

    /// Completes a notification.
    func finish(_ prefix: [UInt8], seq: UInt64) {
        shared = nil
        line.removeAll(keepingCapacity: true)
        line.append(contentsOf: prefix)
        NotificationWriter.appendTail(seq, to: &line)
        linesMade += 1
    }

    /// Makes `line` from the beginning of a run: as many locations as a notification holds.
    func encode(_ run: LocationRun, seq: UInt64) -> Batch {
        guard run.isShared else { return encodeBatch(run, seq) }
        let alone = Delivery(first: run.first, last: run.first, source: run.source, flags: run.flags)
        guard makeShared(alone) else { return Batch(missing: 1) }
        line.removeLast(line.count - sharedLength)
        NotificationWriter.appendTail(seq, to: &line)
        linesMade += 1
        return Batch(count: 1, last: run.first)
    }

    /// Lends the line that `makeShared` made to `body`, for so many clients.
    func lendShared(to count: Int, _ body: (inout SharedLine) -> Void) {
        linesMade += UInt64(count)
        let room = sharedLength + NotificationWriter.roomForTail
        withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { bytes in
            bytes.copyBytes(from: line.prefix(sharedLength))
            var shared = SharedLine(bytes: bytes, prefixLength: sharedLength)
            body(&shared)
        }
    }

    /// Makes the part of `line` that all clients share who are owed this one live location. False: the log has lost it.
    func makeShared(_ delivery: Delivery) -> Bool {
        if let shared, shared.first == delivery.first, shared.source == delivery.source,
            shared.flags == delivery.flags
        {
            return true
        }
        let isReduced = delivery.flags.contains(.reduced)
        guard let location = location(delivery.first, isReduced: isReduced) else { return false }
        batch.begin(UpdateAttributes(source: delivery.source))
        _ = batch.append(location)
        line.removeAll(keepingCapacity: true)
        line.append(contentsOf: batch.finish(more: false))
        (sharedLength, shared) = (line.count, delivery)
        return true
    }

    private func encodeBatch(_ run: LocationRun, _ seq: UInt64) -> Batch {
        var result = Batch()
        let isReduced = run.flags.contains(.reduced)
        // The line that follows locations which the log has lost says how many those are.
        if run.source == .standard, log.oldest > run.first, run.first != stored?.sequence {
            result.missing = UInt64(lost(run, before: log.oldest))
        }
        begin(run, dropped: run.dropped + result.missing)
        var isFull = false
        run.forEachRange { range in
            var sequence = max(range.first, 1) - 1
            while sequence < range.last, let next = next(after: sequence, through: range.last) {
                guard batch.append(isReduced ? next.reducedView : next) else {
                    isFull = true
                    return false
                }
                sequence = next.sequence
                result.count += 1
                result.last = sequence
            }
            return true
        }
        guard result.count > 0 else { return result }
        finish(batch.finish(more: isFull), seq: seq)
        return result
    }

    private func begin(_ run: LocationRun, dropped: UInt64) {
        batch.begin(
            UpdateAttributes(
                source: run.source, cached: run.flags.contains(.cached),
                deferral: run.deferral == 0 ? nil : UInt64(run.deferral), early: run.flags.contains(.early),
                dropped: dropped, gap: run.flags.contains(.gap), request: run.request == 0 ? nil : UInt64(run.request)))
    }

    private func lost(_ run: LocationRun, before oldest: UInt64) -> Int {
        var lost = 0
        run.forEachRange { range in
            if range.first < oldest { lost += Int(min(range.last + 1, oldest) - range.first) }
            return range.last < oldest
        }
        return lost
    }

    private func next(after sequence: UInt64, through last: UInt64) -> Location? {
        if let entry = log.next(after: sequence), entry.location.sequence <= last { return entry.location }
        guard let stored, stored.sequence > sequence, stored.sequence <= last else { return nil }
        return stored
    }

    /// The location of a sequence; nil: the log has lost it.
    func location(_ sequence: UInt64, isReduced: Bool) -> Location? {
        guard let location = next(after: sequence - 1, through: sequence) else { return nil }
        return isReduced ? location.reducedView : location
    }
}
