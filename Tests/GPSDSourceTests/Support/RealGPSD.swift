// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import Glibc
import LocationModel

/// A real gpsd on loopback, fed with a recording through TCP, and a machine that watches it.
///
/// gpsd connects to its source only when somebody watches, so that nothing of the recording is lost.
struct RealGPSD {
    /// What came of one recording.
    struct Outcome {
        var fixes: [Fix] = []
        /// Every line that gpsd sent, for a count that owes nothing to the code under test.
        var lines: [String] = []
        var receivers: [ReceiverState] = []
        var unusableLines: Int?
        var wasLostAtEnd = false
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ what: String) { description = "cannot \(what): \(String(cString: strerror(errno)))" }
    }

    static let path = "/usr/sbin/gpsd"

    /// Replays `packets`, one write each, and returns when gpsd has reported the end of the source.
    static func replay(_ packets: [ArraySlice<UInt8>], deadlineSeconds: Int64 = 60) throws -> Outcome {
        let source = try Socket.listening()
        let port = try Socket.listening().takePort()
        let process = try spawn(port: port, source: source.port)
        defer {
            kill(process, SIGTERM)
            var status: Int32 = 0
            waitpid(process, &status, 0)
        }
        var session = Session(source: source, port: port, packets: packets)
        try session.run(until: instant() + .seconds(Double(deadlineSeconds)))
        return session.outcome
    }

    private static func spawn(port: UInt16, source: UInt16) throws -> pid_t {
        let words = [path, "-N", "-b", "-S", "\(port)", "tcp://127.0.0.1:\(source)"]
        // One shared memory segment for all test daemons: they would leave one behind each.
        let environment = ["GPSD_SHM_KEY=0x47705ffd", "PATH=/usr/bin:/usr/sbin"]
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // The threads that run tests block all signals, and a child would inherit that: gpsd could not be ended.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var process: pid_t = 0
        errno = posix_spawn(&process, path, &actions, &attributes, &arguments, &variables)
        guard errno == 0 else { throw Failure("start gpsd") }
        return process
    }

    static func instant() -> BootInstant {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return BootInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func wallTime() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// One loop for both ends: it feeds gpsd and does what the machine says.
private struct Session {
    var outcome = RealGPSD.Outcome()
    // Until gpsd has connected: it would connect again at the end of the recording.
    private var source: Socket?
    private let port: UInt16
    private let packets: [ArraySlice<UInt8>]
    private var machine: GPSDConnectionMachine
    private var client: Socket?
    private var feed: Socket?
    private var fedPackets = 0
    private var commands: [GPSDCommand] = []
    private var partialLine: [UInt8] = []

    init(source: Socket, port: UInt16, packets: [ArraySlice<UInt8>]) {
        self.source = source
        self.port = port
        self.packets = packets
        machine = GPSDConnectionMachine(address: "127.0.0.1:\(port)", jitterSeed: 1)
    }

    mutating func run(until deadline: BootInstant) throws {
        machine.demandChanged(isWanted: true, at: RealGPSD.instant(), into: &commands)
        while !outcome.wasLostAtEnd {
            guard RealGPSD.instant() < deadline else {
                throw RealGPSD.Failure("finish in time, with \(fedPackets) of \(packets.count) packets fed")
            }
            try obey()
            try wait()
            try feedOne()
            let now = RealGPSD.instant()
            if let wake = machine.nextWake, wake.earliest <= now { machine.woke(at: now, into: &commands) }
        }
        outcome.receivers = machine.receivers
        outcome.unusableLines = machine.unusableLines
    }

    private mutating func obey() throws {
        while !commands.isEmpty {
            let pending = commands
            commands.removeAll()
            for command in pending {
                switch command {
                case .connect: connect()
                case .disconnect: client = nil
                case .send(let request): try client?.write(Array(request.text.utf8)[...])
                case .fix(let fix): outcome.fixes.append(fix)
                case .receiverLost: outcome.wasLostAtEnd = fedPackets > packets.count
                case .noFix, .attitude, .receiverFound, .stateChanged: break
                }
            }
        }
    }

    private mutating func connect() {
        let now = RealGPSD.instant()
        do {
            client = try Socket.connected(to: port)
            machine.connected(at: now, into: &commands)
        } catch {
            machine.connectFailed(reason: "refused", at: now, into: &commands)
        }
    }

    // At most the pause between two packets; longer while gpsd has not connected to its source.
    private mutating func wait() throws {
        var entries = [pollfd(fd: client?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)]
        if let source { entries.append(pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)) }
        poll(&entries, nfds_t(entries.count), feed == nil ? 20 : 1)
        if entries.count > 1, entries[1].revents != 0 {
            feed = try source?.accepted()
            source = nil
        }
        guard entries[0].revents != 0, let bytes = try client?.read() else { return }
        note(bytes)
        bytes.withUnsafeBytes {
            machine.received($0, at: RealGPSD.instant(), hostTime: RealGPSD.wallTime(), into: &commands)
        }
    }

    private mutating func note(_ bytes: [UInt8]) {
        partialLine += bytes
        while let end = partialLine.firstIndex(of: 0x0A) {
            outcome.lines.append(String(decoding: partialLine[..<end], as: UTF8.self))
            partialLine.removeSubrange(...end)
        }
    }

    private mutating func feedOne() throws {
        guard let feed, fedPackets <= packets.count else { return }
        if fedPackets < packets.count {
            try feed.write(packets[fedPackets])
        } else {
            self.feed = nil
        }
        fedPackets += 1
    }
}

/// A socket on loopback that closes itself.
private final class Socket {
    let descriptor: Int32
    private(set) var port: UInt16 = 0

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    static func listening() throws -> Socket {
        let socket = try opened()
        var address = loopback(port: 0)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                var length = size
                guard bind(socket.descriptor, pointer, size) == 0, listen(socket.descriptor, 1) == 0 else {
                    return Int32(-1)
                }
                return getsockname(socket.descriptor, pointer, &length)
            }
        }
        guard result == 0 else { throw RealGPSD.Failure("listen on loopback") }
        socket.port = UInt16(bigEndian: address.sin_port)
        return socket
    }

    static func connected(to port: UInt16) throws -> Socket {
        let socket = try opened()
        var address = loopback(port: port)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw RealGPSD.Failure("connect to gpsd") }
        return socket
    }

    /// The port, which is free again when the socket is gone.
    func takePort() -> UInt16 { port }

    func accepted() throws -> Socket {
        let descriptor = accept(self.descriptor, nil, nil)
        guard descriptor >= 0 else { throw RealGPSD.Failure("accept gpsd") }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return Socket(descriptor)
    }

    func write(_ bytes: ArraySlice<UInt8>) throws {
        let written = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard written == bytes.count else { throw RealGPSD.Failure("write \(bytes.count) bytes") }
    }

    func read() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { throw RealGPSD.Failure("read from gpsd") }
        return Array(bytes[..<count])
    }

    private static func opened() throws -> Socket {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw RealGPSD.Failure("open a socket") }
        return Socket(descriptor)
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
