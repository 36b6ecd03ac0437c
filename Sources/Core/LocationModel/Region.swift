// SPDX-License-Identifier: Apache-2.0

/// An area on the ground, or the surroundings of beacons, that an app wants to hear of, with Core Location's notify flags (CLRegion).
public struct Region: Sendable, Hashable {
    /// 1 to 128 bytes; one app has one region of a name.
    public var identifier: String
    /// The area, or whose surroundings.
    public var shape: RegionShape
    /// Whether entering is told; true by default.
    public var notifyOnEntry: Bool
    /// Whether leaving is told; true by default.
    public var notifyOnExit: Bool
    /// When a crossing counts, where that differs from the configuration.
    public var hysteresis: RegionHysteresis
    /// The person at the device is shown it when the region is crossed, whether the app is told or not; nil: nothing.
    public var notice: RegionNotice?

    /// The region `identifier`.
    public init(
        identifier: String, shape: RegionShape, notifyOnEntry: Bool = true, notifyOnExit: Bool = true,
        hysteresis: RegionHysteresis = RegionHysteresis(), notice: RegionNotice? = nil
    ) {
        self.identifier = identifier
        self.shape = shape
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
        self.hysteresis = hysteresis
        self.notice = notice
    }
}

/// A text that the person at the device is shown when a region is crossed. The app need not run for it, and is not started.
public struct RegionNotice: Sendable, Hashable {
    /// The crossings that it is for.
    public enum Crossing: String, Sendable, Hashable, CaseIterable {
        /// Entering.
        case entry
        /// Leaving.
        case exit
        /// Entering and leaving.
        case both
    }

    /// Its first line: 1 to 128 bytes with something visible in them, without control and bidirectional characters.
    public var title: String
    /// The text below it: at most 256 bytes, likewise; may be empty.
    public var text: String
    /// When it is shown.
    public var crossing: Crossing
    /// Whether it is shown at each such crossing, or goes with the first.
    public var repeats: Bool

    /// A notice that is shown on entering, each time, unless something else is said.
    public init(title: String, text: String = "", on crossing: Crossing = .entry, repeats: Bool = true) {
        self.title = title
        self.text = text
        self.crossing = crossing
        self.repeats = repeats
    }

    /// Whether it is for a crossing after which the device is so.
    package func isFor(_ state: RegionState) -> Bool {
        switch state {
        case .inside: crossing != .exit
        case .outside: crossing != .entry
        case .unknown: false
        }
    }
}

/// Which notice: the app that it is of, and its number there.
public struct NoticeName: Sendable, Hashable {
    /// The app's identity, as the daemon says it.
    public var identity: String
    /// The app's own word for itself; nil: none.
    public var label: String?
    /// Its number, one of the app's events.
    public var event: UInt64

    /// The notice `event` of an app.
    public init(identity: String, label: String?, event: UInt64) {
        self.identity = identity
        self.label = label
        self.event = event
    }
}

/// How far beyond the border, and for how long, the device must be before a crossing counts.
public struct RegionHysteresis: Sendable, Hashable, BitwiseCopyable {
    /// Metres beyond the border, >= 0; nil: from the accuracy of the fixes, as configured.
    public var cushion: Double?
    /// How long beyond it, by the times of the fixes, >= 0; nil: as configured (20 s).
    public var dwell: TimeSpan?

    /// The configured hysteresis where nil.
    public init(cushion: Double? = nil, dwell: TimeSpan? = nil) {
        self.cushion = cushion
        self.dwell = dwell
    }

    /// Whether what it says is in its range.
    package var isValid: Bool { cushion.map { $0 >= 0 && $0.isFinite } ?? true && dwell.map { $0 >= .zero } ?? true }
}

/// The area of a region or of a monitor's condition, whose border belongs to it, or the beacons whose surroundings it is.
public enum RegionShape: Sendable, Hashable {
    /// All places at most `radius` metres from `center` along the ellipsoid; a radius <= 0 holds nothing.
    case circle(center: Coordinate, radius: Double)
    /// All places in the polygon.
    case polygon(Polygon)
    /// Wherever one of the beacons is heard (CLBeaconRegion): no area, and no place is known to be in it.
    case beacon(BeaconIdentity)

    /// The beacons whose surroundings it is; nil: it is an area.
    package var beacons: BeaconIdentity? { if case .beacon(let beacons) = self { beacons } else { nil } }
}

/// Where the device is with respect to a region, with Core Location's raw values (CLRegionState).
public enum RegionState: Int, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case unknown = 0
    case inside = 1
    case outside = 2
}

/// How a monitor's condition stands, with Core Location's raw values (CLMonitor.Event.State).
public enum ConditionState: Int, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case unknown = 0
    case satisfied = 1
    case unsatisfied = 2
    /// The service does not watch the condition.
    case unmonitored = 3

    /// Inside is satisfied.
    public init(_ state: RegionState) {
        switch state {
        case .unknown: self = .unknown
        case .inside: self = .satisfied
        case .outside: self = .unsatisfied
        }
    }
}
