// SPDX-License-Identifier: Apache-2.0

/// The authorization that an app asks a person for.
public enum AuthorizationLevel: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case whenInUse
    case always
    case temporaryFullAccuracy

    /// The wish in words for people: completes "asks for …".
    package var wish: String {
        switch self {
        case .whenInUse: "the location while it is in use"
        case .always: "the location at any time"
        case .temporaryFullAccuracy: "the precise location for a while"
        }
    }
}

/// A person's answer to an authorization request.
public enum AuthorizationAnswer: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case always
    case whileUsing
    case once
    case deny
}

/// How an authorization request ended.
public enum AuthorizationOutcome: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case always
    case whileUsing
    case once
    case deny
    /// Nobody needs an answer any more: the app is gone, or an administrator decided.
    case withdrawn
}

/// The authorization that a service session asks for (CLServiceSession.AuthorizationRequirement), with Core Location's raw values.
public enum ServiceSessionRequirement: Int, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case none = 0
    case whenInUse = 1
    case always = 2
}

/// The activity that live updates serve, with Core Location's raw values (CLLocationUpdate.LiveConfiguration): not those of `ActivityType`.
public enum LiveConfiguration: Int, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case `default` = 0
    case automotiveNavigation = 1
    case otherNavigation = 2
    case fitness = 3
    case airborne = 4

    /// The activity that steers pausing.
    public var activity: ActivityType {
        switch self {
        case .default: .other
        case .automotiveNavigation: .automotiveNavigation
        case .otherNavigation: .otherNavigation
        case .fitness: .fitness
        case .airborne: .airborne
        }
    }
}

/// Where the device points (CLHeading), not where it goes. gpsd's ATT gives it.
public struct Heading: Sendable, Hashable, BitwiseCopyable {
    /// Degrees clockwise from magnetic north, 0 to < 360; nil: unknown.
    public var magneticHeading: Double?
    /// Degrees clockwise from true north, 0 to < 360; nil: unknown.
    public var trueHeading: Double?
    /// Degrees, 68 %; nil: unknown.
    public var headingAccuracy: Double?
    /// When it was measured.
    public var timestamp: WallTime

    /// A heading of `timestamp`.
    public init(
        magneticHeading: Double? = nil, trueHeading: Double? = nil, headingAccuracy: Double? = nil, timestamp: WallTime
    ) {
        self.magneticHeading = magneticHeading
        self.trueHeading = trueHeading
        self.headingAccuracy = headingAccuracy
        self.timestamp = timestamp
    }
}
