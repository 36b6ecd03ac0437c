// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport

/// Real programs around a receiver that the test plays: locationd, locationd-uplink and mosquitto, with a tap before the broker.
final class UplinkBench {
    let directory: TemporaryDirectory
    let gpsd: FakeGPSD
    private(set) var tap: BrokerTap
    private(set) var daemon: ChildProcess?
    private(set) var uplink: ChildProcess?
    private(set) var broker: ChildProcess?
    /// In the broker's place; nil: there is a broker.
    let server: HTTPServer?
    let brokerPort: UInt16
    private var epochs: Int64 = 0
    private let start: Int64

    /// `uplink`: lines of uplink.conf behind `[Broker]` with host and port, or behind `[HTTP]` with the URL. `broker`: lines for its own.
    /// `server`: not nil for a server of HTTP with these files for TLS, in the broker's place.
    init(
        uplink settings: String = "", daemon: String = "", broker: String = "allow_anonymous true\n",
        isV5: Bool = true, brokerPort fixed: UInt16? = nil, server: [String]? = nil
    ) throws {
        directory = try TemporaryDirectory()
        gpsd = try FakeGPSD()
        start = Int64(time(nil)) * 1000 - 100_000_000
        brokerPort = try fixed ?? UplinkBench.freePort()
        tap = try BrokerTap(to: brokerPort, isV5: isV5)
        for name in ["state", "run", "apps.d", "ustate", "urun", "secrets"] { mkdir(directory.file(name), 0o700) }
        try directory.write(
            "[Apps]\nDirectory=\(directory.file("apps.d"))\n[Regions]\nDwellSec=0\nCushionMinimumMeters=0\n"
                + "CushionMaximumMeters=0\n[GPSD]\nReconnectMinSec=50ms\n\(daemon)",
            to: "locationd.conf")
        try directory.write(
            "listener \(brokerPort) 127.0.0.1\nuser root\npersistence true\npersistence_location \(directory.path)/\n"
                + "\(broker)", to: "mosquitto.conf")
        self.server = try server.map { [directory] in try HTTPServer(in: directory, tls: $0) }
        let place =
            self.server.map { "[HTTP]\nURL=\(server == [] ? "http://127.0.0.1" : "https://localhost"):\($0.port)/pub" }
            ?? "[Broker]\nHost=127.0.0.1\nPort=\(tap.port)"
        try directory.write("[Uplink]\nDevice=car\n\(place)\n\(settings)\n", to: "uplink.conf")
    }

    deinit { for process in [uplink, daemon, broker] { process?.terminate(SIGKILL) } }

    static func freePort() throws -> UInt16 {
        let probe = try FakeGPSD()
        return probe.port
    }

    var address: DaemonAddress { DaemonAddress(path: directory.file("run/socket")) }

    // MARK: Programs

    func startDaemon() throws {
        daemon = try ChildProcess(
            try BuildProducts.program("locationd"),
            [
                "--config", directory.file("locationd.conf"), "--socket", address.path, "--gpsd",
                "127.0.0.1:\(gpsd.port)", "--state-directory", directory.file("state"), "--runtime-directory",
                directory.file("run"),
            ], environment: ["NOTIFY_SOCKET": nil, "JOURNAL_STREAM": nil, "LISTEN_FDS": nil, "LISTEN_PID": nil])
        let daemon = daemon
        try waitUntil("the daemon serves") { daemon?.standardError.contains("serving at") == true }
    }

    func startUplink(environment: [String: String?] = [:]) throws {
        uplink = try ChildProcess(
            try BuildProducts.program("locationd-uplink"),
            [
                "--config", directory.file("uplink.conf"), "--socket", address.path, "--state-directory",
                directory.file("ustate"), "--runtime-directory", directory.file("urun"),
            ],
            environment: ["NOTIFY_SOCKET": nil, "CREDENTIALS_DIRECTORY": directory.file("secrets")]
                .merging(environment) { $1 })
    }

    func startBroker() throws {
        broker = try ChildProcess(try requireProgram("mosquitto"), ["-c", directory.file("mosquitto.conf")])
        let broker = broker
        try waitUntil("the broker listens: \(broker?.standardError ?? "")") {
            (try? LoopbackConnection(port: brokerPort, within: 1)) != nil
        }
    }

    func startAll(environment: [String: String?] = [:]) throws {
        try startDaemon()
        if server == nil { try startBroker() }
        try startUplink(environment: environment)
        try gpsd.waitForWatch()
        try waitUntil("the uplink is connected: \(uplink?.standardError ?? "")") {
            ["connected", "waiting"].contains(status?["link"]?.string)
        }
    }

    enum Program: CaseIterable { case daemon, uplink, broker }

    private func process(_ program: Program) -> ChildProcess? {
        switch program {
        case .daemon: daemon
        case .uplink: uplink
        case .broker: server?.process ?? broker
        }
    }

    func signal(_ program: Program, _ signal: Int32) { process(program)?.terminate(signal) }

    func start(_ program: Program) throws {
        switch program {
        case .daemon: try startDaemon()
        case .uplink: try startUplink()
        case .broker: if let server { try server.restart() } else { try startBroker() }
        }
    }

    func kill(_ program: Program, _ signal: Int32 = SIGKILL) throws {
        process(program)?.terminate(signal)
        try process(program)?.waitForExit()
        if program == .daemon { try gpsd.waitForConnections(0) }
    }

    // MARK: The receiver

    /// So many fixes, 10 m apart on a line to and fro; false: nobody listens.
    @discardableResult
    func fixes(_ count: Int = 1) throws -> Bool {
        for _ in 0..<count {
            guard gpsd.isWatched, gpsd.openConnections > 0 else { return false }
            epochs += 1
            let turn = epochs % 400
            let way = Double(turn < 200 ? turn : 400 - turn) * 10
            let place = Coordinate(latitude: 45, longitude: -30).moved(by: way, course: 0)
            var time: [UInt8] = []
            WallTime(milliseconds: start + epochs * 1000).appendRFC3339(to: &time)
            let text = String(decoding: time, as: UTF8.self)
            try gpsd.push(
                #"{"class":"TPV","device":"/dev/ttyFAKE0","mode":3,"time":"\#(text)","lat":\#(place.latitude),"#
                    + #""lon":\#(place.longitude),"altHAE":59.5,"altMSL":0.5,"epv":7.77,"eph":4.845}"#)
        }
        return true
    }

    // MARK: What the broker has

    /// Messages on the location's topic that are locations.
    var locations: [BrokerTap.Message] {
        tap.acknowledged.filter(UplinkBench.isLocation)
    }

    private static func isLocation(_ message: BrokerTap.Message) -> Bool {
        message.topic == "owntracks/locationd/car" && message["_type"]?.string == "location"
    }

    /// The numbers of those that the broker or the server has, in the order in which they were acknowledged.
    var sequences: [UInt64] {
        locationIdentifiers.compactMap { $0.split(separator: "-").last.flatMap { UInt64($0) } }
    }

    /// The identifiers of locations that the broker or the server has, in the order in which they were acknowledged.
    var locationIdentifiers: [String] {
        server.map { $0.identifiers(of: "location") } ?? locations.compactMap { $0["_id"]?.string }
    }

    /// The same of those behind the first `read` messages, which counts them, too, from then on.
    func newLocationIdentifiers(after read: inout Int) -> [String] {
        guard let server else {
            let new = tap.acknowledged(behind: read)
            read += new.count
            return new.filter(UplinkBench.isLocation).compactMap { $0["_id"]?.string }
        }
        let new = server.requests[read...]
        read = new.endIndex
        return new.filter { $0.isTaken && $0["_type"]?.string == "location" }.compactMap { $0["_id"]?.string }
    }

    /// The same of transitions.
    var crossings: [String] {
        server.map { $0.identifiers(of: "transition") }
            ?? tap.acknowledged.filter { $0.topic.hasSuffix("/event") }.compactMap { $0["_id"]?.string }
    }

    func waitForLocations(_ count: Int, within seconds: Double = patience) throws {
        try waitUntil(
            "\(count) locations arrive; \(Set(sequences).count) did; \(uplink?.standardError.suffix(500) ?? "")",
            within: seconds
        ) { Set(sequences).count >= count }
    }

    /// What the broker retains on a topic; nil: nothing.
    func retained(_ topic: String = "owntracks/locationd/car") throws -> String? {
        let process = try ChildProcess(
            try requireProgram("mosquitto_sub"),
            ["-h", "127.0.0.1", "-p", "\(brokerPort)", "-t", topic, "-C", "1", "-W", "2", "--retained-only"])
        try process.waitForExit()
        return process.outputLines.first
    }

    /// The document for `locctl uplink`.
    var status: JSON? {
        (try? readFile(directory.file("urun/status.json"))).flatMap {
            try? JSON(parsing: String(decoding: $0, as: UTF8.self))
        }
    }

    /// Nothing waits, says the uplink that runs, and not one before it.
    var isDone: Bool {
        guard let status, let pid = uplink?.pid else { return false }
        return status["pid"]?.int == Int(pid) && status["waiting"]?.int == 0 && status["waitingEvents"]?.int == 0
    }

    /// The cursor on the disk.
    var cursor: UInt64? { state?["cursor"]?.int.map { UInt64($0) } }

    /// The identifiers of the messages on the disk.
    var keptMessages: [String] {
        (state?["messages"]?.array ?? []).compactMap { message in
            message["payload"]?.string.flatMap { try? JSON(parsing: $0)["_id"]?.string }
        }
    }

    private var state: JSON? {
        (try? readFile(directory.file("ustate/state.json"))).flatMap {
            try? JSON(parsing: String(decoding: $0, as: UTF8.self))
        }
    }
}
