// SPDX-License-Identifier: Apache-2.0
import CLinux
package import LocationServices
import SystemSupport

extension Peer {
    /// The peer behind a connection, by what the kernel says of its socket.
    package init(_ credentials: PeerCredentials, of fd: Int32, adminGroup: String) {
        self.init(
            pid: credentials.pid, uid: credentials.uid,
            controlGroup: {
                credentials.uid == PeerCredentials.overflowUser ? nil : credentials.controlGroup(of: fd)
            },
            isMember: { clinux_peer_has_group(fd, $0) },
            isAdmin: { credentials.uid == 0 || PeerCredentials.isMember(of: adminGroup, fd) })
    }
}
