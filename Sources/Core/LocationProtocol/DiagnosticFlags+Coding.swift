// SPDX-License-Identifier: Apache-2.0

import LocationModel

// Which messages have which flags (CL 4.8).
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
    init(_ container: KeyedDecodingContainer<NotificationMember>) throws {
        self.init()
        for name in DiagnosticFlags.names {
            guard let member = NotificationMember(rawValue: name), let flag = DiagnosticFlags(name: name),
                try container.decodeIfPresent(Bool.self, forKey: member) ?? false
            else { continue }
            insert(flag)
        }
    }
}
