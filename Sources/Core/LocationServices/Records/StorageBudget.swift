// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import SystemSupport

/// The bytes that apps may keep: few while nobody has allowed them anything.
struct StorageBudget {
    let limits: ServiceLimits
    let service: LocationService

    /// How much of what is kept belongs to whom.
    private struct Sums {
        var app = 0
        var user = 0
        var all = 0
        var userNotAllowed = 0
        var allNotAllowed = 0
    }

    /// The budget that so many more bytes of an app would exceed, in words; nil: none.
    func usedUp(by app: AppID, _ bytes: Int) -> String? {
        let sums = sums(for: app)
        if sums.all + bytes > limits.storedBytes {
            return "all apps together may keep \(limits.storedBytes.inBytes) (StoredBytes= in [Limits])"
        }
        guard service.engine.isAllowed(app) else {
            if sums.userNotAllowed + bytes > limits.undecidedBytesPerUser {
                return "what nobody has allowed may keep \(limits.undecidedBytesPerUser.inBytes) for each user "
                    + "(UndecidedBytesPerUser= in [Limits])"
            }
            guard sums.allNotAllowed + bytes > limits.undecidedBytes else { return nil }
            return
                "what nobody has allowed may keep \(limits.undecidedBytes.inBytes) in all (UndecidedBytes= in [Limits])"
        }
        if sums.app + bytes > limits.storedBytesPerApp {
            return "an app may keep \(limits.storedBytesPerApp.inBytes) (StoredBytesPerApp= in [Limits])"
        }
        guard sums.user + bytes > limits.storedBytesPerUser else { return nil }
        return "the apps of a user may keep \(limits.storedBytesPerUser.inBytes) (StoredBytesPerUser= in [Limits])"
    }

    private func sums(for app: AppID) -> Sums {
        var sums = Sums()
        let uid = service.apps.key(of: app)?.identity.uid
        for other in service.apps.kept {
            let size = service.engine.storedSize(of: other) + StoredSize.app
            let isOfUser = service.apps.key(of: other)?.identity.uid == uid
            sums.all += size
            if isOfUser { sums.user += size }
            if other == app { sums.app += size }
            guard !service.engine.isAllowed(other) else { continue }
            sums.allNotAllowed += size
            if isOfUser { sums.userNotAllowed += size }
        }
        return sums
    }
}
