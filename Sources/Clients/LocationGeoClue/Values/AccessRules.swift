// SPDX-License-Identifier: Apache-2.0

/// The users whose programs may know where the device is, and those whose agents decide (see `runLocationGeoClue`).
package struct AccessRules: Sendable, Hashable {
    /// The agents that decide about their own users' programs.
    package enum AgentTrust: Sendable, Hashable {
        /// Of users who sit at the machine: who have an active session at a seat.
        case seat
        /// Of these users.
        case users(Set<UInt32>)
        /// Of all users.
        case everybody
        /// Of nobody.
        case nobody
    }

    /// Users whose programs are always allowed.
    package var alwaysUsers: Set<UInt32> = [0]
    /// Groups whose members' programs are always allowed.
    package var alwaysGroups: Set<UInt32> = []
    /// The agents that count.
    package var agents = AgentTrust.seat

    /// Root's programs are allowed, and the people at the machine decide about theirs.
    package init() {}

    /// Whether nobody need be asked about the programs of a user.
    package func alwaysAllows(_ uid: UInt32, groups: some Sequence<UInt32>) -> Bool {
        alwaysUsers.contains(uid) || groups.contains { alwaysGroups.contains($0) }
    }

    /// Whether the agent of a user decides about the user's programs.
    ///
    /// - Parameter sitsHere: Whether the user has an active session at a seat of this machine.
    package func hearsAgent(of uid: UInt32, sitsHere: @autoclosure () -> Bool) -> Bool {
        switch agents {
        case .seat: sitsHere()
        case .users(let users): users.contains(uid)
        case .everybody: true
        case .nobody: false
        }
    }
}
