// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol

/// An element of a stream of live updates: where the device is, or why nobody can or may tell.
///
/// As a rule of this interface, whenever there is less than was asked for, a flag says why; elements that only say so have
/// no location.
public struct CLLocationUpdate: Sendable {
    /// Where the device is; nil: one of the flags says why there is no location.
    public let location: CLLocation?
    /// The device has come to rest: no element follows until it moves, and the first one then is false.
    public let stationary: Bool
    let flags: DiagnosticFlags

    init(location: CLLocation?, stationary: Bool, flags: DiagnosticFlags) {
        self.location = location
        self.stationary = stationary
        self.flags = flags
    }

    /// The former name of `stationary`.
    @available(*, deprecated, renamed: "stationary")
    public var isStationary: Bool { stationary }

    /// The person refused this application's locations, or they are off for everyone.
    public var authorizationDenied: Bool { flags.contains(.authorizationDenied) }
    /// Location services are off for everyone; `authorizationDenied` is true, too.
    public var authorizationDeniedGlobally: Bool { flags.contains(.authorizationDeniedGlobally) }
    /// The administrator forbids locations, and the person cannot change that.
    public var authorizationRestricted: Bool { flags.contains(.authorizationRestricted) }
    /// Somebody is being asked; the stream goes on by itself after the answer.
    public var authorizationRequestInProgress: Bool { flags.contains(.authorizationRequestInProgress) }
    /// The application is not in use, which it would have to be.
    public var insufficientlyInUse: Bool { flags.contains(.insufficientlyInUse) }
    /// The application requires a `CLServiceSession` and holds none; the stream goes on by itself when there is one.
    public var serviceSessionRequired: Bool { flags.contains(.serviceSessionRequired) }
    /// Only the approximate location may be known, and it is renewed every 15 minutes at most.
    public var accuracyLimited: Bool { flags.contains(.accuracyLimited) }
    /// There is no fix, or nobody answers who could know one; locations follow by themselves when there are any.
    public var locationUnavailable: Bool { flags.contains(.locationUnavailable) }
}

extension CLLocationUpdate {
    init(_ update: LiveUpdate) {
        self.init(
            location: update.location.map { CLLocation($0) }, stationary: update.isStationary, flags: update.flags)
    }

    /// Whether an element that nobody has taken may give way to `newer`: only the place differs.
    func saysTheSame(as newer: CLLocationUpdate) -> Bool {
        flags == newer.flags && stationary == newer.stationary && (location == nil) == (newer.location == nil)
    }
}
