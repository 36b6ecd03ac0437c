// SPDX-License-Identifier: Apache-2.0

/// One arrival or departure (CLVisit).
public struct Visit: Sendable, Hashable, BitwiseCopyable {
    /// The middle of the stay.
    public var coordinate: Coordinate
    /// Metres, 68 %, > 0.
    public var horizontalAccuracy: Double
    /// When the stay began, back-dated; nil: nobody saw it.
    public var arrival: WallTime?
    /// When it ended, back-dated; nil: it has not.
    public var departure: WallTime?

    /// A visit at `coordinate`.
    public init(coordinate: Coordinate, horizontalAccuracy: Double, arrival: WallTime?, departure: WallTime?) {
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.arrival = arrival
        self.departure = departure
    }
}

/// A monitor's event about a condition (CLMonitor.Event).
public struct ConditionEvent: Sendable, Hashable {
    /// How it stands.
    public var state: ConditionState
    /// Since when.
    public var date: WallTime
    /// The condition that was found, while it is satisfied.
    public var refinement: RegionShape?
    /// Why it cannot be watched.
    public var flags: DiagnosticFlags

    /// The condition in `state`.
    public init(state: ConditionState, date: WallTime, refinement: RegionShape? = nil, flags: DiagnosticFlags = []) {
        self.state = state
        self.date = date
        self.refinement = refinement
        self.flags = flags
    }
}

/// An event of an app, which is told until it is acknowledged.
public struct AppEvent: Sendable, Hashable {
    /// A region's crossing, a visit, a monitor's event or a significant change.
    public enum Content: Sendable, Hashable {
        /// Entered (`inside`) or left (`outside`) a region, by the fix `location`; nil: by a beacon.
        case region(Region, RegionState, Location?)
        case visit(Visit)
        /// A condition of the monitor `name`.
        case monitor(name: String, identifier: String, ConditionEvent)
        /// `isReduced`: the location is the reduced view.
        case significantChange(Location, isReduced: Bool)
        /// Something to show a person: `region` was entered (`inside`) or left (`outside`). The app itself is not told.
        case notice(RegionNotice, region: String, RegionState)
    }

    /// Counts from 1 for each app and is never used again.
    public var number: UInt64
    /// When it was decided.
    public var date: WallTime
    /// The crossing, visit, condition or change that the app is told of.
    public var content: Content

    /// The event `number`.
    public init(number: UInt64, date: WallTime, content: Content) {
        self.number = number
        self.date = date
        self.content = content
    }
}

extension AppEvent {
    /// Whether it is for a person, and not for the app.
    package var isNotice: Bool { if case .notice = content { true } else { false } }
}

/// Why a service cannot give what was asked for, in the names of `CLLocationUpdate` and `CLMonitor.Event`.
public struct DiagnosticFlags: OptionSet, Sendable, Hashable, BitwiseCopyable {
    /// The stored bits.
    public var rawValue: UInt16
    /// The flags with these bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The person refused.
    public static let authorizationDenied = DiagnosticFlags(rawValue: 1 << 0)
    /// Location services are off for everyone; `authorizationDenied` is set, too.
    public static let authorizationDeniedGlobally = DiagnosticFlags(rawValue: 1 << 1)
    /// The administrator forbids it.
    public static let authorizationRestricted = DiagnosticFlags(rawValue: 1 << 2)
    /// Somebody is being asked.
    public static let authorizationRequestInProgress = DiagnosticFlags(rawValue: 1 << 3)
    /// The app is not in use, which it would have to be.
    public static let insufficientlyInUse = DiagnosticFlags(rawValue: 1 << 4)
    /// No service session asks for it.
    public static let serviceSessionRequired = DiagnosticFlags(rawValue: 1 << 5)
    /// Only the reduced view may be seen.
    public static let accuracyLimited = DiagnosticFlags(rawValue: 1 << 6)
    /// No fix is possible.
    public static let locationUnavailable = DiagnosticFlags(rawValue: 1 << 7)
    /// Full accuracy was asked for and is not granted.
    public static let fullAccuracyDenied = DiagnosticFlags(rawValue: 1 << 8)
    /// Always was asked for and is not granted.
    public static let alwaysAuthorizationDenied = DiagnosticFlags(rawValue: 1 << 9)
    /// This device cannot watch such a condition.
    public static let conditionUnsupported = DiagnosticFlags(rawValue: 1 << 10)
    /// The app has as many conditions as it may.
    public static let conditionLimitExceeded = DiagnosticFlags(rawValue: 1 << 11)
    /// The state directory cannot be used.
    public static let persistenceUnavailable = DiagnosticFlags(rawValue: 1 << 12)

    /// Each flag's name on the wire, in the order of the bits.
    public static let names = [
        "authorizationDenied", "authorizationDeniedGlobally", "authorizationRestricted",
        "authorizationRequestInProgress", "insufficientlyInUse", "serviceSessionRequired", "accuracyLimited",
        "locationUnavailable", "fullAccuracyDenied", "alwaysAuthorizationDenied", "conditionUnsupported",
        "conditionLimitExceeded", "persistenceUnavailable",
    ]

    /// The names of the flags that are set.
    public var names: [String] {
        DiagnosticFlags.names.indices.filter { rawValue & 1 << UInt16($0) != 0 }.map { DiagnosticFlags.names[$0] }
    }

    /// The flag of a name on the wire; nil: there is none.
    public init?(name: String) {
        guard let bit = DiagnosticFlags.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: 1 << UInt16(bit))
    }
}
