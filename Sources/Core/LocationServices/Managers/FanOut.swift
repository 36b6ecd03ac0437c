// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationProtocol

/// Writes one live location, whose line is everybody's, in rows: a row is up to 64 deliveries of it that stand side by side in the effects.
///
/// A fix is owed to thousands, and each system call pushes out of the processor's caches what the service works with: so all managers of a row are
/// looked at before the first line is written, and little but the call stands between two lines.
struct FanOut {
    /// The managers of a row that have all that came before. Not retained: `managers` of `write` has them until the row is written.
    private var ready: [Unmanaged<ClientManager>] = []
    private static let longestRow = 64

    /// Takes the deliveries of `delivery` from an effect on. Calls `isLeft` with each manager that something is left to be written to.
    /// Returns the first effect behind them.
    mutating func write(
        _ delivery: Delivery, from start: Int, of effects: [Effect], _ managers: ManagerTable, backlog: Int,
        _ encoder: LineEncoder, _ keeper: any StateKeeping, isLeft: (ClientManager) -> Void
    ) -> Int {
        var index = start
        while index < effects.count, ready.count < FanOut.longestRow, case .deliver(let id, let other) = effects[index],
            other == delivery
        {
            index += 1
            guard let manager = managers.unretained(id) else { continue }
            manager._withUnsafeGuaranteedRef {
                if $0.hasAll, !ready.isEmpty || encoder.makeShared(delivery) {
                    ready.append(manager)
                } else if $0.deliver(delivery, isLive: true, backlog: backlog) {
                    isLeft($0)
                }
            }
        }
        guard !ready.isEmpty else { return index }
        encoder.lendShared(to: ready.count) { line in
            for manager in ready {
                manager._withUnsafeGuaranteedRef {
                    if $0.writeAtOnce(delivery, &line, backlog: backlog, keeper) { isLeft($0) }
                }
            }
        }
        ready.removeAll(keepingCapacity: true)
        return index
    }
}

/// A live location's line, of which the lines of all clients differ only in `seq`.
struct SharedLine: ~Copyable {
    /// The prefix, and room for a tail.
    let bytes: UnsafeMutableRawBufferPointer
    let prefixLength: Int

    /// The line with this number, until it gets another.
    mutating func numbered(_ seq: UInt64) -> UnsafeRawBufferPointer {
        let tail = UnsafeMutableRawBufferPointer(rebasing: bytes[prefixLength...])
        return UnsafeRawBufferPointer(rebasing: bytes[..<(prefixLength + NotificationWriter.writeTail(seq, to: tail))])
    }
}
