// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// Who is at the other end of a connection, from the kernel's credentials and never from what it says (protocol.md, Identity).
package struct PeerIdentity: Sendable, Hashable {
    /// The user.
    package let uid: UInt32
    /// What the authorization belongs to: `unit:NAME`, `app:ID`, or nothing beside the user.
    package let name: String?

    /// For people and for `hello`: `unit:gpxlogger.service uid:1000`, `uid:1000`.
    package var description: String { name.map { "\($0) uid:\(uid)" } ?? "uid:\(uid)" }

    /// The identity behind a cgroup path: the innermost service that is neither a user's own manager nor a transient run, else the
    /// application of the innermost `app-….scope`, else the user.
    package init(uid: UInt32, cgroup: String?) {
        self.uid = uid
        let units = (cgroup ?? "").split(separator: "/").map { PeerIdentity.unescaped(String($0)) }
        let service = units.last { name in
            name.hasSuffix(".service") && !name.hasPrefix("user@") && !name.hasPrefix("run-")
        }
        if let service {
            name = "unit:\(PeerIdentity.printable(service))"
        } else if let scope = units.last(where: { $0.hasPrefix("app-") && $0.hasSuffix(".scope") }),
            let application = PeerIdentity.application(ofScope: scope)
        {
            name = "app:\(PeerIdentity.printable(application))"
        } else {
            name = nil
        }
    }

    /// The identity that was derived before.
    package init(uid: UInt32, name: String?) {
        self.uid = uid
        self.name = name
    }

    /// The user alone, of a peer that is gone or hidden.
    package init(uid: UInt32) { self.init(uid: uid, cgroup: nil) }

    // `app[-LAUNCHER]-ID-RANDOM.scope`; a dash inside ID is written \x2d.
    private static func application(ofScope scope: String) -> String? {
        let parts = scope.dropFirst("app-".count).dropLast(".scope".count).split(separator: "-")
        guard parts.count >= 2 else { return nil }
        return unitUnescaped(String(parts[parts.count - 2]))
    }

    // The kernel shows cgroup names as they are; systemd puts `_` before names that would clash with the kernel's own files.
    private static func unescaped(_ name: String) -> String { name.hasPrefix("_") ? String(name.dropFirst()) : name }

    private static func unitUnescaped(_ name: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "\\"), rest.count >= 4, rest[rest.startIndex + 1] == UInt8(ascii: "x"),
                let value = UInt8(
                    String(decoding: rest[(rest.startIndex + 2)..<(rest.startIndex + 4)], as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(4)
            } else {
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func printable(_ name: String) -> String {
        String(name.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : Character($0) })
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

    /// Looks the peer's unit up. The pidfd makes sure that the cgroup that was read is that of the process that connected, and not
    /// of a later one with its number.
    func identity(of fd: Int32) -> PeerIdentity {
        let pidfd = clinux_peer_pidfd(fd, pid)
        guard pidfd >= 0 else { return PeerIdentity(uid: uid) }
        defer { close(pidfd) }
        let cgroup = PeerCredentials.cgroup(of: pid)
        return clinux_pidfd_is_alive(pidfd) ? PeerIdentity(uid: uid, cgroup: cgroup) : PeerIdentity(uid: uid)
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
    /// Whether the process was a member of the group when it connected, by the kernel's word.
    static func isMember(of group: String, _ fd: Int32) -> Bool {
        guard let entry = getgrnam(group) else { return false }
        return clinux_peer_has_group(fd, entry.pointee.gr_gid)
    }
}
