// SPDX-License-Identifier: Apache-2.0

/// The stored events that this process has seen, since the daemon repeats each on every connection until it is acknowledged.
struct ToldEvents: Sendable {
    /// An event as it reached the program: a monitor that is opened anew gets its own.
    struct Key: Hashable, Sendable {
        var event: UInt64
        /// The handle's number; 0: not a monitor's.
        var monitor: UInt64 = 0
    }

    private var told = BoundedSet<Key>(limit: 4096)
    private var acknowledged = BoundedSet<UInt64>(limit: 4096)

    /// Whether the program acknowledged the event: the daemon has missed it.
    func isAcknowledged(_ event: UInt64) -> Bool { acknowledged.contains(event) }

    /// Whether the program has yet to see the event; from now on it has.
    mutating func isNew(_ key: Key) -> Bool { told.insert(key) }

    mutating func acknowledge(_ event: UInt64) { _ = acknowledged.insert(event) }
}

/// A set that forgets the oldest when it is full.
private struct BoundedSet<Element: Hashable & Sendable>: Sendable {
    let limit: Int
    private var members: Set<Element> = []
    private var order: [Element] = []
    private var oldest = 0

    init(limit: Int) { self.limit = limit }

    func contains(_ element: Element) -> Bool { members.contains(element) }

    /// False: it was there.
    mutating func insert(_ element: Element) -> Bool {
        guard members.insert(element).inserted else { return false }
        if order.count < limit {
            order.append(element)
        } else {
            members.remove(order[oldest])
            order[oldest] = element
            oldest = (oldest + 1) % limit
        }
        return true
    }
}
