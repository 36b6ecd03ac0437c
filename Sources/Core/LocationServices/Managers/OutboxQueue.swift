// SPDX-License-Identifier: Apache-2.0
import LocationEngine

/// Items that an outbox has not begun to write, in order, with their sums.
///
/// A client that does not read costs nothing per fix: adding to the end, dropping the oldest live location and asking for a sum take
/// the same time however much waits.
struct OutboxQueue {
    typealias Item = Outbox.Item

    // Those before `head` are taken.
    private var slots: [Item] = []
    private var head = 0
    /// No live locations that may be dropped stand before this slot.
    private var liveFrom = 0
    /// Bytes of replies.
    private(set) var replyBytes = 0
    /// Bytes of notifications without their tails, locations excepted.
    private(set) var notificationBytes = 0
    /// Locations.
    private(set) var locations = 0
    /// Locations that came live.
    private(set) var liveLocations = 0

    init() {}

    /// These items.
    init(_ items: [Item]) {
        for item in items { append(item) }
    }

    var isEmpty: Bool { head == slots.count }

    /// All of them.
    var items: ArraySlice<Item> { slots[head...] }

    mutating func append(_ item: Item) {
        count(item, 1)
        slots.append(item)
    }

    /// Adds locations to the last item if a client may get both in one notification. False: it may not, and nothing is done.
    mutating func join(_ run: LocationRun) -> Bool {
        guard head < slots.count, case .locations = slots[slots.count - 1] else { return false }
        return change(slots.count - 1) { $0.join(run) } ?? false
    }

    /// Replaces the element of a stream that waits. It goes to the end; the locations before and behind it become neighbours.
    mutating func replace(_ stream: NotificationKind.Stream, with item: Item) {
        if let index = slots[head...].lastIndex(where: { $0.isElement(of: stream) }) {
            remove(at: index)
            joinNeighbours(at: index)
        }
        append(item)
    }

    private mutating func joinNeighbours(at index: Int) {
        guard index > head, index < slots.count, case .locations(let run) = slots[index],
            change(index - 1, { $0.join(run) }) == true
        else { return }
        remove(at: index)
    }

    /// Drops the oldest live location that is not begun; it is counted in what comes behind. nil: there is none. Else the losses that no
    /// waiting location can tell of any more.
    mutating func dropOldestLive() -> UInt64? {
        while liveFrom < slots.count, liveFrom < head || !slots[liveFrom].isLiveLocations { liveFrom += 1 }
        guard liveFrom < slots.count else { return nil }
        let left = change(liveFrom) { run in
            run.removeFirst()
            run.dropped += 1
            return (run.isEmpty, run.dropped)
        }
        guard let (isEmpty, dropped) = left, isEmpty else { return 0 }
        remove(at: liveFrom)
        return dropped
    }

    /// Takes the first item out. What is left of it comes back with `putBack`.
    mutating func takeFirst() -> Item? {
        guard head < slots.count else { return nil }
        var item = Item.nothing
        swap(&item, &slots[head])
        count(item, -1)
        head += 1
        if head == slots.count { clear() } else if head > 64, head * 2 > slots.count { compact() }
        return item
    }

    /// Puts what is left of the item that was taken out back to its place.
    mutating func putBack(_ item: Item) {
        count(item, 1)
        if head > 0 {
            head -= 1
            slots[head] = item
        } else {
            slots.insert(item, at: 0)
        }
        liveFrom = min(liveFrom, head)
    }

    mutating func removeAll(where isMeant: (Item) -> Bool) {
        compact()
        liveFrom = 0
        var removed: [Item] = []
        slots.removeAll { item in
            guard isMeant(item) else { return false }
            removed.append(item)
            return true
        }
        for item in removed { count(item, -1) }
    }

    /// Takes all of them out.
    mutating func takeAll() -> [Item] {
        let all = Array(items)
        self = OutboxQueue()
        return all
    }

    private mutating func remove(at index: Int) {
        count(slots[index], -1)
        if index == head {
            slots[index] = .nothing
            head += 1
            if head == slots.count { clear() }
            return
        }
        slots.remove(at: index)
        if index < liveFrom { liveFrom -= 1 }
    }

    // Taken out meanwhile, so that the array's own copy is not kept alive beside the changed one.
    private mutating func change<Result>(_ index: Int, _ body: (inout LocationRun) -> Result) -> Result? {
        guard case .locations(var run) = slots[index] else { return nil }
        slots[index] = .nothing
        let before = run.count
        let result = body(&run)
        locations += run.count - before
        if run.isLive { liveLocations += run.count - before }
        slots[index] = .locations(run)
        return result
    }

    private mutating func count(_ item: Item, _ sign: Int) {
        switch item {
        case .nothing: break
        case .reply(let line): replyBytes += sign * line.count
        case .notification(let prefix, _): notificationBytes += sign * prefix.count
        case .locations(let run):
            locations += sign * run.count
            if run.isLive { liveLocations += sign * run.count }
        }
    }

    private mutating func clear() {
        slots = []
        (head, liveFrom) = (0, 0)
    }

    private mutating func compact() {
        slots.removeSubrange(0..<head)
        liveFrom = max(liveFrom - head, 0)
        head = 0
    }
}

extension Outbox.Item {
    fileprivate func isElement(of stream: NotificationKind.Stream) -> Bool {
        guard case .notification(_, .element(stream)) = self else { return false }
        return true
    }

    fileprivate var isLiveLocations: Bool {
        guard case .locations(let run) = self else { return false }
        return run.isLive && !run.isBegun
    }
}
