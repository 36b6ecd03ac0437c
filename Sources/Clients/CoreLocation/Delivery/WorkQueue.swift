// SPDX-License-Identifier: Apache-2.0

/// Calls that wait, in their order.
struct WorkQueue {
    typealias Work = @Sendable () -> Void

    private var works: [Work] = []
    /// The first of `works` that has not been taken.
    private var next = 0

    /// How many wait.
    var count: Int { works.count - next }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ work: @escaping Work) { works.append(work) }

    mutating func takeFirst() -> Work? {
        guard next < works.count else { return nil }
        let work = works[next]
        // Let go of at once, but for a place in the array.
        works[next] = {}
        next += 1
        if next == works.count {
            works.removeAll(keepingCapacity: works.capacity <= 64)
            next = 0
        } else if next == 1024 {
            works.removeFirst(next)
            next = 0
        }
        return work
    }
}
