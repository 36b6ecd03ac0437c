// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Which locations a client is told of, by its two thresholds: those that are far enough from the last one it was told of, and late
/// enough after it. Both count from what the client knows, not from what was held back.
///
/// A location that is far enough but too early is held, the newest one only, and told when it is late enough: a device that
/// stops there may say nothing more.
package struct Thresholds: Sendable {
    /// Metres; 0: any distance.
    package var distance: UInt32 = 0
    /// Seconds; 0: at any time.
    package var time: UInt32 = 0

    private var told: (location: Location, at: BootInstant)?
    private var held: Location?

    /// Nothing was told yet, and both thresholds are 0.
    package init() {}

    /// The distance filter to set at the daemon, metres; nil: none.
    ///
    /// With a time threshold the daemon cannot know what the client was told, so that both are applied here.
    package var distanceFilter: Double? { time == 0 && distance > 0 ? Double(distance) : nil }

    /// A location came. True: the client is told of it now.
    package mutating func take(_ location: Location, at now: BootInstant) -> Bool {
        guard let told else { return tell(location, at: now) }
        // The daemon's filter has looked at the distance already, and lets clearly more accurate ones through.
        if distanceFilter != nil { return tell(location, at: now) }
        guard told.location.coordinate.distance(to: location.coordinate) >= Double(distance) else {
            // The device came back: where it was meanwhile is no news any more.
            held = nil
            return false
        }
        guard now >= told.at + .seconds(Double(time)) else {
            held = location
            return false
        }
        return tell(location, at: now)
    }

    /// When `takeHeld` is to be called; nil: nothing is held.
    package var wake: BootInstant? {
        guard held != nil, let told else { return nil }
        return told.at + .seconds(Double(time))
    }

    /// The location that was held and is late enough now; the client is told of it.
    package mutating func takeHeld(at now: BootInstant) -> Location? {
        guard let location = held, let wake, now >= wake else { return nil }
        _ = tell(location, at: now)
        return location
    }

    /// Forgets what is held: the client may not know it any more.
    package mutating func forgetHeld() { held = nil }

    /// Forgets what the client was told: the next location is a first one.
    package mutating func restart() {
        told = nil
        held = nil
    }

    private mutating func tell(_ location: Location, at now: BootInstant) -> Bool {
        told = (location, now)
        held = nil
        return true
    }
}
