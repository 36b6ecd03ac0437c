// SPDX-License-Identifier: Apache-2.0
import Dispatch
import LocationModel
import LocationProtocol
import Synchronization

/// The daemon's last answer to `hello`, for any thread.
final class SessionGreeting: Sendable {
    private struct State {
        var last: HelloResult?
        var isFirstAttemptOver = false
    }

    private let state = Mutex(State())
    // Left when the first attempt to connect is over. A group and not a semaphore: any number of threads may wait.
    private let firstAttempt = DispatchGroup()

    init() { firstAttempt.enter() }

    var last: HelloResult? { state.withLock { $0.last } }

    /// The first attempt is over: with `hello`, or in vain; later ones tell what is newer.
    func note(_ hello: HelloResult?) {
        let wasFirst = state.withLock { state in
            if let hello { state.last = hello }
            defer { state.isFirstAttemptOver = true }
            return !state.isFirstAttemptOver
        }
        if wasFirst { firstAttempt.leave() }
    }

    func waitForFirstAttempt(_ limit: TimeSpan) {
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: limit.nanoseconds))
        // A peer that took the connection and is silent for so long is not waited for again.
        if firstAttempt.wait(timeout: deadline) == .timedOut { note(nil) }
    }
}
