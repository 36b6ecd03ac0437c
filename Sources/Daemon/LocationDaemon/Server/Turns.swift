// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Whose requests are carried out next: those of the user who has been given the least time, and of that user's connections those that
/// have waited longest.
///
/// A user is charged for the time that its requests took. Whoever begins to ask is as far as the others are, so that nobody saves time
/// up; whoever asks for what takes long waits until the others have had as much. All of a user's connections together have one share.
struct Turns {
    private struct User {
        /// The time that it has been given, on the clock that all users share.
        var given: TimeSpan
        /// When it began to wait, among those who have been given the same.
        var order: UInt64
        /// Connections whose peers are gone go first: whoever comes back in their place asks after them.
        var leaving = Queue()
        var staying = Queue()

        var isEmpty: Bool { leaving.isEmpty && staying.isEmpty }
    }

    /// Those that wait.
    private var users: [UInt32: User] = [:]
    /// The time that each user without a waiting connection has been given, on the users' clock; it counts while it is ahead of `clock`.
    private var ahead: [UInt32: TimeSpan] = [:]
    /// How far the user is that was served last.
    private var clock = TimeSpan.zero
    private var order: UInt64 = 0
    /// Whose each waiting connection is.
    private var owners: [UInt64: UInt32] = [:]
    /// Since when requests of a user have waited at the end of every round.
    private var heldBack: [UInt32: BootInstant] = [:]

    var isEmpty: Bool { owners.isEmpty }

    /// Lets a connection wait for its turn; one that waits already stays where it is.
    mutating func enter(_ connection: UInt64, of uid: UInt32, isLeaving: Bool = false) {
        guard owners.updateValue(uid, forKey: connection) == nil else { return }
        var user = users.removeValue(forKey: uid) ?? newcomer(uid)
        if isLeaving { user.leaving.append(connection) } else { user.staying.append(connection) }
        users[uid] = user
    }

    private mutating func newcomer(_ uid: UInt32) -> User {
        order += 1
        return User(given: max(ahead.removeValue(forKey: uid) ?? .zero, clock), order: order)
    }

    /// A connection does not wait any more.
    mutating func leave(_ connection: UInt64) {
        guard let uid = owners.removeValue(forKey: connection), var user = users.removeValue(forKey: uid) else {
            return
        }
        user.leaving.remove(connection)
        user.staying.remove(connection)
        put(user, uid)
    }

    /// Takes out the connection whose turn it is; nil: none waits.
    mutating func next() -> (connection: UInt64, uid: UInt32)? {
        let least = users.min { ($0.value.given, $0.value.order) < ($1.value.given, $1.value.order) }
        guard let uid = least?.key, var user = users.removeValue(forKey: uid) else { return nil }
        clock = max(clock, user.given)
        guard let connection = user.leaving.popFirst() ?? user.staying.popFirst() else { return nil }
        owners[connection] = nil
        put(user, uid)
        return (connection, uid)
    }

    /// A user's turn took so long.
    mutating func charge(_ uid: UInt32, _ time: TimeSpan) {
        guard var user = users.removeValue(forKey: uid) else {
            return ahead[uid] = max(ahead[uid] ?? .zero, clock) + time
        }
        order += 1
        user.given = user.given + time
        user.order = order
        users[uid] = user
    }

    private mutating func put(_ user: User, _ uid: UInt32) {
        guard user.isEmpty else { return users[uid] = user }
        if ahead.count > 256 { ahead = ahead.filter { $0.value > clock } }
        ahead[uid] = user.given
    }

    // MARK: Who is held back

    /// A round is over: those who still wait are held back, and since when.
    mutating func endRound(at now: BootInstant) {
        guard !users.isEmpty || !heldBack.isEmpty else { return }
        heldBack = heldBack.filter { users[$0.key] != nil }
        for uid in users.keys where heldBack[uid] == nil { heldBack[uid] = now }
    }

    /// Since when requests of a user have waited without a break; nil: they do not.
    func isHeldBack(_ uid: UInt32) -> BootInstant? { heldBack[uid] }

    /// Users whose requests have waited so long without a break, by number.
    func heldBack(for span: TimeSpan, at now: BootInstant) -> [UInt32] {
        heldBack.filter { now - $0.value >= span }.map(\.key).sorted()
    }

    /// Whether requests of a connection wait for their turn.
    func isWaiting(_ connection: UInt64) -> Bool { owners[connection] != nil }

    /// First in, first out.
    private struct Queue {
        private var entries: [UInt64] = []
        private var head = 0

        var isEmpty: Bool { head == entries.count }

        mutating func append(_ entry: UInt64) { entries.append(entry) }

        mutating func popFirst() -> UInt64? {
            guard head < entries.count else { return nil }
            head += 1
            let entry = entries[head - 1]
            if head * 2 > entries.count {
                entries.removeSubrange(0..<head)
                head = 0
            }
            return entry
        }

        mutating func remove(_ entry: UInt64) {
            guard let index = entries[head...].firstIndex(of: entry) else { return }
            entries.remove(at: index)
        }
    }
}
