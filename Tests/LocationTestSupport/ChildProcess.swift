// SPDX-License-Identifier: Apache-2.0
package import Glibc
import Synchronization

/// How a process ended.
package enum ProcessEnd: Sendable, Hashable {
    /// It returned this status.
    case exited(Int32)
    /// This signal ended it.
    case signalled(Int32)
}

/// A program run by a test: its output is collected while it runs, and it never outlives this object.
package final class ChildProcess: Sendable {
    /// The process.
    package let pid: pid_t
    private let output = Collected()
    private let errors = Collected()
    private let input = Mutex<Int32>(-1)
    private let status = Mutex<ProcessEnd?>(nil)
    private let name: String

    /// Starts the program at `path`. `environment` is laid over that of the test; nil takes a variable out. `passing` become its
    /// descriptors 3 and so on; they stay the caller's.
    package init(
        _ path: String, _ arguments: [String] = [], environment: [String: String?] = [:], passing: [Int32] = []
    ) throws {
        name = path
        let (inputRead, inputWrite) = try makePipe()
        let (outputRead, outputWrite) = try makePipe()
        let (errorsRead, errorsWrite) = try makePipe()
        // None of them may be one that another is to become.
        let passed = passing.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
        defer { for fd in [inputRead, outputWrite, errorsWrite] + passed { close(fd) } }
        do {
            pid = try spawn(
                path, [path] + arguments, environment: mergedEnvironment(environment),
                descriptors: [inputRead, outputWrite, errorsWrite] + passed)
        } catch {
            for fd in [inputWrite, outputRead, errorsRead] { close(fd) }
            throw error
        }
        input.withLock { $0 = inputWrite }
        try output.collect(outputRead)
        try errors.collect(errorsRead)
    }

    deinit {
        closeInput()
        guard currentStatus() == nil else { return }
        kill(pid, SIGKILL)
        var ignored: Int32 = 0
        while waitpid(pid, &ignored, 0) < 0, errno == EINTR {}
    }

    /// What it wrote to standard output so far.
    package var standardOutput: String { output.text }
    /// What it wrote to standard error so far.
    package var standardError: String { errors.text }
    /// The lines of standard output so far, the unfinished last one too.
    package var outputLines: [String] { output.text.split(separator: "\n").map(String.init) }
    /// Whether it has not ended yet.
    package var isRunning: Bool { currentStatus() == nil }

    /// Writes to its standard input; an error if it does not read within the deadline.
    package func write(_ bytes: some Sequence<UInt8>, within seconds: Double = patience) throws {
        let fd = input.withLock { $0 }
        try writeAll(Array(bytes), to: fd, deadline: .within(seconds))
    }

    /// Ends its standard input.
    package func closeInput() {
        input.withLock { fd in
            if fd >= 0 { close(fd) }
            fd = -1
        }
    }

    /// Sends `signal`; nothing if it has ended.
    package func terminate(_ signal: Int32 = SIGTERM) {
        // Reaped under the same lock, so that the pid cannot be somebody else's by now.
        status.withLock { status in
            if status == nil { kill(pid, signal) }
        }
    }

    /// Waits until it has ended and all its output is collected.
    @discardableResult
    package func waitForExit(within seconds: Double = patience) throws -> ProcessEnd {
        let deadline = Deadline.within(seconds)
        try waitUntil("\(name) ends; its errors so far: \(standardError)", within: seconds) { !isRunning }
        // A grandchild may hold the pipes open: its output is not waited for.
        while !(output.isComplete && errors.isComplete), !deadline.hasPassed { poll(nil, 0, 1) }
        guard let status = currentStatus() else { throw TestFailure("cannot learn how \(name) ended") }
        return status
    }

    /// Waits for a line of standard output that `condition` likes, and returns the first one.
    @discardableResult
    package func waitForOutput(
        within seconds: Double = patience, where condition: (String) -> Bool
    ) throws -> String {
        var found: String?
        try waitUntil("\(name) writes the expected line", within: seconds) {
            // Asked before the lines are read: what an ended program wrote is then all there.
            let isOver = !isRunning && output.isComplete
            found = output.completeLines.first(where: condition)
            guard found != nil || !isOver else {
                throw TestFailure(
                    "cannot see the expected line: \(name) ended; it wrote \(standardOutput)\(standardError)")
            }
            return found != nil
        }
        return found ?? ""
    }

    private func currentStatus() -> ProcessEnd? {
        status.withLock { status in
            guard status == nil else { return status }
            var raw: Int32 = 0
            guard waitpid(pid, &raw, WNOHANG) == pid else { return nil }
            status = raw & 0x7F == 0 ? .exited(raw >> 8 & 0xFF) : .signalled(raw & 0x7F)
            return status
        }
    }
}

/// What comes out of a pipe. A thread takes it, so that the writer never has to wait; who asks takes what is there first, so that what a
/// program wrote before it answered is read when the answer is.
private final class Collected: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var fd: Int32 = -1
        var isComplete = false

        mutating func takeWhatIsThere() {
            var ready = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
            while !isComplete, fd >= 0, poll(&ready, 1, 0) > 0 {
                var piece = [UInt8](repeating: 0, count: 65536)
                let count = read(fd, &piece, piece.count)
                if count < 0 && errno == EINTR { continue }
                isComplete = count <= 0
                bytes += piece[..<max(count, 0)]
            }
        }
    }
    private let state = Mutex(State())

    var isComplete: Bool { state.withLock { $0.isComplete } }
    var text: String {
        let bytes = state.withLock { state in
            state.takeWhatIsThere()
            return state.bytes
        }
        return String(decoding: bytes, as: UTF8.self)
    }
    var completeLines: [String] {
        let text = text
        guard let end = text.utf8.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return text[..<end].split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    func collect(_ fd: Int32) throws {
        state.withLock { $0.fd = fd }
        try startThread { [self] in
            var ready = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
            while !isComplete {
                poll(&ready, 1, -1)
                state.withLock { $0.takeWhatIsThere() }
            }
            // Nobody but this thread closes it: the number is not another file's while it waits.
            state.withLock { $0.fd = -1 }
            close(fd)
        }
    }
}

func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw TestFailure.system("make a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}

private func mergedEnvironment(_ changes: [String: String?]) -> [String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
        let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
        entry += 1
    }
    for (name, value) in changes { variables[name] = value }
    return variables.map { "\($0)=\($1)" }.sorted()
}

// `descriptors` become 0, 1, 2 and so on of the program; it inherits no other one, whatever the rest of the test process opens.
private func spawn(
    _ path: String, _ arguments: [String], environment: [String], descriptors: [Int32]
) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (target, fd) in descriptors.enumerated() { posix_spawn_file_actions_adddup2(&actions, fd, Int32(target)) }
    closeAllFrom(Int32(descriptors.count), in: &actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A blocked or ignored signal would be inherited.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = environment.map { strdup($0) } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, path, &actions, &attributes, argv, envp)
    guard code == 0 else { throw TestFailure.system("start \(path)", code) }
    return pid
}

// posix_spawn_file_actions_addclosefrom_np of glibc 2.34, which the Glibc module does not show.
private func closeAllFrom(_ first: Int32, in actions: inout posix_spawn_file_actions_t) {
    typealias Function = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
    guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return }
    _ = unsafeBitCast(symbol, to: Function.self)(&actions, first)
}
