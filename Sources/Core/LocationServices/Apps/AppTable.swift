// SPDX-License-Identifier: Apache-2.0
package import LocationEngine

/// The key of an app: an identity, and the label that its processes may give themselves.
package struct AppKey: Hashable, Sendable {
    package let identity: PeerIdentity
    package let label: String?

    /// The processes of `identity` that call themselves `label`; nil: nothing.
    package init(identity: PeerIdentity, label: String?) { (self.identity, self.label) = (identity, label) }
}

/// The identities and apps that are known by number.
package struct AppTable {
    /// Labels of one identity (Protocol 6.2).
    static let labelsPerIdentity = 32
    /// Apps without a manager that are remembered, so that `resumeAfter` works across a reconnect.
    static let remembered = 1024

    private struct Entry {
        let key: AppKey
        let identity: IdentityID
        var managers = 0
        /// The store keeps something of it: it is never forgotten.
        var isKept = false
    }

    private var numbers: [AppKey: AppID] = [:]
    private var apps: [Entry?] = []
    /// Apps without a manager that nothing is kept of, longest ago first.
    private var idle: [AppID] = []
    private var identityNumbers: [PeerIdentity: IdentityID] = [:]
    private var identities: [(identity: PeerIdentity, apps: Int)?] = []

    /// The number of an identity, and whether it is new.
    mutating func enter(_ identity: PeerIdentity) -> (identity: IdentityID, isNew: Bool) {
        if let number = identityNumbers[identity] { return (number, false) }
        let index = identities.firstIndex { $0 == nil } ?? identities.count
        if index == identities.count { identities.append(nil) }
        identities[index] = (identity, 0)
        let number = IdentityID(rawValue: Int32(index))
        identityNumbers[identity] = number
        return (number, true)
    }

    /// The number of an app, and whether it is new. nil: its identity has used all its labels.
    package mutating func enter(_ key: AppKey) -> (app: AppID, isNew: Bool)? {
        if let app = numbers[key] { return (app, false) }
        guard key.label == nil || hasRoomForLabel(of: key.identity) else { return nil }
        let identity = enter(key.identity).identity
        let index = apps.firstIndex { $0 == nil } ?? apps.count
        if index == apps.count { apps.append(nil) }
        let app = AppID(rawValue: Int32(index))
        apps[index] = Entry(key: key, identity: identity)
        identities[Int(identity.rawValue)]?.apps += 1
        numbers[key] = app
        idle.append(app)
        return (app, true)
    }

    /// A label that nobody uses any more and nothing is kept of makes room for another.
    private mutating func hasRoomForLabel(of identity: PeerIdentity) -> Bool {
        func isLabelled(_ key: AppKey) -> Bool { key.identity == identity && key.label != nil }
        guard numbers.keys.count(where: isLabelled) >= AppTable.labelsPerIdentity else { return true }
        guard let unused = idle.firstIndex(where: { self.key(of: $0).map(isLabelled) ?? false }) else { return false }
        forget(idle.remove(at: unused))
        return true
    }

    /// A manager of the app is there.
    package mutating func join(_ app: AppID) {
        apps[Int(app.rawValue)]?.managers += 1
        idle.removeAll { $0 == app }
    }

    /// A manager of the app is gone.
    mutating func leave(_ app: AppID) {
        apps[Int(app.rawValue)]?.managers -= 1
        makeIdle(app)
    }

    /// Whether the store keeps something of the app.
    package mutating func setKept(_ app: AppID, _ isKept: Bool) {
        guard apps[Int(app.rawValue)]?.isKept != isKept else { return }
        apps[Int(app.rawValue)]?.isKept = isKept
        if isKept { idle.removeAll { $0 == app } } else { makeIdle(app) }
    }

    private mutating func makeIdle(_ app: AppID) {
        guard let entry = apps[Int(app.rawValue)], entry.managers == 0, !entry.isKept, !idle.contains(app) else {
            return
        }
        idle.append(app)
        guard idle.count > AppTable.remembered else { return }
        forget(idle.removeFirst())
    }

    private mutating func forget(_ app: AppID) {
        guard let entry = apps[Int(app.rawValue)] else { return }
        numbers[entry.key] = nil
        apps[Int(app.rawValue)] = nil
        let identity = Int(entry.identity.rawValue)
        identities[identity]?.apps -= 1
        guard let known = identities[identity], known.apps == 0 else { return }
        identityNumbers[known.identity] = nil
        identities[identity] = nil
    }

    /// Returns the identity and label of an app; nil: no app has this number.
    package func key(of app: AppID) -> AppKey? {
        apps.indices.contains(Int(app.rawValue)) ? apps[Int(app.rawValue)]?.key : nil
    }

    /// The number of an app that is known.
    func app(_ key: AppKey) -> AppID? { numbers[key] }

    /// Returns the identity of a number; nil: none has it.
    package func identity(_ number: IdentityID) -> PeerIdentity? {
        identities.indices.contains(Int(number.rawValue)) ? identities[Int(number.rawValue)]?.identity : nil
    }

    /// The identity that an app belongs to.
    package func identity(of app: AppID) -> IdentityID? { apps[Int(app.rawValue)]?.identity }

    /// The number of an identity that is known.
    func number(of identity: PeerIdentity) -> IdentityID? { identityNumbers[identity] }

    /// All identities that are known, by number.
    var knownIdentities: [IdentityID] {
        identities.indices.filter { identities[$0] != nil }.map { IdentityID(rawValue: Int32($0)) }
    }

    /// The apps of an identity, by number.
    package func apps(of identity: IdentityID) -> [AppID] {
        apps.indices.filter { apps[$0]?.identity == identity }.map { AppID(rawValue: Int32($0)) }
    }

    /// Whether no client of the app is there, or may come back to what it left.
    func hasNoManager(_ app: AppID) -> Bool { apps[Int(app.rawValue)]?.managers == 0 }

    /// The apps of which the store keeps something, by number.
    package var kept: [AppID] { apps.indices.filter { apps[$0]?.isKept == true }.map { AppID(rawValue: Int32($0)) } }
}
