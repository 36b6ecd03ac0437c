// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

// The daemon numbers each kind from 1 per manager, and a program holds what is numbered by a handle.
extension Method.NumberedKind {
    /// The request that ends number `number`. Sessions of both sorts share their numbers and their end.
    func end(_ number: UInt64) -> Request {
        switch self {
        case .updates: .stopLiveUpdates(updates: number)
        case .monitor: .closeMonitor(monitor: number)
        case .session: .invalidateServiceSession(session: number)
        }
    }
}

/// Which of the daemon's numbers is which handle, for one kind of thing and one manager.
struct NumberBook: Sendable {
    private var numbers: [SessionHandle: UInt64] = [:]
    private var handles: [UInt64: SessionHandle] = [:]
    /// The last number that the daemon is known to have given.
    private(set) var last: UInt64 = 0
    // Requests for a number since then whose replies were lost: each may have been given one.
    private var lost: UInt64 = 0
    /// Numbers of nobody whose end is under way.
    private var ending: Set<UInt64> = []

    /// The numbers in use, in order.
    var allNumbers: [UInt64] { handles.keys.sorted() }

    func number(of handle: SessionHandle) -> UInt64? { numbers[handle] }

    func handle(of number: UInt64) -> SessionHandle? { handles[number] }

    mutating func enter(_ number: UInt64, for handle: SessionHandle) {
        numbers[handle] = number
        handles[number] = handle
        guard number > last else { return }
        last = number
        lost = 0
    }

    /// So many requests for a number went without a reply. Returns the numbers that nobody holds and that the daemon may have
    /// given, since it gives them in order.
    mutating func lose(_ count: Int) -> Range<UInt64> {
        lost += UInt64(count)
        return last + 1..<last + 1 + lost
    }

    mutating func remove(_ handle: SessionHandle) {
        if let number = numbers.removeValue(forKey: handle) { handles[number] = nil }
    }

    /// Whether the end of a number of nobody is yet to be asked for; from now on it is under way.
    mutating func beginToEnd(_ number: UInt64) -> Bool { ending.insert(number).inserted }

    mutating func hasEnded(_ number: UInt64) { ending.remove(number) }
}
