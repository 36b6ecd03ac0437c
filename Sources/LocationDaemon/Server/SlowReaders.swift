// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Connections whose output waits for room in the socket, and whether their peers read at all.
struct SlowReaders {
    private var connections: [Int: Connection] = [:]

    var isEmpty: Bool { connections.isEmpty }

    /// Since when the one that was looked at longest ago has been watched; nil: there is none.
    var oldestMark: BootInstant? { connections.values.compactMap { $0.stallMark?.since }.min() }

    mutating func insert(_ connection: Connection, at now: BootInstant) {
        connection.isBlocked = true
        if connection.stallMark == nil { connection.stallMark = (connection.manager.outbox.linesWritten, now) }
        connections[connection.number] = connection
    }

    mutating func remove(_ connection: Connection) {
        connection.isBlocked = false
        connection.stallMark = nil
        connections[connection.number] = nil
    }

    /// Those whose peers took no complete line for so long, by number; the others are watched on from now.
    func stalled(for limit: TimeSpan, at now: BootInstant) -> [Connection] {
        connections.values.sorted { $0.number < $1.number }.filter { connection in
            guard let mark = connection.stallMark, now - mark.since >= limit else { return false }
            let lines = connection.manager.outbox.linesWritten
            if lines != mark.lines { connection.stallMark = (lines, now) }
            return lines == mark.lines
        }
    }
}
