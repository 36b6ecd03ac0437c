// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// A manager as `status` tells it.
package struct ManagerReport: Sendable {
    /// State of standard updates; nil: not started.
    package var standard: ServiceState?
    /// State of significant change; nil: not started.
    package var significantChange: ServiceState?
    /// Properties in force.
    package var properties: ManagerProperties
    /// As the client set it last.
    package var presence: Presence
    /// The pending `requestLocation`: number and time left; nil: none.
    package var request: (number: UInt32, timeLeft: TimeSpan)?
    /// The running deferral: number, fixes held, metres and time left (nil: no such criterion).
    package var deferral: (number: UInt32, held: Int, distanceLeft: Double?, timeLeft: TimeSpan?)?
    /// Fixes that the distance filter kept back.
    package var filteredByDistance: UInt64 = 0
    /// Fixes that went by while updates paused.
    package var filteredByPause: UInt64 = 0
    /// Updates pause now.
    package var isPaused = false
    /// State of heading; nil: not started.
    package var heading: ServiceState?
    /// State of ranging; nil: not started.
    package var ranging: ServiceState?
    /// The beacons that the manager is asked for; nil: it hears none.
    package var wantedBeacons: WantedBeacons?
    /// Why nobody hears any, by the word of a program that could; nil: there is none.
    package var deafness: String?
    /// Streams of live updates, and whether each has told that the device is stationary.
    package var live: [(number: UInt32, configuration: LiveConfiguration, isStationary: Bool)] = []
    /// Sessions that are held.
    package var sessions: [Session] = []
    /// Monitors that are open.
    package var monitors: [(number: UInt32, name: String)] = []
    /// How long the manager still waits for its client to come back; nil: the client is there.
    package var waitsToRejoin: TimeSpan?

    init(_ manager: Directory.Manager, at now: BootInstant) {
        properties = manager.properties
        presence = manager.presence
        waitsToRejoin = manager.awayUntil.map { max($0 - now, .zero) }
    }
}

/// The receiver's power as `status` tells it.
package struct PowerReport: Sendable {
    /// The policy in force.
    package var policy: PowerPolicy
    /// Whether the receiver is on.
    package var isOn: Bool
    /// While it sleeps: the time to the next fix.
    package var nextOn: TimeSpan?
    /// How long it was on since the engine began.
    package var onTime: TimeSpan

    init(_ power: ReceiverPower, at now: BootInstant) {
        policy = power.policy
        isOn = power.isOn
        nextOn = power.sleepsUntil.map { max($0 - now, .zero) }
        onTime = power.onTime(at: now)
    }
}
