// SPDX-License-Identifier: Apache-2.0

/// An app's authorization for locations, with Core Location's raw values.
public enum AuthorizationStatus: Int, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case notDetermined = 0
    case restricted = 1
    case denied = 2
    case authorizedAlways = 3
    case authorizedWhenInUse = 4
}

/// How precisely an app may know, with Core Location's raw values.
public enum AccuracyAuthorization: Int, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case full = 0
    case reduced = 1
}

/// The activity that the device is used for, with Core Location's raw values (CLActivityType).
public enum ActivityType: Int, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case other = 1
    case automotiveNavigation = 2
    case fitness = 3
    case otherNavigation = 4
    case airborne = 5
}

/// How precise an app wishes its locations: a hint for the receiver, never a filter on what is delivered.
public enum DesiredAccuracy: Sendable, Hashable, BitwiseCopyable {
    case bestForNavigation
    case best
    case nearestTenMeters
    case hundredMeters
    case kilometer
    case threeKilometers
    /// The coarse view that an app with reduced accuracy gets.
    case reduced
    /// Any other number of metres, > 0.
    case meters(Double)

    /// Core Location's number: metres, or a negative marker, or 6,380,000 for `reduced`.
    public var number: Double {
        switch self {
        case .bestForNavigation: -2
        case .best: -1
        case .nearestTenMeters: 10
        case .hundredMeters: 100
        case .kilometer: 1000
        case .threeKilometers: 3000
        case .reduced: 6_380_000
        case .meters(let metres): metres
        }
    }

    /// The wish behind Core Location's number; nil for NaN, 0 and negative numbers that mean nothing.
    public init?(number: Double) {
        switch number {
        case -2: self = .bestForNavigation
        case -1: self = .best
        case 10: self = .nearestTenMeters
        case 100: self = .hundredMeters
        case 1000: self = .kilometer
        case 3000: self = .threeKilometers
        case 6_380_000: self = .reduced
        case let metres where metres > 0: self = .meters(metres)
        default: return nil
        }
    }

    /// The word on the wire; nil for a plain number of metres.
    public var word: String? {
        switch self {
        case .bestForNavigation: "bestForNavigation"
        case .best: "best"
        case .nearestTenMeters: "nearestTenMeters"
        case .hundredMeters: "hundredMeters"
        case .kilometer: "kilometer"
        case .threeKilometers: "threeKilometers"
        case .reduced: "reduced"
        case .meters: nil
        }
    }

    /// All wishes that have a word, most precise first.
    public static let named: [DesiredAccuracy] = [
        .bestForNavigation, .best, .nearestTenMeters, .hundredMeters, .kilometer, .threeKilometers, .reduced,
    ]
}

/// Whether a person has the client before them. Affects deferral only.
public enum Presence: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case background
    case foreground
}

/// The service that a location comes from.
public enum LocationSource: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case standard
    case significantChange
    case request
}

/// Core Location's error codes (CLError), domain `kCLErrorDomain`.
public struct LocationErrorCode: RawRepresentable, Sendable, Hashable, BitwiseCopyable {
    /// Core Location's number.
    public var rawValue: Int
    /// The code `rawValue`; unknown numbers are kept, a newer daemon may send them.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// No fix right now; the service keeps trying.
    public static let locationUnknown = LocationErrorCode(rawValue: 0)
    /// The app may not know the location.
    public static let denied = LocationErrorCode(rawValue: 1)
    /// The heading cannot be told right now.
    public static let headingFailure = LocationErrorCode(rawValue: 3)
    /// The app may not watch regions.
    public static let regionMonitoringDenied = LocationErrorCode(rawValue: 4)
    /// The region cannot be watched: one too many, too large, or nowhere to keep it.
    public static let regionMonitoringFailure = LocationErrorCode(rawValue: 5)
    /// The region cannot be watched yet.
    public static let regionMonitoringSetupDelayed = LocationErrorCode(rawValue: 6)
    /// The deferral broke or could not start: no fix.
    public static let deferredFailed = LocationErrorCode(rawValue: 11)
    /// Standard updates are not running, or paused.
    public static let deferredNotUpdatingLocation = LocationErrorCode(rawValue: 12)
    /// `desiredAccuracy` is neither best nor bestForNavigation, or accuracy is reduced.
    public static let deferredAccuracyTooLow = LocationErrorCode(rawValue: 13)
    /// A `distanceFilter` is set.
    public static let deferredDistanceFiltered = LocationErrorCode(rawValue: 14)
    /// The client cancelled the deferral.
    public static let deferredCanceled = LocationErrorCode(rawValue: 15)
    /// This device cannot range beacons.
    public static let rangingUnavailable = LocationErrorCode(rawValue: 16)
    /// Ranging beacons failed.
    public static let rangingFailure = LocationErrorCode(rawValue: 17)
    /// Nobody could be asked for full accuracy, or there was nothing to ask for.
    public static let promptDeclined = LocationErrorCode(rawValue: 18)

