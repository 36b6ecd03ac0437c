// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
import Synchronization

/// Holds back the ends of deferrals that fail at once: a delegate that defers again whenever a deferral ends would else be called
/// as fast as the machine can, for as long as what a deferral needs is missing.
///
/// An end that failed so comes a second after the last such one; all ends come in order, each once. An end of another kind does not
/// wait, and what is held back comes before it.
final class DeferralThrottle: Sendable {
    static let interval = Duration.seconds(1)

    private struct State {
        var held: [@Sendable () -> Void] = []
        /// When an end that failed at once was called last.
        var last: ContinuousClock.Instant?
        var isTimed = false

        /// Calls all that is held back.
        mutating func release() {
            guard !held.isEmpty else { return }
            for tell in held { tell() }
            (held, last) = ([], .now)
        }

        /// Calls the first that is held back if it is due; returns how long the next one has to wait, nil: there is none.
        mutating func letGo() -> Duration? {
            while !held.isEmpty {
                let now = ContinuousClock.now
                if let due = last?.advanced(by: DeferralThrottle.interval), due > now { return now.duration(to: due) }
                held.removeFirst()()
                last = now
            }
            return nil
        }
    }

    private let state = Mutex(State())
    // Time stands still in a simulation, which notices itself who never comes to an end.
    private let isOff = CoreLocationBackend.gauge != nil

    /// Whether a deferral that ends with `code` may have failed at once, so that the next one would, too.
    static func throttles(_ code: LocationErrorCode) -> Bool {
        [.deferredFailed, .deferredNotUpdatingLocation, .deferredAccuracyTooLow, .deferredDistanceFiltered].contains(
            code)
    }

    /// Calls `tell` now or later; `isHasty`: the deferral may have failed at once. All is called under the lock, so that it keeps
    /// its order: `tell` must do no more than post.
    func pass(isHasty: Bool, _ tell: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard isHasty, !isOff else {
                state.release()
                return tell()
            }
            state.held.append(tell)
            letGo(&state)
        }
    }

    /// Calls what is held back now.
    func release() { state.withLock { $0.release() } }

    private func letGo(_ state: inout State) {
        guard !state.isTimed, let wait = state.letGo() else { return }
        state.isTimed = true
        let milliseconds = Int((wait / .milliseconds(1)).rounded(.up))
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
            self?.state.withLock { state in
                state.isTimed = false
                self?.letGo(&state)
            }
        }
    }
}

extension SessionEvent {
    /// Whether it is what a deferral held.
    var isOfDeferral: Bool {
        if case .told(.didUpdateLocations(let update)) = self { update.deferral != nil } else { false }
    }
}
