// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// Runs a command with a gpsd and a locationd of its own, whose receiver is on the journey.
struct CommandRun {
    // How long gpsd and locationd may take until they serve, seconds.
    private static let patience = 10.0
    // Between the choice of a free port and gpsd's use of it somebody else may take it.
    private static let attempts = 8
    // Variables that a service manager set for this process are not meant for the private locationd.
    private static let managed = [
        "NOTIFY_SOCKET=", "JOURNAL_STREAM=", "LISTEN_", "STATE_DIRECTORY=", "RUNTIME_DIRECTORY=", "WATCHDOG_",
        "LOCATIOND_SOCKET=", "GPSD_SHM_KEY=",
    ]

    private let options: TrackOptions
    private let command: [String]
    private let environment: [String]

    init(_ options: TrackOptions, _ command: [String]) {
        self.options = options
        self.command = command
        environment = currentEnvironment().filter { variable in !CommandRun.managed.contains { variable.hasPrefix($0) }
        }
    }

    /// Returns the command's exit status, 128 and the signal's number if a signal ended it.
    ///
    /// - Parameter arguments: This program's, of which the receiver gets those before the command.
    func run(_ arguments: [String]) throws(TrackError) -> Int32 {
        var signals = CommandRun.blockSignals()
        let directory = try PrivateDirectory()
        let receiver = try startReceiver(arguments, directory)
        let (gpsd, port) = try startGPSD(on: receiver.address, directory)
        defer { removeSharedMemory(of: port) }
        let socket = directory.file("socket")
        let locationd = try startLocationd(at: socket, gpsd: port, directory)
        TrackCommand.write(
            "locationd-track: LOCATIOND_SOCKET=\(socket) leads to the command's locationd, for locctl too\n",
            to: STDERR_FILENO)
        let child = try ServiceProcess(
            command[0], Array(command.dropFirst()), environment: environment + ["LOCATIOND_SOCKET=\(socket)"])
        var services = [receiver.process, gpsd, locationd]
        while child.isRunning {
            // A service that ends by itself is a fault of ours or its own: the command goes on without it, as on a device.
            for ended in services where !ended.isRunning {
                TrackCommand.write(
                    "locationd-track: \(ended.name) has ended:\n\(directory.log(of: ended.name))", to: STDERR_FILENO)
            }
            services.removeAll { !$0.isRunning }
            var received = siginfo_t()
            let signal = sigwaitinfo(&signals, &received)
            // The terminal's Ctrl-C has reached the command already.
            if signal > 0, signal != SIGCHLD, received.si_code <= 0 { child.send(signal) }
        }
        for service in [locationd, gpsd, receiver.process] { service.end() }
        let status = child.status ?? 0
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    private static func blockSignals() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGCHLD] { sigaddset(&set, signal) }
        sigprocmask(SIG_BLOCK, &set, nil)
        return set
    }

    // MARK: The services

    private func startReceiver(
        _ arguments: [String], _ directory: PrivateDirectory
    ) throws(TrackError) -> (process: ServiceProcess, address: String) {
        let own = arguments.dropFirst().prefix { $0 != "--" }.filter { $0 != "--ask" }
        let process = try ServiceProcess(
            "/proc/self/exe", own + ["--serve", "--port", "0"], environment: environment,
            output: directory.file("exe.log"))
        var address = ""
        try serving(process, directory) { () throws(TrackError) in
            let lines = directory.log(of: process.name).split(separator: "\n")
            address = lines.first { $0.hasPrefix("listening on ") }.map { String($0.dropFirst(13)) } ?? ""
            return !address.isEmpty
        }
        return (process, address)
    }

    private func startGPSD(
        on receiver: String, _ directory: PrivateDirectory
    ) throws(TrackError) -> (ServiceProcess, UInt16) {
        let path = try CommandRun.program("gpsd", "install Debian's package gpsd")
        for attempt in 1...CommandRun.attempts {
            var port: UInt16 = 0
            let probe = clinux_listen_loopback(0, &port)
            guard probe >= 0 else { break }
            close(probe)
            let process = try ServiceProcess(
                path, ["-N", "-b", "-S", "\(port)", "tcp://\(receiver)"],
                environment: environment + ["GPSD_SHM_KEY=\(CommandRun.sharedMemoryKey(port))"],
                output: directory.file("gpsd.log"))
            let isServing = ServiceProcess.wait(atMost: CommandRun.patience) {
                !process.isRunning || CommandRun.listens("127.0.0.1", port)
            }
            if isServing, process.isRunning { return (process, port) }
            removeSharedMemory(of: port)
            if attempt == CommandRun.attempts { break }
        }
        throw TrackError(description: "cannot start gpsd:\n\(directory.log(of: "gpsd"))")
    }

    private func startLocationd(
        at socket: String, gpsd port: UInt16, _ directory: PrivateDirectory
    ) throws(TrackError) -> ServiceProcess {
        for name in ["state", "run", "apps.d"] { mkdir(directory.file(name), 0o700) }
        try directory.write(
            "[Authorization]\nDefault=\(options.asks ? "ask" : "authorizedAlways")\n" + CommandRun.administrators
                + "[Apps]\nDirectory=\(directory.file("apps.d"))\n", to: "locationd.conf")
        var arguments = [
            "--config", directory.file("locationd.conf"), "--socket", socket, "--gpsd", "127.0.0.1:\(port)",
            "--state-directory", directory.file("state"), "--runtime-directory", directory.file("run"),
        ]
        if options.speed != 1 { arguments += ["--clock-speed", "\(options.speed)"] }
        let process = try ServiceProcess(
            try CommandRun.program("locationd", "build it beside locationd-track, or install it"), arguments,
            environment: environment, output: directory.file("locationd.log"))
        try serving(process, directory) { () throws(TrackError) in
            let fd = clinux_connect_unix(socket)
            if fd >= 0 { close(fd) }
            return fd >= 0
        }
        return process
    }

    // A user who tries a program decides about it, too.
    private static var administrators: String {
        guard let group = getgrgid(getegid()) else { return "" }
        return "AdminGroup=\(String(cString: group.pointee.gr_name))\n"
    }

    private func serving(
        _ process: ServiceProcess, _ directory: PrivateDirectory, _ condition: () throws(TrackError) -> Bool
    ) throws(TrackError) {
        let isServing = try ServiceProcess.wait(atMost: CommandRun.patience) { () throws(TrackError) in
            guard process.isRunning else { return true }
            return try condition()
        }
        guard isServing, process.isRunning else {
            throw TrackError(description: "cannot start \(process.name):\n\(directory.log(of: process.name))")
        }
    }

    private static func listens(_ host: String, _ port: UInt16) -> Bool {
        var resolverError: Int32 = 0
        let fd = clinux_connect_tcp(host, "\(port)", &resolverError)
        guard fd >= 0 else { return false }
        defer { close(fd) }
        var connecting = pollfd(fd: fd, events: Int16(POLLOUT), revents: 0)
        return poll(&connecting, 1, 1000) == 1 && clinux_socket_error(fd) == 0
    }

    // MARK: What gpsd leaves

    // gpsd shares its reports in a segment that others of its kind would share, too.
    private static func sharedMemoryKey(_ port: UInt16) -> Int32 { 0x4C4F_0000 | Int32(port) }

    private func removeSharedMemory(of port: UInt16) {
        let segment = shmget(CommandRun.sharedMemoryKey(port), 0, 0)
        if segment >= 0 { shmctl(segment, IPC_RMID, nil) }
    }

    /// The path of a program: beside this one, in PATH, or where system programs are.
    private static func program(_ name: String, _ remedy: String) throws(TrackError) -> String {
        let link = realpath("/proc/self/exe", nil)
        defer { free(link) }
        let path = link.map { String(cString: $0) } ?? ""
        let beside = path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        let search = getenv("PATH").map { String(cString: $0) } ?? ""
        let directories =
            [beside] + search.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin", "/sbin"]
        guard let found = directories.first(where: { access("\($0)/\(name)", X_OK) == 0 }) else {
            throw TrackError(description: "cannot run a command without \(name): \(remedy)")
        }
        return "\(found)/\(name)"
    }
}
