// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What a task that iterates has taken.
final class Taken<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    var all: [Element] { elements.withLock { $0 } }
    var count: Int { all.count }
    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}
