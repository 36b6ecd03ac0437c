// SPDX-License-Identifier: Apache-2.0
internal import LocationModel

extension CLLocationManager {
    /// Whether the program is in front of somebody. Only here: on Apple's systems the system knows.
    public enum Presence: Sendable {
        /// Nobody waits for each location: deferral holds them back.
        case background
        /// Somebody looks: locations come as they are, also during a deferral.
        case foreground
    }

    /// Whether the program is in front of somebody, for all its managers; `background` by default.
    public static var presence: Presence {
        get { ManagerRegistry.shared.presence == .foreground ? .foreground : .background }
        set { ManagerRegistry.shared.setPresence(newValue == .foreground ? .foreground : .background) }
    }
}
