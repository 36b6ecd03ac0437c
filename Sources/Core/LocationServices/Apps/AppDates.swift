// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel

/// When apps were there, and when they were given a location.
package struct AppDates {
    /// When apps were there last, of those that are kept.
    package var lastSeen: [AppID: WallTime] = [:]
    /// When identities were last given a location.
    var lastUses: [IdentityID: WallTime] = [:]
    /// The same as the store had it on start.
    package var storedUses: [PeerIdentity: WallTime] = [:]
    /// When events that nobody came for are looked at next.
    var nextAgeing = BootInstant(nanoseconds: 0)

    /// An app is there. False: that is noted already, of today.
    mutating func noteSeen(_ app: AppID, _ today: WallTime) -> Bool {
        if let seen = lastSeen[app], abs(today.milliseconds - seen.milliseconds) < 86_400_000 { return false }
        lastSeen[app] = today
        return true
    }
}
