// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// What `status` says of a manager.
package struct ManagerReport: Sendable {
    /// State of standard updates; nil: not started.
    package var standard: ServiceState?
    /// State of significant change; nil: not started.
    package var significantChange: ServiceState?
    /// Properties in force.
    package var properties: ManagerProperties
    /// As the client last said.
    package var presence: Presence
    /// The pending `requestLocation`: number and time left; nil: none.
    package var request: (number: UInt32, timeLeft: TimeSpan)?
    /// The running deferral: number, fixes held, metres and time left (nil: no such criterion).
    package var deferral: (number: UInt32, held: Int, distanceLeft: Double?, timeLeft: TimeSpan?)?
    /// Fixes that the distance filter kept back.
    package var filteredByDistance: UInt64
    /// Fixes that went by while updates paused.
    package var filteredByPause: UInt64
    /// Updates pause now.
    package var isPaused: Bool
    /// State of heading; nil: not started.
    package var heading: ServiceState?
    /// Streams of live updates, and whether each has told that the device rests.
    package var live: [(number: UInt32, configuration: LiveConfiguration, isResting: Bool)]
    /// Sessions that are held.
    package var sessions: [Session]
    /// Monitors that are open.
    package var monitors: [(number: UInt32, name: String)]
    /// How long the manager still waits for its client to come back; nil: the client is there.
    package var waitsToRejoin: TimeSpan?
}

/// What `status` says of the receiver's power.
package struct PowerReport: Sendable {
    /// The policy in force.
    package var policy: PowerPolicy
    /// Whether the receiver is on.
    package var isOn: Bool
    /// While it sleeps: the time to the next fix.
    package var nextOn: TimeSpan?
}

extension Engine {
    /// The manager as it is at `now`.
    package func report(of manager: ManagerID, at now: BootInstant) -> ManagerReport {
        let kept = managers[manager.index]
        let state = authorization(of: manager).serviceState
        let service = standard[of: manager]
        return ManagerReport(
            standard: kept.wantsStandard ? state : nil, significantChange: kept.wantsSignificant ? state : nil,
            properties: kept.properties, presence: kept.presence,
            request: requests[of: manager].map { ($0.number, max($0.deadline - now, .zero)) },
            deferral: deferrals[of: manager].map { deferral in
                let distance = deferral.endOfTravel - odometer.travelled
                return (
                    deferral.number, service.map { $0.mode == .held ? $0.held : 0 } ?? 0,
                    distance.isFinite ? max(distance, 0) : nil,
                    deferral.deadline == .distantFuture ? nil : max(deferral.deadline - now, .zero)
                )
            },
            filteredByDistance: kept.filtered + (service?.filtered ?? 0),
            filteredByPause: kept.paused + (service?.paused ?? 0), isPaused: service?.mode == .paused,
            heading: kept.wantsHeading ? state : nil,
            live: live[of: manager]?.streams.map { ($0.number, $0.configuration, $0.isResting) } ?? [],
            sessions: kept.sessions, monitors: kept.monitors,
            waitsToRejoin: kept.awayUntil.map { max($0 - now, .zero) })
    }

    /// The receiver's power at `now`.
    package func powerReport(at now: BootInstant) -> PowerReport {
        PowerReport(
            policy: power.policy, isOn: power.isOn, nextOn: power.sleepsUntil.map { max($0 - now, .zero) })
    }

    /// Since when the device rests, by the calmest of those who ask; nil: it moves, or nobody asks.
    package var atRestSince: BootInstant? {
        Engine.restingActivities.filter { restUsers[$0.rawValue] > 0 }.compactMap { rest[$0.rawValue].since }.max()
    }

    /// The receiver in use.
    package var currentReceiver: ReceiverID? { receivers.current }
}
