// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport

/// The built `locctl`, run against a socket in a directory of its own.
struct LocctlRun {
    let directory: TemporaryDirectory
    let daemon: FakeDaemon
    private let program: String

    init() throws {
        directory = try TemporaryDirectory()
        daemon = try FakeDaemon(in: directory)
        program = try BuildProducts.program("locctl")
    }

    /// Starts it with the words of `line`.
    func start(_ line: String) throws -> ChildProcess {
        try ChildProcess(
            program, line.split(separator: " ").map(String.init),
            environment: ["LOCATIOND_SOCKET": daemon.path, "TZ": "UTC", "NO_COLOR": nil, "TERM": "xterm"])
    }
}
