// SPDX-License-Identifier: Apache-2.0

/// The app's authorization to use location services.
@nonexhaustive(warn)
public enum CLAuthorizationStatus: Int32, Sendable {
    /// Nobody has decided yet.
    case notDetermined = 0
    /// The administrator forbids it, and no answer of a user's changes that.
    case restricted = 1
    /// Refused, or location services are off for everyone.
    case denied = 2
    /// May know the location at any time, and is woken for events.
    case authorizedAlways = 3
    /// May know the location while it is in use.
    case authorizedWhenInUse = 4

    /// The name of `authorizedAlways` before there was `authorizedWhenInUse`.
    @available(*, deprecated, renamed: "authorizedAlways")
    public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}

/// How exactly the app may know the location.
@nonexhaustive(warn)
public enum CLAccuracyAuthorization: Int, Sendable {
    /// As exactly as it can be measured. Also the answer while nobody has decided about the app at all.
    case fullAccuracy = 0
    /// Within a circle of 1 to 20 km, computed at most every 15 minutes.
    case reducedAccuracy = 1
}
