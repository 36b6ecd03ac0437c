// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import LocationClient
internal import LocationModel
internal import LocationProtocol

/// `localizedDescription` of what streams and diagnostics throw is the sentence that says why.
extension LocationClientError: LocalizedError {
    var errorDescription: String? { description }
}

extension RPCError {
    /// The refusal with what is allowed and what to do, where a limit of `kind` is reached.
    func advising(on kind: LimitedKind) -> RPCError {
        code == .limitExceeded ? RPCError(code, "\(message); \(kind.advice)") : self
    }
}

/// What a process may have only so many of at the same time.
enum LimitedKind {
    case liveUpdates
    case monitors
    case conditions
    case sessions

    /// How many are allowed (protocol.md 5) and what to do.
    var advice: String {
        switch self {
        case .liveUpdates:
            "a process may have 32 streams of live updates at a time, and loops of one configuration share one: use fewer"
                + " configurations"
        case .monitors:
            "a process may have 32 CLMonitors open at a time, and an application 32 names: put more conditions into fewer"
                + " monitors, and let go of those that are no longer needed"
        case .conditions:
            "an application may have 20 conditions in all its monitors: remove(_:) those that are far away, and add them"
                + " when the device comes near"
        case .sessions:
            "a process may hold 32 CLServiceSessions and CLBackgroundActivitySessions at a time: invalidate() those that are"
                + " no longer needed, or share one"
        }
    }
}

extension RPCError {
    /// The refusal with the keys of an Info.plist in place of the protocol's words, and where to put them.
    func naming(_ requirement: ServiceSessionRequirement, _ purposeKey: String?) -> RPCError {
        guard code == .missingUsageDescription else { return self }
        var requests: [CLApplicationInfo.Request] =
            switch requirement {
            case .none: []
            case .whenInUse: [.whenInUse]
            case .always: [.always]
            }
        if let purposeKey { requests.append(.temporaryFullAccuracy(purposeKey: purposeKey)) }
        let complaints = requests.compactMap { CLApplicationInfo.current.complaint(about: $0) }
        return complaints.isEmpty ? self : RPCError(code, complaints.joined(separator: "; "))
    }
}
