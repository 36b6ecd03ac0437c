// SPDX-License-Identifier: Apache-2.0
import CLinux
import GPSDSource
import Glibc
import LocationModel
import LocationProtocol
import LocationServices
import SystemSupport
import SystemdSupport

/// The one socket to gpsd: does what the connection machine says, and tells it what happened.
final class GPSDLink: FixSource {
    var fixReceived: (Fix, BootInstant) -> Void = { _, _ in }
    var noFixReported: (Int, BootInstant) -> Void = { _, _ in }
    var headingReceived: (Heading, BootInstant) -> Void = { _, _ in }
    private(set) var machine: GPSDConnectionMachine
    private let address: GPSDAddress
    private let loop: EventLoop
    private let journal: () -> Journal
    private var news = GPSDNews()
    private var fd: Int32 = -1
    private var source: EventLoop.Source?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init(address: GPSDAddress, _ configuration: Configuration, loop: EventLoop, journal: @escaping () -> Journal) {
        self.address = address
        self.loop = loop
        self.journal = journal
        var seeds = SystemRandomNumberGenerator()
        machine = GPSDConnectionMachine(
            address: address.description, jitterSeed: seeds.next(), factors: configuration.accuracy,
            waits: configuration.gpsd.reconnectMinimum...configuration.gpsd.reconnectMaximum,
            longestGathering: configuration.gpsd.gather)
    }

    deinit {
        disconnect()
        buffer.deallocate()
    }

    func start(at now: BootInstant) { tell { $0.started(at: now, into: &$1) } }

    /// Fixes that this causes have the time of the turn, and not a later one.
    func setDemand(_ isWanted: Bool, at now: BootInstant) {
        tell(at: now) { $0.demandChanged(isWanted: isWanted, at: now, into: &$1) }
    }

    func woke(at now: BootInstant) { tell { $0.woke(at: now, into: &$1) } }

    var nextWake: WakeWindow? { machine.nextWake }

    /// `turn`: the time of the turn under way; nil: none is, and each command has its own moment, because two fixes of one moment would be
    /// disorder.
    private func tell(
        at turn: BootInstant? = nil, _ happening: (inout GPSDConnectionMachine, inout [GPSDCommand]) -> Void
    ) {
        var commands: [GPSDCommand] = []
        happening(&machine, &commands)
        for command in commands { obey(command, at: turn ?? bootClock()) }
    }

    private func obey(_ command: GPSDCommand, at now: BootInstant) {
        switch command {
        case .connect: connect(at: now)
        case .disconnect: disconnect()
        case .send(let request): send(request, at: now)
        case .fix(let fix): fixReceived(fix, now)
        case .noFix(let satellites): noFixReported(satellites, now)
        case .receiverFound(let receiver):
            let path = name(of: receiver)
            journal().info("receiver \(path) found", .receiverFound(path: path))
        case .receiverLost(let receiver):
            let path = name(of: receiver)
            journal().warning("receiver \(path) lost", .receiverLost(path: path))
        case .stateChanged(let state): noteState(state)
        case .attitude(let attitude):
            guard let degrees = attitude.heading else { return }
            // gpsd's heading is from true north; it says nothing of its error.
            headingReceived(Heading(trueHeading: degrees, timestamp: attitude.time ?? wallClock()), now)
        }
    }

    private func noteState(_ state: GPSDConnectionState) {
        let address = machine.status.address
        switch news.entry(for: state, reason: machine.status.lastError) {
        case .connected: journal().info("gpsd at \(address): connected", .gpsdConnected(address: address))
        case .lost(let reason): journal().warning(reason, .gpsdLost(address: address, reason: reason))
        case nil: journal().debug("gpsd at \(address): \(state.rawValue)")
        }
    }

    // Whoever plugs a receiver in may choose its path, and a terminal obeys what is in the journal.
    private func name(of receiver: ReceiverID) -> String {
        let name = path(of: receiver) ?? "\(receiver.rawValue)"
        return String(name.unicodeScalars.map { isPlain($0) ? Character($0) : "\u{FFFD}" })
    }

    // MARK: The socket

    private func connect(at now: BootInstant) {
        var resolverError: Int32 = 0
        switch address {
        case .tcp(let host, let port): fd = clinux_connect_tcp(host, "\(port)", &resolverError)
        case .unix(let path): fd = clinux_connect_unix_nonblocking(path)
        }
        guard fd >= 0 else {
            let reason =
                resolverError != 0 ? String(cString: gai_strerror(resolverError)) : String(cString: strerror(errno))
            return tell { $0.connectFailed(reason: reason, at: now, into: &$1) }
        }
        watch(forWriting: true) { [unowned self] in connectEnded() }
    }

    private func watch(forWriting: Bool, _ handler: @escaping () -> Void) {
        // The former source goes first: a descriptor has one.
        source?.cancel()
        do throws(SystemError) {
            source = try loop.watch(fd, forWriting: forWriting, handler)
            // Before the clients: a criterion that a fix meets wins over a request that came in the same turn.
            source?.setPriority(-10)
        } catch {
            let now = bootClock()
            disconnect()
            tell { $0.connectFailed(reason: error.description, at: now, into: &$1) }
        }
    }

    private func connectEnded() {
        let now = bootClock()
        let error = clinux_socket_error(fd)
        guard error == 0 else {
            disconnect()
            return tell { $0.connectFailed(reason: String(cString: strerror(error)), at: now, into: &$1) }
        }
        watch(forWriting: false) { [unowned self] in readable() }
        tell { $0.connected(at: now, into: &$1) }
    }

    private func disconnect() {
        source?.cancel()
        source = nil
        if fd >= 0 { close(fd) }
        fd = -1
    }

    // A command is far smaller than an empty socket buffer: what does not go at once does not go.
    private func send(_ request: GPSDRequest, at now: BootInstant) {
        let text = request.text
        let count = text.utf8.count
        let sent = text.withCString { Glibc.send(fd, $0, count, Int32(MSG_NOSIGNAL)) }
        guard sent != count else { return }
        disconnect()
        tell { $0.closed(reason: "it takes no commands", at: now, into: &$1) }
    }

    private func readable() {
        let now = bootClock()
        // Once a turn: clients are served between bursts.
        let count = recv(fd, buffer.baseAddress, buffer.count, 0)
        if count > 0 {
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[0..<count])
            let wall = wallClock()
            tell { $0.received(bytes, at: now, hostTime: wall, into: &$1) }
            if news.isNews(unusableLines: machine.unusableLines) {
                let lines = machine.unusableLines == 1 ? "a line" : "\(machine.unusableLines) lines"
                journal().warning("cannot use \(lines) of what gpsd at \(address) sends")
            }
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
            let reason = count == 0 ? nil : String(cString: strerror(errno))
            disconnect()
            tell { $0.closed(reason: reason, at: now, into: &$1) }
        }
    }
}
