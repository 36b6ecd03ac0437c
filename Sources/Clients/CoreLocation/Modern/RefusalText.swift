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
    /// The refusal, which says how many there may be, with what to do where no more of `kind` can be opened. The same code is that of
    /// other limits, for which that would be the wrong advice.
    func advising(on kind: LimitedKind) -> RPCError {
        code == .limitExceeded && message.hasPrefix("cannot open") ? RPCError(code, "\(message); \(kind.advice)") : self
    }
}

/// A kind of thing of which a process or an application may have only so many.
enum LimitedKind {
    case liveUpdates
    case monitors
    /// `limit`: as the daemon told; nil: it did not.
    case conditions(limit: Int?)
    case sessions

    /// Advice for the developer whose program has too many.
    var advice: String {
        switch self {
        case .liveUpdates: "loops over live updates of one configuration share one stream: use fewer configurations"
        case .monitors:
            "put more conditions into fewer CLMonitors, and let go of those that are no longer needed"
        case .conditions(let limit):
            "an application may have \(limit.map { "\($0)" } ?? "so many") conditions in all its monitors and no more:"
                + " remove(_:) those that are far away, and add them when the device comes near"
        case .sessions:
            "invalidate() the CLServiceSessions and CLBackgroundActivitySessions that are no longer needed, or share one"
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
