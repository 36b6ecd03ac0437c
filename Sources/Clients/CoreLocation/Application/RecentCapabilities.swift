// SPDX-License-Identifier: Apache-2.0
internal import LocationModel
internal import LocationProtocol
import Synchronization

/// The capabilities that a daemon told last, for as long as it keeps a manager of whoever asked: so class methods that are
/// called again and again leave one such manager, and not a crowd.
final class RecentCapabilities: Sendable {
    private static let lifetime = Duration.seconds(30)
    private let last = Mutex<(value: Capabilities, since: ContinuousClock.Instant)?>(nil)

    /// The last answer, or that of `ask` if the last one is old; nil if there is none, which is not remembered.
    func value(_ ask: () -> Capabilities?) -> Capabilities? {
        if let last = last.withLock({ $0 }), last.since.duration(to: .now) < RecentCapabilities.lifetime {
            return last.value
        }
        let answer = ask()
        if let answer { last.withLock { $0 = (answer, .now) } }
        return answer
    }
}
