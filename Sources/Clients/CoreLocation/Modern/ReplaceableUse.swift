// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A session of the program at the daemon that may have to be replaced by another one. It ends there when it is ended, or
/// let go.
final class ReplaceableUse: Sendable {
    private struct State {
        var current: SharedUse?
        var isReplaced = false
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Whether it was ended.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Begins what `commands` makes of its handle; `receive` must not keep this object.
    func begin(
        _ commands: SharedConnection.Commands.Maker, of shared: SharedSession,
        receive: @escaping @Sendable (SharedEvent) -> Void
    ) {
        let use = SharedUse(of: shared, commands, receive: receive)
        // It may have been replaced before it is known here.
        let superfluous = state.withLock { state -> SharedUse? in
            guard !state.isReplaced, !state.hasEnded else { return use }
            state.current = use
            return nil
        }
        superfluous?.end()
    }

    /// Begins `commands` in place of what was begun, which ends.
    func replace(
        by commands: SharedConnection.Commands.Maker, of shared: SharedSession,
        receive: @escaping @Sendable (SharedEvent) -> Void
    ) {
        guard !hasEnded else { return }
        let use = SharedUse(of: shared, commands, receive: receive)
        let superfluous = state.withLock { state -> SharedUse? in
            guard !state.hasEnded else { return use }
            defer { (state.current, state.isReplaced) = (use, true) }
            return state.current
        }
        superfluous?.end()
    }

    /// Ends it for ever; once is enough.
    func end() {
        let current = state.withLock { state in
            state.hasEnded = true
            defer { state.current = nil }
            return state.current
        }
        current?.end()
    }
}
