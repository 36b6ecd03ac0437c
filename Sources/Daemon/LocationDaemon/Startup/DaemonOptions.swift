// SPDX-License-Identifier: Apache-2.0
import CLinux
import CSystemd
import Glibc
import LocationServices
import SystemSupport

/// The command line of `locationd`.
struct DaemonOptions {
    var configurationFile: String?
    var socketPath = "/run/locationd/locationd.sock"
    var gpsd: GPSDAddress?
    var stateDirectory: String?
    var runtimeDirectory: String?
    var logLevel: Journal.Level?
    var replay: String?
    var requests: String?
    /// Seconds of the daemon's clocks for a real one.
    var clockSpeed = 1.0
    var showsVersion = false
    var showsHelp = false
    /// The socket was not handed over by systemd.
    private(set) var ownsSocket = true

    static let usage = """
        Usage: locationd [OPTION]...
               locationd --replay TRACK [--requests FILE] [--config FILE]

        The location service. Runs in the foreground; logs to the journal when systemd started it, else to stderr.

          --config FILE             configuration instead of /etc/locationd/locationd.conf and conf.d
          --socket PATH             where clients connect (default /run/locationd/locationd.sock)
          --gpsd HOST:PORT          gpsd, or the path of its Unix socket (default as configured: 127.0.0.1:2947)
          --state-directory DIR     what survives a power cut (default $STATE_DIRECTORY, else /var/lib/locationd)
          --runtime-directory DIR   what survives a crash (default $RUNTIME_DIRECTORY, else /run/locationd)
          --log-level LEVEL         error, warning, info or debug (default as configured: info)
          --replay TRACK            run a track of NMEA sentences or gpsd's JSON lines in simulated time; - is stdin
          --requests FILE           the requests of the replay's one client, a JSON line each, with "at" in seconds
          --clock-speed X           the daemon's clocks run X times as fast (0.1 to 100), so that a journey that is played
                                    faster than life has its pauses and visits; for trying programs only
          --version                 print the version
          --help                    print this

        Signals: SIGHUP reloads the configuration, SIGTERM stops in order.

        """

    private enum Key: CommandLineOption {
        case config, socket, gpsd, stateDirectory, runtimeDirectory, logLevel, replay, requests, clockSpeed, version,
            help

        var takesArgument: Bool { self != .version && self != .help }
    }

    /// Reads `arguments`, the first of which is the program's name.
    init(arguments: [String]) throws(UsageError) {
        stateDirectory = DaemonOptions.directory("STATE_DIRECTORY") ?? "/var/lib/locationd"
        runtimeDirectory = DaemonOptions.directory("RUNTIME_DIRECTORY") ?? "/run/locationd"
        try Key.read(arguments) { key, value throws(UsageError) in try set(key, value) }
        if requests != nil, replay == nil {
            throw UsageError("cannot use --requests without --replay")
        }
        if clockSpeed != 1, replay != nil {
            throw UsageError("cannot use --clock-speed with --replay, which needs no clock")
        }
    }

    private mutating func set(_ key: Key, _ value: String) throws(UsageError) {
        switch key {
        case .config: configurationFile = value
        case .socket: socketPath = value
        case .gpsd:
            guard let address = GPSDAddress(value) else {
                throw UsageError("cannot use --gpsd \(value): HOST:PORT, [ADDRESS]:PORT or a path is allowed")
            }
            gpsd = address
        case .stateDirectory: stateDirectory = value
        case .runtimeDirectory: runtimeDirectory = value
        case .logLevel:
            guard let level = Journal.Level.allCases.first(where: { "\($0)" == value }) else {
                throw UsageError("cannot use --log-level \(value): error, warning, info or debug is allowed")
            }
            logLevel = level
        case .replay: replay = value
        case .requests: requests = value
        case .clockSpeed:
            guard let speed = Double(value), (0.1...100).contains(speed) else {
                throw UsageError("cannot use --clock-speed \(value): 0.1 to 100 is allowed")
            }
            clockSpeed = speed
        case .version: showsVersion = true
        case .help: showsHelp = true
        }
    }

    // systemd may name several, separated by colons.
    private static func directory(_ variable: String) -> String? {
        guard let value = getenv(variable) else { return nil }
        return String(cString: value).split(separator: ":").first.map(String.init)
    }

    /// Where clients connect, for people.
    var socketName: String { ownsSocket ? socketPath : "the socket that systemd handed over" }

    /// The socket that systemd handed over, or one of our own.
    mutating func listener(_ handed: HandedDescriptors, _ journal: Journal) throws(SystemError) -> Int32 {
        if let fd = handed.sockets.first {
            ownsSocket = false
            if handed.sockets.count > 1 {
                journal.warning("systemd handed over \(handed.sockets.count) sockets; only the first is used")
            }
            guard sd_is_socket_unix(fd, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
                throw SystemError("cannot serve: what systemd handed over is no listening Unix stream socket")
            }
            guard fcntl(fd, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError(cannot: "use systemd's socket") }
            return fd
        }
        let fd = clinux_listen_unix(socketPath, 0o666, 4096)
        guard fd >= 0 else {
            if errno == EADDRINUSE { throw SystemError("cannot serve at \(socketPath): another locationd does") }
            throw SystemError(cannot: "serve at \(socketPath)")
        }
        return fd
    }
}
