// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
package import SystemSupport

/// Who is at the other end of a connection, from the kernel's credentials and never from what it says (Protocol 6.1).
package struct PeerIdentity: Sendable, Hashable {
    /// The user.
    package let uid: UInt32
    /// What the authorization belongs to: `unit:NAME`, `app:ID`, or nothing beside the user.
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

    /// What an administrator types: `NAME uid:N`, `unit:UNIT uid:N`, `app:ID uid:N`, `uid:N`, each also with `user:LOGIN` in place of
    /// `uid:N`. nil: it has another form, or there is no such user.
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

/// The kernel's word on the process that connected.
struct PeerCredentials {
    let pid: Int32
    let uid: UInt32

    /// The user whom the kernel cannot map into our user namespace.
    static let overflowUser: UInt32 = 65534

    /// Throws if the socket has no peer.
    init(of fd: Int32) throws(SystemError) {
        var peer = clinux_peer()
        guard clinux_peer_credentials(fd, &peer) == 0 else {
            throw SystemError(cannot: "read the credentials of a connection")
        }
        pid = peer.pid
        uid = peer.uid
    }

    /// The identity where no manifest names it.
    func identity(of fd: Int32) -> PeerIdentity { PeerIdentity(uid: uid, controlGroup(of: fd)) }

    /// Looks the peer's unit up. The pidfd makes sure that the cgroup that was read is that of the process that connected, and not
    /// of a later one with its number.
    func controlGroup(of fd: Int32) -> ControlGroup {
        let pidfd = clinux_peer_pidfd(fd, pid)
        guard pidfd >= 0 else { return ControlGroup(path: nil) }
        defer { close(pidfd) }
        // Kernels before 6.5 know the process by its number only, which may be another's by now: one of another user tells nothing.
        guard PeerCredentials.owner(of: pid) == uid else { return ControlGroup(path: nil) }
        let path = PeerCredentials.cgroup(of: pid)
        return ControlGroup(path: clinux_pidfd_is_alive(pidfd) ? path : nil, of: uid)
    }

    private static func owner(of pid: Int32) -> UInt32? {
        var status = stat()
        return stat("/proc/\(pid)", &status) == 0 ? status.st_uid : nil
    }

    private static func cgroup(of pid: Int32) -> String? {
        let file = open("/proc/\(pid)/cgroup", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        // The unified hierarchy is the line `0::PATH`.
        let lines = String(decoding: bytes[0..<count], as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("0::") }.map { String($0.dropFirst(3)) }
    }
}

extension PeerCredentials {
    /// Whether the process was a member of the group (a name or a number) when it connected, by the kernel's word.
    static func isMember(of group: String, _ fd: Int32) -> Bool {
        guard let number = Accounts.system.gid(group) else { return false }
        return clinux_peer_has_group(fd, number)
    }
}
