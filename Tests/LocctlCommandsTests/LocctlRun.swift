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
        try ChildProcess(program, line.split(separator: " ").map(String.init), environment: environment())
    }

    /// Starts it with the words of `line` at a terminal of its own, which `script` makes.
    func startAtTerminal(_ line: String, as terminal: String = "xterm", hasColor: Bool = true) throws -> ChildProcess {
        // `exec`: a shell that stays would tell its own end by Ctrl-C instead of the program's, as dash does.
        try ChildProcess(
            try requireProgram("script"), ["-qefc", "exec \(program) \(line)", "/dev/null"],
            environment: environment(terminal, hasColor: hasColor))
    }

    private func environment(_ terminal: String = "xterm", hasColor: Bool = true) -> [String: String?] {
        [
            "LOCATIOND_SOCKET": daemon.path, "TZ": "UTC", "NO_COLOR": hasColor ? nil : "1", "TERM": terminal,
            "LC_ALL": "C.UTF-8",
        ]
    }
}
