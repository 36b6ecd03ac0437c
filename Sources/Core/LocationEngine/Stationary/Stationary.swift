// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Whether the device is stationary, for standard updates that pause and live updates that fall silent (Protocol 4.8, 4.9).
///
/// One detector an activity decides for all services with it, and runs only while there are some. A service takes part when it has run
/// as long as the device must be stationary to be believed so. A fix costs one detector step for each activity in use.
struct Stationary: Sendable {
    static let activities: [ActivityType] = [.other, .automotiveNavigation, .fitness, .otherNavigation]

    /// By raw value of the activity.
    private var detectors = [StationaryDetector](repeating: StationaryDetector(), count: 6)
    private var users = [Int](repeating: 0, count: 6)
    /// No service can pause before.
    private var nextPause = BootInstant.distantFuture
    /// Bits by raw value of the activity: the newest fix showed that the device moves.
    private var moved: UInt8 = 0
    /// With the newest fix a service may have run long enough to pause.
    private(set) var isPauseDue = false

    func isStationary(_ activity: ActivityType) -> Bool { detectors[activity.rawValue].isStationary }

    /// Whether the newest fix showed that the device moves.
    func hasMoved(_ activity: ActivityType?) -> Bool { activity.map { moved & 1 << UInt8($0.rawValue) != 0 } ?? false }

    var hasMoved: Bool { moved != 0 }

    /// A service with this activity begins (+1) or ends (-1) to care.
    mutating func count(_ activity: ActivityType?, by change: Int) {
        guard let activity, activity != .airborne else { return }
        let index = activity.rawValue
        users[index] += change
        if users[index] == 0 { detectors[index] = StationaryDetector() }
        // A service that comes while the device is stationary has its own time to run.
        if change > 0, detectors[index].isStationary { lookAtNextFix() }
    }

    /// Looks at an accepted fix, before services do.
    mutating func note(_ location: Location, at now: BootInstant, _ configuration: EngineConfiguration) {
        moved = 0
        for activity in Stationary.activities where users[activity.rawValue] > 0 {
            switch detectors[activity.rawValue].process(location, at: now, configuration.stationary(for: activity)) {
            case nil: break
            case .moved: moved |= 1 << UInt8(activity.rawValue)
            case .becameStationary: nextPause = now
            }
        }
        isPauseDue = now >= nextPause
        if isPauseDue { nextPause = .distantFuture }
    }

    /// A service may have to pause at `date`.
    mutating func lookAgain(at date: BootInstant) { nextPause = min(nextPause, date) }

    /// A service may have to pause with the next fix.
    mutating func lookAtNextFix() { nextPause = BootInstant(nanoseconds: 0) }

    /// A service was started again by its client: it has its time to run from `now`.
    mutating func restart(at now: BootInstant) { nextPause = now }

    /// Since when the device is stationary, by the activity that was the last to say so; nil: it moves, or no service asks.
    var since: BootInstant? {
        Stationary.activities.filter { users[$0.rawValue] > 0 }.compactMap { detectors[$0.rawValue].since }.max()
    }

    // MARK: Another process

    var kept: [StationaryPlace] {
        Stationary.activities.compactMap { detectors[$0.rawValue].kept(activity: $0.rawValue) }
    }

    /// Goes on where a former process was: services that paused go on when the device moves from there.
    mutating func restore(_ kept: [StationaryPlace]) {
        for place in kept where detectors.indices.contains(place.activity) && users[place.activity] > 0 {
            detectors[place.activity] = StationaryDetector(place)
        }
        lookAtNextFix()
    }
}

/// Where the device is stationary, for services of another process that are silent until it moves.
package struct StationaryPlace: Sendable, Codable {
    var activity: Int
    var latitude: Double
    var longitude: Double
    var weight: Double
    var since: Int64

    /// Whether the device can have been stationary so.
    package var isUsable: Bool {
        Coordinate(latitude: latitude, longitude: longitude).isValid && weight > 0 && weight.isFinite
    }
}
