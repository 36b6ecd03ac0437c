// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The headings of one manager (CL 9): where the device points, of which only some receivers know.
struct HeadingService: ManagerService {
    let manager: ManagerID
    /// Degrees that were told last; nil: nothing yet.
    var told: Double?
}

extension Engine {
    /// Unavailable until a device has told its heading once: nothing else shows that there is one.
    mutating func startUpdatingHeading(_ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        guard hasHeading else {
            effects.append(.reply(manager, Reply(state: .unavailable)))
            return announceInitialAuthorization(manager, into: &effects)
        }
        let state = authorization(of: manager).serviceState
        effects.append(.reply(manager, Reply(state: state)))
        announceInitialAuthorization(manager, into: &effects)
        managers[manager.index].wantsHeading = true
        if state == .running { runHeading(manager) }
        if state == .denied { effects.append(.fail(manager, code: .denied, source: nil, request: 0)) }
        raiseIfUndetermined(manager, at: now, into: &effects)
        effects.append(.saveManager(manager))
    }

    mutating func runHeading(_ manager: ManagerID) {
        guard !headings.contains(manager) else { return }
        headings.insert(HeadingService(manager: manager))
        touch(identity(of: manager))
    }

    mutating func stopUpdatingHeading(_ manager: ManagerID, into effects: inout EffectBuffer) {
        managers[manager.index].wantsHeading = false
        headings.remove(manager)
        touch(identity(of: manager))
        effects.append(.saveManager(manager))
        effects.append(.reply(manager, Reply(state: nil)))
    }

    mutating func receive(_ heading: Heading, into effects: inout EffectBuffer) {
        guard let degrees = heading.trueHeading ?? heading.magneticHeading, degrees.isFinite else { return }
        hasHeading = true
        effects.heading = heading
        for position in headings.indices {
            let manager = headings[position].manager
            // Reduced accuracy is a place of kilometres and nothing else (protocol.md 5).
            guard !managers[manager.index].isAway, authorization(of: manager).accuracy == .full else { continue }
            let filter = managers[manager.index].properties.headingFilter
            if let told = headings[position].told, filter > 0, Engine.turn(from: told, to: degrees) < filter {
                continue
            }
            headings[position].told = degrees
            effects.append(.heading(manager))
        }
    }

    /// Degrees, 0 to 180.
    private static func turn(from one: Double, to other: Double) -> Double {
        let difference = abs(other - one).truncatingRemainder(dividingBy: 360)
        return min(difference, 360 - difference)
    }
}
