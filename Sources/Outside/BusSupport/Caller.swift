// SPDX-License-Identifier: Apache-2.0
import CSystemd
import Glibc
import SystemSupport

/// The sender of a message, by the word of the bus and of the kernel.
package struct Caller {
    /// The unique name of the connection.
    package let name: String
    /// The user, as the kernel told the bus when the connection was made.
    package let uid: UInt32
    /// The desktop application whose control group the process is in; nil: in none.
    package let application: String?

    /// Throws for a sender that is gone.
    package init(of message: BusMessage) throws(BusError) {
        let wanted = [SD_BUS_CREDS_EUID, SD_BUS_CREDS_PID, SD_BUS_CREDS_CGROUP, SD_BUS_CREDS_AUGMENT]
        var found: OpaquePointer?
        let result = sd_bus_query_sender_creds(message.message, wanted.reduce(0) { $0 | UInt64($1) }, &found)
        defer { sd_bus_creds_unref(found) }
        var uid: uid_t = 0
        guard result >= 0, sd_bus_creds_get_euid(found, &uid) >= 0 else {
            throw .accessDenied("cannot serve \(message.sender): the bus does not say who it is")
        }
        name = message.sender
        self.uid = uid
        application = Caller.cgroup(found, uid).flatMap { ControlGroup(path: $0, of: uid).application }
    }

    private static func cgroup(_ credentials: OpaquePointer?, _ uid: uid_t) -> String? {
        var pid: pid_t = 0
        var path: UnsafePointer<CChar>?
        var process = stat()
        // The bus knows the process by its number only, which may be another's by now: one of another user tells nothing.
        guard sd_bus_creds_get_pid(credentials, &pid) >= 0, sd_bus_creds_get_cgroup(credentials, &path) >= 0, let path,
            stat("/proc/\(pid)", &process) == 0, process.st_uid == uid
        else { return nil }
        return String(cString: path)
    }

    /// Whether a user has an active session at a seat of this machine.
    package static func sitsHere(_ uid: UInt32) -> Bool { sd_uid_get_seats(uid, 1, nil) > 0 }
}
