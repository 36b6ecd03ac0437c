// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// A program that was started, and is ended with its user at the latest when it is let go of.
final class ServiceProcess {
    // How long a program may take to end in order, seconds.
    private static let patience = 5.0

    let name: String
    let pid: pid_t

    /// Starts `path`, which is looked for in PATH if it has no slash.
    ///
    /// - Parameters:
    ///   - environment: Instead of this process's.
    ///   - output: The file that standard output and standard error go to, which are shared with this process without it. A program
    ///     with one is in a process group of its own: Ctrl-C is not meant for it.
    init(_ path: String, _ arguments: [String], environment: [String], output: String? = nil) throws(TrackError) {
        name = path.split(separator: "/").last.map(String.init) ?? path
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        if let output {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= POSIX_SPAWN_SETPGROUP
        }
        // The child would inherit the signals that this process blocks or ignores.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGCHLD] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let argv = ([path] + arguments).map { strdup($0) } + [nil]
        let envp = environment.map { strdup($0) } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var child: pid_t = 0
        let code = posix_spawnp(&child, path, &actions, &attributes, argv, envp)
        guard code == 0 else {
            throw TrackError(description: "cannot start \(path): \(String(cString: strerror(code)))")
        }
        pid = child
    }

    /// As `waitpid` has it; nil while it runs.
    private(set) var status: Int32?

    /// Whether it has not ended yet.
    var isRunning: Bool {
        guard status == nil else { return false }
        var ended: Int32 = 0
        guard waitpid(pid, &ended, WNOHANG) == pid else { return true }
        status = ended
        return false
    }

    /// Sends a signal, if it has not ended.
    func send(_ signal: Int32) { if isRunning { kill(pid, signal) } }

    /// Ends it: in order, and by force if that takes too long.
    func end() {
        send(SIGTERM)
        if !ServiceProcess.wait(atMost: ServiceProcess.patience, until: { !isRunning }) {
            send(SIGKILL)
            _ = ServiceProcess.wait(atMost: ServiceProcess.patience) { !isRunning }
        }
    }

    deinit { end() }

    /// Looks again and again until `condition` holds: for what nobody tells. Returns whether it does.
    static func wait<Failure: Error>(
        atMost seconds: Double, until condition: () throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        let end = clinux_boottime_nanoseconds() + Int64(seconds * 1e9)
        while try !condition() {
            guard clinux_boottime_nanoseconds() < end else { return false }
            poll(nil, 0, 20)
        }
        return true
    }
}