    /// Names by number, in order.
    public static let names = [
        "locationUnknown", "denied", "network", "headingFailure", "regionMonitoringDenied", "regionMonitoringFailure",
        "regionMonitoringSetupDelayed", "regionMonitoringResponseDelayed", "geocodeFoundNoResult",
        "geocodeFoundPartialResult", "geocodeCanceled", "deferredFailed", "deferredNotUpdatingLocation",
        "deferredAccuracyTooLow", "deferredDistanceFiltered", "deferredCanceled", "rangingUnavailable",
        "rangingFailure", "promptDeclined", "historicalLocationError",
    ]

    /// The Swift name, `unknown` for a number that Core Location does not have.
    public var name: String {
        LocationErrorCode.names.indices.contains(rawValue) ? LocationErrorCode.names[rawValue] : "unknown"
    }
}

/// The settable properties of one location manager, with Core Location's defaults.
public struct ManagerProperties: Sendable, Hashable, BitwiseCopyable {
    /// Metres from the last delivered location; negative: none.
    public var distanceFilter: Double
    /// The wish for precision.
    public var desiredAccuracy: DesiredAccuracy
    /// The activity that the device is used for.
    public var activityType: ActivityType
    /// Whether the service may pause while the device rests.
    public var pausesLocationUpdatesAutomatically: Bool
    /// Whether standard updates go on out of use.
    public var allowsBackgroundLocationUpdates: Bool
    /// Degrees of turn between headings; negative: none.
    public var headingFilter: Double

    /// Core Location's defaults: none, best, other, true, false, 1 degree.
    public init() {
        distanceFilter = -1
        desiredAccuracy = .best
        activityType = .other
        pausesLocationUpdatesAutomatically = true
        allowsBackgroundLocationUpdates = false
        headingFilter = 1
    }
}

/// A change of some of a manager's properties: what is nil stays as it is.
public struct PropertiesPatch: Sendable, Hashable {
    /// Metres; negative: none.
    public var distanceFilter: Double?
    /// The wish for precision.
    public var desiredAccuracy: DesiredAccuracy?
    /// The activity that the device is used for.
    public var activityType: ActivityType?
    /// Whether the service may pause while the device rests.
    public var pausesLocationUpdatesAutomatically: Bool?
    /// Whether standard updates go on out of use.
    public var allowsBackgroundLocationUpdates: Bool?
    /// Degrees; negative: none.
    public var headingFilter: Double?

    /// A change of what is given.
    public init(
        distanceFilter: Double? = nil, desiredAccuracy: DesiredAccuracy? = nil, activityType: ActivityType? = nil,
        pausesLocationUpdatesAutomatically: Bool? = nil, allowsBackgroundLocationUpdates: Bool? = nil,
        headingFilter: Double? = nil
    ) {
        self.distanceFilter = distanceFilter
        self.desiredAccuracy = desiredAccuracy
        self.activityType = activityType
        self.pausesLocationUpdatesAutomatically = pausesLocationUpdatesAutomatically
        self.allowsBackgroundLocationUpdates = allowsBackgroundLocationUpdates
        self.headingFilter = headingFilter
    }

    /// `properties` with this change made.
    public func apply(to properties: ManagerProperties) -> ManagerProperties {
        var changed = properties
        if let distanceFilter { changed.distanceFilter = distanceFilter }
        if let desiredAccuracy { changed.desiredAccuracy = desiredAccuracy }
        if let activityType { changed.activityType = activityType }
        if let value = pausesLocationUpdatesAutomatically { changed.pausesLocationUpdatesAutomatically = value }
        if let value = allowsBackgroundLocationUpdates { changed.allowsBackgroundLocationUpdates = value }
        if let headingFilter { changed.headingFilter = headingFilter }
        return changed
    }
}
