// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// As many as a connection may have.
package enum BeaconLimits {
    /// Constraints that it ranges.
    package static let constraints = 10
    /// Reports of what it hears, in a second.
    package static let reportsPerSecond = 10
}

/// Those who hear beacons: programs that said so, and the device itself where it is simulated.
struct BeaconEars: Sendable {
    private struct Ear: Sendable {
        let manager: ManagerID
        /// How many reports it may still make at `asOf`.
        var credit = BeaconEars.burst
        var asOf: BootInstant
    }

    /// Reports in a second, for long,
    private static let rate = Double(BeaconLimits.reportsPerSecond)
    /// and at once.
    private static let burst = 20.0

    private var ears: [Ear] = []
    /// The program that said last that it cannot hear, and why.
    private var deaf: (manager: ManagerID, reason: String)?
    var deviceHears = false

    /// Whether somebody hears beacons.
    var hear: Bool { deviceHears || !ears.isEmpty }
    var managers: [ManagerID] { ears.map(\.manager) }
    /// Why nobody hears, by the word of a program that could; nil: somebody does, or none says so.
    var reason: String? { ears.isEmpty ? deaf?.reason : nil }

    func contains(_ manager: ManagerID) -> Bool { ears.contains { $0.manager == manager } }

    mutating func add(_ manager: ManagerID, at now: BootInstant) {
        deaf = nil
        guard !contains(manager) else { return }
        ears.append(Ear(manager: manager, asOf: now))
    }

    mutating func remove(_ manager: ManagerID, because reason: String? = nil) {
        ears.removeAll { $0.manager == manager }
        if let reason { deaf = (manager, reason) } else if deaf?.manager == manager { deaf = nil }
    }

    /// Takes a report into account; why it is refused, if it is.
    mutating func charge(_ manager: ManagerID, at now: BootInstant) -> EngineRefusal? {
        guard let index = ears.firstIndex(where: { $0.manager == manager }) else { return .notOffered }
        ears[index].credit = min(
            BeaconEars.burst, ears[index].credit + (now - ears[index].asOf).seconds * BeaconEars.rate)
        ears[index].asOf = now
        guard ears[index].credit >= 1 else { return .tooManyReports }
        ears[index].credit -= 1
        return nil
    }
}
