// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport

/// A client in a process of its own that is in the control group of a system service.
final class UnitProcess {
    static let service = "locationd-test-\(getpid()).service"
    private static let root = "/sys/fs/cgroup"

    /// Where the unified hierarchy is; nil: it is nowhere that we could write to.
    private static let hierarchy: String? = ["\(root)/unified", root].first {
        access("\($0)/cgroup.procs", W_OK) == 0
    }

    static var isPossible: Bool { hierarchy != nil }

    private let process: ChildProcess
    private let group: String

    init(_ daemon: DaemonFixture, uid: UInt32) throws {
        guard let hierarchy = UnitProcess.hierarchy else { throw TestFailure("cannot find control groups") }
        group = "\(hierarchy)/\(UnitProcess.service)"
        guard mkdir(group, 0o755) == 0 || errno == EEXIST else { throw TestFailure("cannot make \(group)") }
        let become = "\(try requireProgram("setpriv")) --reuid \(uid) --regid \(uid) --clear-groups --"
        let connect = "\(try requireProgram("socat")) - UNIX-CONNECT:\(daemon.socket)"
        process = try ChildProcess(
            try requireProgram("sh"), ["-c", "echo $$ > \(group)/cgroup.procs && exec \(become) \(connect)"])
    }

    deinit { rmdir(group) }

    /// Asks, and returns the line of the reply.
    func ask(_ id: Int, _ method: String, _ params: String) throws -> String {
        try process.write(
            Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#.utf8) + [10])
        return try process.waitForOutput { $0.contains("\"id\":\(id),") || $0.contains("\"id\":\(id)}") }
    }

    func end() throws {
        process.terminate(SIGKILL)
        _ = try process.waitForExit()
    }
}
