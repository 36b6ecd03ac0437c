// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationServices
import SystemSupport

/// The kernel's word on the process that connected.
package struct PeerCredentials {
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
        guard let text = SmallFile(at: "/proc/\(pid)/cgroup").text else { return nil }
        // The unified hierarchy is the line `0::PATH`.
        return text.split(separator: "\n").first { $0.hasPrefix("0::") }.map { String($0.dropFirst(3)) }
    }
}

extension PeerCredentials {
    /// Whether the process was a member of the group (a name or a number) when it connected, by the kernel's word.
    static func isMember(of group: String, _ fd: Int32) -> Bool {
        guard let number = Accounts.system.gid(group) else { return false }
        return clinux_peer_has_group(fd, number)
    }
}
