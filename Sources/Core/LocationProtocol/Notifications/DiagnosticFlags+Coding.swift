// SPDX-License-Identifier: Apache-2.0

import LocationModel

// Which flags each message can have.
extension DiagnosticFlags {
    private static let ofAll: DiagnosticFlags = [
        .authorizationDenied, .authorizationDeniedGlobally, .authorizationRestricted, .authorizationRequestInProgress,
        .insufficientlyInUse, .serviceSessionRequired,
    ]
    /// The flags of `didUpdate`.
    static let ofLiveUpdates = ofAll.union([.accuracyLimited, .locationUnavailable])
    /// The flags of `monitorEvent`.
    static let ofMonitorEvents = ofAll.union([
        .accuracyLimited, .conditionUnsupported, .conditionLimitExceeded, .persistenceUnavailable,
    ])
    /// The flags of `serviceSessionDiagnostic`.
    static let ofServiceSessions = ofAll.union([.fullAccuracyDenied, .alwaysAuthorizationDenied])

    /// Appends the flags that are set, each as a member that is true.
    func append(to writer: inout JSONWriter) {
        guard !isEmpty else { return }
        for name in names {
            writer.name(name)
            writer.bool(true)
        }
    }

    /// Reads the flags that are set among the members of `container`.
    init(_ container: KeyedDecodingContainer<MemberKey>) throws {
        self.init()
        for name in DiagnosticFlags.names {
            guard let flag = DiagnosticFlags(name: name),
                try container.decodeIfPresent(Bool.self, forKey: MemberKey(stringValue: name)) ?? false
            else { continue }
            insert(flag)
        }
    }

    /// Returns words for a person about the flag of a name on the wire; an unknown name stays as it is.
    static func explanation(of name: String) -> String {
        switch DiagnosticFlags(name: name) {
        case .authorizationDenied: "the app may not"
        case .authorizationDeniedGlobally: "location services are off for everyone"
        case .authorizationRestricted: "the administrator forbids it"
        case .authorizationRequestInProgress: "somebody is being asked"
        case .insufficientlyInUse: "the app is not in use, which it would have to be"
        case .serviceSessionRequired: "no service session asks for it"
        case .accuracyLimited: "only the reduced view may be seen, or no better location is known"
        case .locationUnavailable: "no fix is possible"
        case .fullAccuracyDenied: "full accuracy is not granted"
        case .alwaysAuthorizationDenied: "always is not granted"
        case .conditionUnsupported: "this device cannot watch such a condition"
        case .conditionLimitExceeded: "the app has as many conditions as it may"
        case .persistenceUnavailable: "the state directory cannot be used"
        default: name
        }
    }
}
