// SPDX-License-Identifier: Apache-2.0
internal import LocationModel
import Synchronization

/// The diagnostics of a session for any number of iterations: each begins with the latest that is known, and
/// an iteration that is slow sees only the newest.
final class SessionDiagnostics: Sendable {
    private struct State {
        /// Nil: nobody has said anything yet, or all is over.
        var latest: DiagnosticFlags?
        var audience = Audience<DiagnosticFlags> { waiting, newest in waiting = [newest] }
        var end: Result<Void, any Error>?
    }

    private let state = Mutex(State())

    /// Tells all iterations, unless they know.
    func tell(_ flags: DiagnosticFlags) {
        // Under the lock, so that no news overtakes another.
        state.withLock { state in
            guard state.end == nil, flags != state.latest else { return }
            state.latest = flags
            state.audience.tell(flags)
        }
    }

    /// Ends all iterations, and with the same those that begin later.
    func finish(throwing error: (any Error)? = nil, later: (any Error)? = nil) {
        let queues = state.withLock { state -> [ElementQueue<DiagnosticFlags>] in
            guard state.end == nil else { return [] }
            state.end = (later ?? error).map { .failure($0) } ?? .success(())
            state.latest = nil
            return state.audience.dismiss()
        }
        for queue in queues { queue.finish(throwing: error) }
    }

    /// A new iteration.
    func read() -> ElementQueue<DiagnosticFlags> {
        let (queue, end) = state.withLock { state in
            (state.audience.admit(beginningWith: state.latest), state.end)
        }
        switch end {
        case nil: break
        case .success: queue.finish()
        case .failure(let error): queue.finish(throwing: error)
        }
        return queue
    }
}
