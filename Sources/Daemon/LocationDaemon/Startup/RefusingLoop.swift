// SPDX-License-Identifier: Apache-2.0
import CLinux
import CSystemd
import ConfigurationReading
import Glibc
import LocationModel
import LocationServices
import SystemSupport
import SystemdSupport

/// Has systemd's socket while the daemon cannot begin: tells every client why, so that none hangs and systemd has nothing to start
/// again and again, and ends when the daemon may begin, or is told to end.
///
/// The clients that a former process left stay with systemd meanwhile.
final class RefusingLoop {
    /// The reason why it ended.
    enum End {
        /// The daemon may try to begin.
        case begin
        /// SIGTERM or SIGINT.
        case stop
    }

    private let loop: EventLoop
    private let socket: Int32
    private var fault: StartFault
    private var end = End.begin
    private var signals: [EventLoop.Source] = []
    private var clients: EventLoop.Source?
    private var directories: [EventLoop.Source] = []
    private var timer: EventLoop.Timer?
    /// Reads the configuration again; nil: it can be used.
    private let readAgain: () -> ConfigurationError?
    private let journal: Journal

    /// How long files are left alone after a change before they are read: an editor writes in several steps.
    private static let settling = TimeSpan.seconds(1)

    /// - Parameters:
    ///   - socket: Listens; stays the caller's.
    ///   - readAgain: Reads the configuration; nil: it can be used.
    init(
        _ fault: StartFault, socket: Int32, _ journal: Journal, readAgain: @escaping () -> ConfigurationError?
    ) throws(SystemError) {
        self.fault = fault
        self.socket = socket
        self.journal = journal
        self.readAgain = readAgain
        guard fcntl(socket, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError(cannot: "use systemd's socket") }
        try Daemon.blockSignals()
        loop = try EventLoop()
        loop.feedWatchdog()
        timer = try loop.timer { [unowned self] in timerFired() }
        signals = [
            try loop.onSignal(SIGTERM) { [unowned self] in finish(.stop) },
            try loop.onSignal(SIGINT) { [unowned self] in finish(.stop) },
            try loop.onSignal(SIGHUP) { [unowned self] in hangUp() },
        ]
        for signal in signals { signal.setPriority(-10) }
    }

    /// Runs until the configuration, whose files are in `places`, can be used.
    func untilConfigured(_ places: [String]) throws(SystemError) -> End {
        watch(places)
        // They may have changed before anybody watched.
        if readAgain() == nil { return .begin }
        return try run()
    }

    /// Runs for so long.
    func run(for pause: TimeSpan) throws(SystemError) -> End {
        timer?.set(in: pause, slack: .milliseconds(100))
        return try run()
    }

    private func run() throws(SystemError) -> End {
        clients = try loop.watch(socket) { [unowned self] in refuseClients() }
        tell()
        // After a failure systemd is not told READY=1: whoever waits for the start has to hear that it failed.
        if case .failure = fault {} else { sd_notify(0, "READY=1") }
        try loop.run()
        return end
    }

    private func tell() {
        journal.error(fault.details, .serviceRefused(reason: fault.details))
        sd_notify(0, "STATUS=\(fault.sentence)")
    }

    private func finish(_ end: End) {
        self.end = end
        if end == .stop { sd_notify(0, "STOPPING=1") }
        loop.exit()
    }

    // MARK: Clients

    private func refuseClients() {
        for _ in 0..<64 {
            let fd = clinux_accept(socket)
            guard fd >= 0 else {
                // Those who cannot be taken would make the socket ready for ever: they wait for what comes next.
                if errno == EMFILE || errno == ENFILE { clients = nil }
                return
            }
            // Closes it.
            let channel = SocketChannel(fd: fd)
            guard let credentials = try? PeerCredentials(of: fd) else { continue }
            _ = fault.refusal(for: credentials.uid).withUnsafeBytes { channel.write($0) }
        }
    }

    // MARK: The configuration

    private func watch(_ places: [String]) {
        // A directory that is not there yet shows itself in the one above it.
        directories = places.compactMap { place in
            try? loop.watch(directory: place) { [unowned self] in
                // Whoever connects now is answered when it is known what the change means.
                clients = nil
                timer?.set(in: RefusingLoop.settling, slack: .milliseconds(100))
                watch(places)
            }
        }
    }

    private func timerFired() {
        if case .configuration = fault { look() } else { finish(.begin) }
    }

    private func look() {
        guard let error = readAgain() else { return finish(.begin) }
        fault = .configuration(error)
        tell()
        if clients == nil { clients = try? loop.watch(socket) { [unowned self] in refuseClients() } }
    }

    private func hangUp() {
        guard case .configuration = fault else { return finish(.begin) }
        sd_notify(0, "RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds())")
        look()
        sd_notify(0, "READY=1")
    }
}
