// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationModel
import LocationProtocol

/// The two streams that locctl writes to: what was asked for on standard output, all about it on standard error.
final class Console {
    /// How text on standard output looks.
    let style: Style
    /// The calendar and time zone of this machine.
    let calendar = LocalCalendar.system
    /// Whether somebody looks at standard error, so that a passing line there is of use.
    let showsProgress: Bool
    /// Whether all of a screen can be had: standard output is a terminal that can do more than a typewriter.
    let isScreen: Bool
    private var progressWidth = 0

    /// The streams of this process; `json`: nothing but JSON on standard output, and no passing lines.
    init(json: Bool) {
        let isTerminal = isatty(STDOUT_FILENO) == 1 && !json
        isScreen = isTerminal && Console.variable("TERM") != "dumb"
        let knowsColors = Console.variable("NO_COLOR") == nil && isScreen
        style = Style(usesColor: isTerminal && knowsColors, width: isTerminal ? Console.columns(STDOUT_FILENO) : 80)
        showsProgress = isatty(STDERR_FILENO) == 1 && !json
    }

    /// The date.
    var now: WallTime { WallTime(milliseconds: clinux_realtime_milliseconds()) }

    /// Writes `text` to standard output as it is.
    func print(_ text: String) {
        clearProgress()
        put(Array(text.utf8))
    }

    /// Writes a line to standard output.
    func print(line: ArraySlice<UInt8>) {
        clearProgress()
        put(line + [UInt8(ascii: "\n")])
    }

    // Writes all of `bytes`, or ends the program: whoever reads the rest must not take it for all, and nobody waits for more.
    private func put(_ bytes: some Collection<UInt8>) {
        let code = Console.write(bytes, to: STDOUT_FILENO)
        guard code != 0 else { return }
        tell("\(Console.outputError(code))")
        exit(ExitCode.refused.rawValue)
    }

    /// Why nothing can be written to standard output.
    static func outputError(_ code: Int32) -> LocctlError {
        LocctlError(
            "cannot write standard output: \(strerror(code).map { String(cString: $0) } ?? "error \(code)")", .refused)
    }

    /// Opens those of the standard streams that the caller has closed, so that no connection and no file gets their numbers. Standard output
    /// is opened for reading: what has nowhere to go is an error.
    static func openStandardStreams() {
        for fd in STDIN_FILENO...STDERR_FILENO where fcntl(fd, F_GETFD) < 0 { _ = open("/dev/null", O_RDONLY) }
    }

    /// Tells the person something, in a line on standard error.
    func tell(_ text: String) {
        clearProgress()
        Console.write(Array("locctl: \(text)\n".utf8), to: STDERR_FILENO)
    }

    /// Tells the person why a service that was started tells nothing yet, if there is a reason.
    func tell(_ result: StateResult) {
        guard let reason = result.reason.map(printable) else { return }
        switch result.state {
        case .running, .waitingForAuthorization: tell("nothing yet: \(reason)")
        default: tell("cannot start: \(reason)")
        }
    }

    /// Shows `text` in place of the passing line before.
    func showProgress(_ text: String) {
        guard showsProgress else { return }
        let blanks = String(repeating: " ", count: max(0, progressWidth - text.count))
        Console.write(Array("\r\(text)\(blanks)".utf8), to: STDERR_FILENO)
        progressWidth = text.count
    }

    /// Takes the passing line away.
    func clearProgress() {
        guard progressWidth > 0 else { return }
        Console.write(Array("\r\(String(repeating: " ", count: progressWidth))\r".utf8), to: STDERR_FILENO)
        progressWidth = 0
    }

    /// The person pressed Ctrl-C, which the terminal has shown in the line where the cursor was: ends that line.
    func noteInterruption() {
        clearProgress()
        if isatty(STDERR_FILENO) == 1 { Console.write([UInt8(ascii: "\n")], to: STDERR_FILENO) }
    }

    /// The columns that a passing line may take.
    var progressColumns: Int { Console.columns(STDERR_FILENO) }

    /// Writes all of `bytes`. A reader that is gone ends the process by SIGPIPE, as it does in every pipeline.
    /// Returns the number of the error that kept the rest from being written; 0: none did.
    @discardableResult
    static func write(_ bytes: some Collection<UInt8>, to fd: Int32) -> Int32 {
        var rest = ArraySlice(bytes)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(fd, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: fd, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    private static func columns(_ fd: Int32) -> Int {
        var size = winsize()
        guard ioctl(fd, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return min(max(Int(size.ws_col), 40), 200)
    }
}
