// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The authorization of an app, as Core Location has it, and why.
package struct Authorization: Sendable, Hashable, BitwiseCopyable {
    /// Core Location's status.
    package var status: AuthorizationStatus
    /// How precisely; means nothing while not determined.
    package var accuracy: AccuracyAuthorization
    /// The app reads `authorizedAlways`, though the person has only said "while using" (rule A3).
    package var isProvisional: Bool
    /// Denied because location services are off for everyone.
    package var isDeniedGlobally: Bool

    /// An authorization.
    package init(
        status: AuthorizationStatus, accuracy: AccuracyAuthorization = .full, isProvisional: Bool = false,
        isDeniedGlobally: Bool = false
    ) {
        self.status = status
        self.accuracy = accuracy
        self.isProvisional = isProvisional
        self.isDeniedGlobally = isDeniedGlobally
    }

    /// Whether locations may be handed over.
    package var isAuthorized: Bool { status == .authorizedAlways || status == .authorizedWhenInUse }

    /// Whether a client is told of the change. A provisional always that becomes a real one reads the same (rule A3), and accuracy means
    /// nothing while nobody has decided.
    func isToldApart(from other: Authorization) -> Bool {
        status != other.status || status != .notDetermined && accuracy != other.accuracy
    }

    /// The state that a `start…` is answered with.
    package var serviceState: ServiceState {
        switch status {
        case .authorizedAlways, .authorizedWhenInUse: .running
        case .notDetermined: .waitingForAuthorization
        case .denied, .restricted: .denied
        }
    }
}

extension Authorization {
    /// The flags that streams, sessions and monitors tell of it.
    var flags: DiagnosticFlags {
        switch status {
        case .denied: isDeniedGlobally ? [.authorizationDenied, .authorizationDeniedGlobally] : .authorizationDenied
        case .restricted: .authorizationRestricted
        case .notDetermined, .authorizedAlways, .authorizedWhenInUse: []
        }
    }
}
