// SPDX-License-Identifier: Apache-2.0
internal import LocationModel
import Synchronization

/// What keeps a session from what it asks for, for any number of iterations: each begins with the latest that is known, and
/// an iteration that is slow sees only the newest.
final class SessionDiagnostics: Sendable {
    private struct State {
        var latest: DiagnosticFlags?
        var readers: [Reader] = []
        var end: Result<Void, any Error>?
    }

    private struct Reader {
        weak var queue: ElementQueue<DiagnosticFlags>?
    }

    private let state = Mutex(State())

    /// Tells all iterations.
    func tell(_ flags: DiagnosticFlags) {
        // Under the lock, so that no news overtakes another.
        state.withLock { state in
            guard state.end == nil else { return }
            state.latest = flags
            for reader in state.readers { reader.queue?.push(flags) }
        }
    }

    /// Ends all iterations, and with the same those that begin later.
    func finish(throwing error: (any Error)? = nil, later: (any Error)? = nil) {
        let queues = state.withLock { state -> [ElementQueue<DiagnosticFlags>] in
            guard state.end == nil else { return [] }
            state.end = (later ?? error).map { .failure($0) } ?? .success(())
            defer { state.readers = [] }
            return state.readers.compactMap(\.queue)
        }
        for queue in queues { queue.finish(throwing: error) }
    }

    /// A new iteration.
    func read() -> ElementQueue<DiagnosticFlags> {
        let queue = ElementQueue<DiagnosticFlags> { waiting, newest in waiting = [newest] }
        let end = state.withLock { state -> Result<Void, any Error>? in
            if let end = state.end { return end }
            if let latest = state.latest { queue.push(latest) }
            state.readers.removeAll { $0.queue == nil }
            state.readers.append(Reader(queue: queue))
            return nil
        }
        switch end {
        case nil: break
        case .success: queue.finish()
        case .failure(let error): queue.finish(throwing: error)
        }
        return queue
    }
}
