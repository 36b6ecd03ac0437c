// SPDX-License-Identifier: Apache-2.0
package import SystemSupport

/// The identity of the process at the other end of a connection, from the kernel's credentials and never from its word (Protocol 6.1).
package struct PeerIdentity: Sendable, Hashable {
    /// The user.
    package let uid: UInt32
    /// The owner of the authorization beside the user: a manifest's name, `unit:NAME`, `user-unit:NAME`, `app:ID`; nil: the user alone.
    package let name: String?

    /// For people and for `hello`: `gpxlogger uid:1000` (a manifest's name), `unit:gpxlogger.service uid:1000`, `uid:1000`.
    package var description: String { name.map { "\($0) uid:\(uid)" } ?? "uid:\(uid)" }

    /// The identity behind a control group, where no manifest names it: the service, else the application, else the user.
    package init(uid: UInt32, _ group: ControlGroup) {
        self.uid = uid
        if let service = group.service {
            // The names of a user's own units are the user's choice: they are not those of the system's.
            name = group.isSystem ? "unit:\(service)" : "user-unit:\(service)"
        } else if let application = group.application {
            name = "app:\(application)"
        } else {
            name = nil
        }
    }

    /// The identity behind the text of a control group, see above.
    package init(uid: UInt32, cgroup: String?) { self.init(uid: uid, ControlGroup(path: cgroup, of: uid)) }

    /// The identity that was derived before.
    package init(uid: UInt32, name: String?) {
        self.uid = uid
        self.name = name
    }

    /// The user alone, of a peer that is gone or hidden.
    package init(uid: UInt32) { self.init(uid: uid, cgroup: nil) }

    /// Reads the form that an administrator types: `NAME uid:N`, `unit:UNIT uid:N`, `app:ID uid:N`, `uid:N`, each also with `user:LOGIN` in
    /// place of `uid:N`. nil: it has another form, or there is no such user.
    package init?(parsing text: String, accounts: Accounts = .system) {
        // The last space divides: a control group may have one in its name.
        let space = text.lastIndex(of: " ")
        let user = space.map { text[text.index(after: $0)...] } ?? text[...]
        if user.hasPrefix("uid:") {
            guard let number = UInt32(digits: user.dropFirst(4)) else { return nil }
            uid = number
        } else {
            guard user.hasPrefix("user:"), let number = accounts.user(String(user.dropFirst(5))) else { return nil }
            uid = number
        }
        name = space.map { String(text[..<$0]) }
        guard name.map(PeerIdentity.isName) ?? true else { return nil }
    }

    // A manifest's name, or a prefix and something behind it.
    private static func isName(_ name: String) -> Bool {
        for prefix in ["unit:", "user-unit:", "app:"] where name.hasPrefix(prefix) { return name.count > prefix.count }
        return AppManifest.isIdentifier(name)
    }
}
