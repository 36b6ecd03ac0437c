// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

/// What the caller of `locctl` made of its standard streams.
@Suite("The standard streams of locctl", .blocking)
struct StandardStreamTests {
    private func run(_ line: String, socket: String) throws -> (end: ProcessEnd, err: String) {
        let process = try ChildProcess(
            "/bin/bash", ["-c", line, try BuildProducts.program("locctl")],
            environment: ["LOCATIOND_SOCKET": socket, "TZ": "UTC", "NO_COLOR": "1"])
        return (try process.waitForExit(), process.standardError)
    }

    @Test(
        "what cannot be printed is an error of every command",
        arguments: ["--version", "help", "help get", "uplink", "uplink --json"])
    func full(command: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            #"{"link":"off","mode":"move","hasDaemon":true,"waiting":0,"waitingEvents":0,"sent":0,"broker":"b","#
                + #""lost":0,"leftOut":0,"pid":1}"#, to: "status.json")
        let line = "export LOCATIOND_UPLINK_STATUS=\(directory.file("status.json")); exec \"$0\" \(command)"
        let full = try run("\(line) > /dev/full", socket: "/nowhere")
        #expect(full.end == .exited(1))
        #expect(full.err == "locctl: cannot write standard output: No space left on device\n")
        let closed = try run("\(line) >&-", socket: "/nowhere")
        #expect(closed.end == .exited(1))
        #expect(closed.err == "locctl: cannot write standard output: Bad file descriptor\n")
    }

    @Test(
        "the connection to the daemon gets the number of no stream that is closed", arguments: ["<&-", ">&-", "2>&-"])
    func numbers(closed: String) throws {
        let directory = try TemporaryDirectory()
        let daemon = try FakeDaemon(in: directory)
        let process = try ChildProcess(
            "/bin/bash", ["-c", "exec \"$0\" status \(closed)", try BuildProducts.program("locctl")],
            environment: ["LOCATIOND_SOCKET": daemon.path])
        let client = try daemon.accept()
        _ = try client.nextRequest()
        let sockets = (0..<16).filter { number in
            var name = [CChar](repeating: 0, count: 64)
            let length = readlink("/proc/\(process.pid)/fd/\(number)", &name, name.count)
            return length > 7
                && String(decoding: name.prefix(7).map(UInt8.init(bitPattern:)), as: UTF8.self) == "socket:"
        }
        #expect(!sockets.isEmpty && sockets.allSatisfy { $0 > 2 }, "\(sockets)")
    }
}
