// SPDX-License-Identifier: Apache-2.0

/// The state that answers a `start…`, `request…` or `allow…`.
public enum ServiceState: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    /// Permitted; a missing receiver is running with a reason.
    case running
    /// Nobody has decided yet; the reason names the command that would.
    case waitingForAuthorization
    /// The app may not.
    case denied
    /// Without effect, as Core Location has it.
    case ignored
    /// This device can never do it.
    case unavailable
    /// Authorization requests: somebody is asked.
    case prompted
    /// Authorization requests: it is decided already.
    case alreadyDetermined
}

/// The method, by its name, that ends a one-shot request without an answer.
public enum RequestCancellation: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case startUpdatingLocation, stopUpdatingLocation, allowDeferredLocationUpdates
}
