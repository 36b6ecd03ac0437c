// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import SystemSupport

/// The names of users, looked up once for a screen that shows many of them: the system's databases may be files, or slower.
struct UserNames {
    /// How long a name is taken for the user's.
    static let lifetime = TimeSpan.seconds(2)

    /// Looks a name up; tests have users of their own.
    var look: (UInt32) -> String? = { Accounts.name(of: $0) }
    private var names: [UInt32: String?] = [:]
    private var lookedAt = BootInstant(nanoseconds: 0)

    /// The name of a user; nil: the system knows none.
    mutating func name(of uid: UInt32, at now: BootInstant) -> String? {
        if now - lookedAt > UserNames.lifetime {
            names.removeAll()
            lookedAt = now
        }
        if let known = names[uid] { return known }
        let name = look(uid)
        names[uid] = .some(name)
        return name
    }
}

extension LocationService {
    /// The name of a user; nil: the system knows none.
    func userName(_ uid: UInt32) -> String? { userNames.name(of: uid, at: turnTime) }
}
