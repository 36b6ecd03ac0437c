// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The locations that the broker has not acknowledged, of which only a window is held: the rest is in the daemon's log.
///
/// All up to `fetched` that are not settled are here or in flight. `isContiguous`: what the daemon tells live goes on right behind
/// `fetched`; if not, somebody has to read the log from there.
struct LocationQueue: Sendable {
    /// Locations over which the log is not read any further.
    static let room = 256
    /// Live locations beyond that are left to the log.
    static let limit = 2 * room

    private(set) var settled: SequenceSet
    private(set) var fetched: UInt64
    /// The newest that the daemon has told of.
    private(set) var seen: UInt64
    private(set) var isContiguous = false
    /// The newest that the daemon has told live, on the connection that stands; it goes on behind this one.
    private var told: UInt64?
    /// The reader leaves locations unsettled that only the history has, which cannot be read now.
    var keepsHoles = false
    /// The reader left some so, and fetches them when the history can be read again.
    private(set) var hasHole = false
    /// Behind `fetched` the log has not what the history does not have either.
    var isGapSure = false
    /// The date of the first location that was left to the log since the broker had all; nil: none was.
    private(set) var firstPassed: WallTime?
    private var waiting: [Location] = []
    private var head = 0

    init(settled: SequenceSet) {
        self.settled = settled
        fetched = settled.through
        seen = settled.through
    }

    /// Locations that wait here.
    var count: Int { waiting.count - head }
    var isFull: Bool { count >= LocationQueue.room }
    /// So little waits that more is to be fetched.
    var isLow: Bool { count <= LocationQueue.room / 2 }
    /// All that the daemon tells from now on is behind what is fetched.
    var hasReachedTold: Bool { told.map { $0 <= fetched } ?? false }
    /// The next one.
    var first: Location? { head < waiting.count ? waiting[head] : nil }
    /// At most so many are known of but not here.
    var unfetched: UInt64 { seen - min(fetched, seen) + hole }
    /// At most so many are left out for now.
    private var hole: UInt64 {
        guard hasHole else { return 0 }
        let end = min(settled.ahead.first?.lowerBound ?? .max, first?.sequence ?? .max, fetched + 1)
        return end > settled.through + 1 ? end - 1 - settled.through : 0
    }

    /// How many behind `fetched` and up to `sequence` were not settled before: some are when they are read once more.
    func unsettled(through sequence: UInt64) -> UInt64 {
        settled.unsettled(through: max(sequence, fetched)) - settled.unsettled(through: fetched)
    }

    /// The daemon tells of these, while nothing can be sent or too much waits already.
    mutating func pass(by locations: [Location]) {
        told = locations.last?.sequence ?? told
        seen = max(seen, locations.last?.sequence ?? 0)
        firstPassed = firstPassed ?? locations.first?.timestamp
        isContiguous = false
    }

    /// The daemon tells of these live.
    mutating func take(live locations: [Location]) {
        if let first = locations.first, first.sequence <= fetched + 1 { join() }
        guard isContiguous, count + locations.count <= LocationQueue.limit else { return pass(by: locations) }
        told = locations.last?.sequence ?? told
        append(locations)
    }

    /// These follow what is fetched, in the log. Between them nothing was accepted, or it is lost.
    mutating func append(_ locations: [Location]) {
        for location in locations where location.sequence > fetched {
            pass(through: location.sequence - 1)
            fetched = location.sequence
            if !settled.contains(location.sequence) { waiting.append(location) }
        }
        seen = max(seen, fetched)
    }

    /// The log is read to its end.
    mutating func caughtUp() {
        pass(through: seen)
        join()
    }

    /// Live locations go on from here, or before.
    mutating func join() {
        isContiguous = true
        firstPassed = nil
    }

    /// Up to `sequence` there are no others than those that are fetched.
    mutating func pass(through sequence: UInt64) {
        guard sequence > fetched else { return }
        if keepsHoles { hasHole = true } else { settled.insert(fetched + 1...sequence) }
        fetched = sequence
    }

    /// There may be more in the log than the daemon tells live.
    mutating func interrupt() {
        isContiguous = false
        told = nil
    }

    mutating func removeFirst() -> Location? {
        guard let first else { return nil }
        head += 1
        if head == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= LocationQueue.room {
            waiting.removeFirst(head)
            head = 0
        }
        return first
    }

    /// The broker has it, or nobody is to have it.
    mutating func settle(_ sequence: UInt64) { settled.insert(sequence) }

    /// Nothing up to `sequence` is to be sent any more.
    mutating func skip(through sequence: UInt64) {
        settled.insert(0...max(sequence, settled.through))
        firstPassed = nil
        rewind()
    }

    /// The reader fetches again all that was fetched and not acknowledged.
    mutating func rewind() {
        waiting.removeAll(keepingCapacity: true)
        head = 0
        fetched = settled.through
        isContiguous = false
        hasHole = false
        isGapSure = false
    }

    /// The daemon has begun to count anew.
    mutating func restart() {
        self = LocationQueue(settled: SequenceSet(through: 0))
    }
}
