// SPDX-License-Identifier: Apache-2.0

/// Iterations that are all told the same, each from a queue of its own, for as long as somebody holds that.
///
/// Belongs under its owner's lock, so that no news overtakes another.
struct Audience<Element: Sendable>: Sendable {
    private struct Reader {
        weak var queue: ElementQueue<Element>?
    }

    private let insert: @Sendable (inout [Element], Element) -> Void
    private var readers: [Reader] = []

    /// `insert` puts a new element where it belongs among those that an iteration has not taken, and takes away what it replaces.
    init(insert: @escaping @Sendable (inout [Element], Element) -> Void) { self.insert = insert }

    /// Tells all iterations.
    func tell(_ element: Element) {
        for reader in readers { reader.queue?.push(element) }
    }

    /// A queue for another iteration, which begins with `present`; nil: there is nothing to tell yet.
    mutating func admit(beginningWith present: Element?) -> ElementQueue<Element> {
        let queue = ElementQueue(insert: insert)
        if let present { queue.push(present) }
        readers.removeAll { $0.queue == nil }
        readers.append(Reader(queue: queue))
        return queue
    }

    /// Tells nobody from now on; returns the queues that somebody still holds, to be finished outside of the lock.
    mutating func dismiss() -> [ElementQueue<Element>] {
        defer { readers = [] }
        return readers.compactMap(\.queue)
    }
}
