// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// The result of `status`. Members that are absent do not apply, are not known, or are not for this client to see.
public struct Status: Sendable, Hashable, Codable {
    /// The daemon itself.
    public var daemon: DaemonStatus
    /// Whether location services are on for the whole device.
    public var locationServicesEnabled: Bool
    /// The connection to gpsd.
    public var gpsd: GPSDStatus
    /// The receivers that gpsd knows; only to those who may see everything.
    public var receivers: [ReceiverStatus]?
    /// The providers, which say where the device is without a receiver; absent: none, or none for this client to see.
    public var providers: [ProviderStatus]?
    /// Whether the receivers have to be on, and for whom.
    public var power: PowerStatus?
    /// Counts of accepted, refused and delivered fixes, and the age and accuracy of the newest.
    public var fixes: FixesStatus?
    /// How many connections there are.
    public var connections: ConnectionsStatus
    /// The managers of this scope; absent where they are not for this client to see.
    public var managers: [ManagerStatus]?
    /// Whether the device moves or rests.
    public var device: DeviceStatus?
    /// The apps of this scope; absent where they are not for this client to see.
    public var apps: [AppStatus]?
    /// The history that the daemon keeps; absent where nothing is to be kept.
    public var history: HistoryStatus?

    /// A document of what is given.
    public init(
        daemon: DaemonStatus, locationServicesEnabled: Bool, gpsd: GPSDStatus, receivers: [ReceiverStatus]? = nil,
        providers: [ProviderStatus]? = nil,
        power: PowerStatus? = nil, fixes: FixesStatus? = nil, connections: ConnectionsStatus,
        managers: [ManagerStatus]? = nil, device: DeviceStatus? = nil, apps: [AppStatus]? = nil,
        history: HistoryStatus? = nil
    ) {
        self.daemon = daemon
        self.locationServicesEnabled = locationServicesEnabled
        self.gpsd = gpsd
        self.receivers = receivers
        self.providers = providers
        self.power = power
        self.fixes = fixes
        self.connections = connections
        self.managers = managers
        self.device = device
        self.apps = apps
        self.history = history
    }
}

/// The daemon in `status`.
public struct DaemonStatus: Sendable, Hashable, Codable {
    /// Bytes of memory.
    public struct Memory: Sendable, Hashable, Codable {
        /// In memory now.
        public var resident: UInt64
        /// Of that, what is not a file's.
        public var anonymous: UInt64

        /// These bytes.
        public init(resident: UInt64, anonymous: UInt64) {
            self.resident = resident
            self.anonymous = anonymous
        }
    }

    /// The daemon's version.
    public var version: String
    /// Seconds since it started.
    public var uptime: Double
    /// Its process.
    public var pid: Int
    /// The memory that it takes; absent where the kernel does not say.
    public var memory: Memory?
    /// Problems with its directories, a sentence each; absent when there are none.
    public var stateProblems: [String]?
    /// Damage to its state since it started, and what was saved; absent when there was none, and to those who may not see all.
    public var stateRepairs: [String]?

    /// The daemon with these numbers.
    public init(
        version: String, uptime: Double, pid: Int, memory: Memory? = nil, stateProblems: [String]? = nil,
        stateRepairs: [String]? = nil
    ) {
        self.version = version
        self.uptime = uptime
        self.pid = pid
        self.memory = memory
        self.stateProblems = stateProblems
        self.stateRepairs = stateRepairs
    }
}

/// The connection to gpsd in `status`.
public struct GPSDStatus: Sendable, Hashable, Codable {
    /// Whether it answers.
    public var connected: Bool
    /// Where: host:port or a path.
    public var address: String?
    /// The state of the connection, a word such as `watching`.
    public var state: String?
    /// Seconds that it has been so.
    public var since: Double?
    /// Why the last connection ended or failed.
    public var lastError: String?
    /// Whether every program of this machine can ask gpsd itself, and so have the location whatever is decided here, unless a firewall
    /// prevents it; nil: not told.
    public var openToAll: Bool?

    /// A connection in this state.
    public init(
        connected: Bool, address: String? = nil, state: String? = nil, since: Double? = nil, lastError: String? = nil,
        openToAll: Bool? = nil
    ) {
        self.connected = connected
        self.address = address
        self.state = state
        self.since = since
        self.lastError = lastError
        self.openToAll = openToAll
    }
}

/// A receiver in `status`.
public struct ReceiverStatus: Sendable, Hashable, Codable {
    /// gpsd's name of the device.
    public var path: String
    /// gpsd's driver.
    public var driver: String?
    /// gpsd's TPV mode: 0 unknown, 1 no fix, 2 without and 3 with altitude.
    public var mode: Int
    /// Satellites in the solution.
    public var satellitesUsed: Int?
    /// Satellites heard.
    public var satellitesSeen: Int?
    /// Seconds since its last fix; absent for a client that may not know that there are fixes.
    public var fixAge: Double?
    /// Fixes per second.
    public var rate: Double?
    /// Whether its fixes are the ones that are taken.
    public var preferred: Bool
    /// Whether gpsd has lost it.
    public var lost: Bool
    /// Whether its clock stands still, so that none of its fixes is taken; absent: no.
    public var repeatsTime: Bool?

    /// The receiver `path`.
    public init(
        path: String, driver: String? = nil, mode: Int = 0, satellitesUsed: Int? = nil, satellitesSeen: Int? = nil,
        fixAge: Double? = nil, rate: Double? = nil, preferred: Bool = false, lost: Bool = false
    ) {
        self.path = path
        self.driver = driver
        self.mode = mode
        self.satellitesUsed = satellitesUsed
        self.satellitesSeen = satellitesSeen
        self.fixAge = fixAge
        self.rate = rate
        self.preferred = preferred
        self.lost = lost
    }
}

/// Whether receivers have to be on, in `status`.
public struct PowerStatus: Sendable, Hashable, Codable {
    /// How receivers are used.
    public enum Policy: String, Sendable, Hashable, CaseIterable, Codable {
        /// Nobody needs them.
        case off
        /// On all the time.
        case fullRate
        /// On now and then.
        case dutyCycled
    }

    /// Somebody who needs them.
    public struct Demand: Sendable, Hashable, Codable {
        /// The connection; nil: nobody is connected, the app waits for events.
        public var connection: UInt64?
        /// The app, as `apps` names it, where it is not a connection that needs them.
        public var app: String?
        /// The service.
        public var service: ServiceName
        /// How precise it wants it; nil: its service is asked for without that.
        public var desiredAccuracy: DesiredAccuracy?

        /// The need of `connection`, or of `app`.
        public init(
            connection: UInt64? = nil, app: String? = nil, service: ServiceName, desiredAccuracy: DesiredAccuracy? = nil
        ) {
            self.connection = connection
            self.app = app
            self.service = service
            self.desiredAccuracy = desiredAccuracy
        }
    }

    /// The policy in force.
    public var policy: Policy
    /// Why it is that one, for a person.
    public var reason: String
    /// Whether receivers are on now.
    public var on: Bool
    /// Seconds until they go on next.
    public var nextOn: Double?
    /// Seconds that they were on since the daemon started.
    public var onTime: Double?
    /// Connections and apps that need them.
    public var demands: [Demand]?

    /// The policy and those it is for.
    public init(
        policy: Policy, reason: String, on: Bool, nextOn: Double? = nil, onTime: Double? = nil, demands: [Demand]? = nil
    ) {
        self.policy = policy
        self.reason = reason
        self.on = on
        self.nextOn = nextOn
        self.onTime = onTime
        self.demands = demands
    }

    enum CodingKeys: String, CodingKey {
        case policy, reason, on, nextOn, onTime
        case demands = "for"
    }
}

/// Counts of accepted, refused and delivered fixes, and the age and accuracy of the newest, in `status`.
public struct FixesStatus: Sendable, Hashable, Codable {
    /// How many were accepted since the start.
    public var accepted: UInt64
    /// How many were not, by reason; reasons that no fix was refused for count 0.
    public var rejected: [String: UInt64]
    /// The newest sequence number.
    public var newestSequence: UInt64?
    /// Seconds since the newest was accepted.
    public var lastFixAge: Double?
    /// Metres, of the newest.
    public var horizontalAccuracy: Double?
    /// Locations delivered to all clients that are there or were since the start; only to those who may see everything.
    public var delivered: UInt64?
    /// Locations that these lost because they were slow.
    public var dropped: UInt64?

    /// These counts.
    public init(
        accepted: UInt64, rejected: [String: UInt64] = [:], newestSequence: UInt64? = nil, lastFixAge: Double? = nil
    ) {
        self.accepted = accepted
        self.rejected = rejected
        self.newestSequence = newestSequence
        self.lastFixAge = lastFixAge
    }
}

/// Whether the device moves, in `status`: proof that somebody looks, even while nothing is delivered.
public struct DeviceStatus: Sendable, Hashable, Codable {
    /// Whether it rests.
    public var stationary: Bool
    /// Since when; nil: nobody saw it begin.
    public var since: WallTime?
    /// Seconds since a fix last confirmed it; nil: none has.
    public var lastCheckAge: Double?

    /// The device in this state.
    public init(stationary: Bool, since: WallTime? = nil, lastCheckAge: Double? = nil) {
        self.stationary = stationary
        self.since = since
        self.lastCheckAge = lastCheckAge
    }
}

extension Status {
    static let schema = JSONSchema.object([
        Described("daemon", daemon, required: true, "the daemon itself"),
        Described("locationServicesEnabled", .boolean, required: true, "whether location services are on at all"),
        Described("gpsd", gpsd, required: true, "the connection to gpsd"),
        Described("receivers", .array(of: receiver), "the receivers that gpsd knows"),
        Described(
            "providers", .array(of: ProviderStatus.schema), "who says where the device is without a receiver"),
        Described("power", power, "whether receivers have to be on, and for whom"),
        Described("fixes", fixes, "what became of the fixes"),
        Described("connections", ConnectionsStatus.schema, required: true, "how many there are"),
        Described("managers", .array(of: .named("manager")), "the managers of this scope"),
        Described("device", device, "whether the device moves or rests"),
        Described("apps", .array(of: .named("app")), "the apps of this scope"),
        Described("history", HistoryStatus.schema, "what is kept of the fixes; absent: nothing is to be kept"),
    ])

    private static let device = JSONSchema.object([
        Described("stationary", .boolean, required: true, "whether it rests"),
        Described("since", .time, "since when"),
        Described("lastCheckAge", .amount, "seconds since a fix last confirmed it"),
    ])

    private static let daemon = JSONSchema.object([
        Described("version", .string(), required: true, "the daemon's version"),
        Described("uptime", .amount, required: true, "seconds since it started"),
        Described("pid", .count, required: true, "its process"),
        Described(
            "memory",
            .object([
                Described("resident", .count, required: true, "bytes in memory"),
                Described("anonymous", .count, required: true, "of that, what is not a file's"),
            ]), "what it takes"),
        Described(
            "stateProblems", .array(of: .string()),
            "what is wrong with its directories, and for administrators with manifests and names in the configuration"),
        Described("stateRepairs", .array(of: .string()), "what of its state was damaged and what was saved"),
    ])

    private static let gpsd = JSONSchema.object([
        Described("connected", .boolean, required: true, "whether it answers"),
        Described("address", .string(), "where"),
        Described("state", .string(), "what the connection is doing"),
        Described("since", .amount, "seconds that it has been so"),
        Described("lastError", .string(), "why the last connection ended"),
        Described(
            "openToAll", .boolean,
            "whether every program here can have the location from gpsd itself, unless a firewall prevents it"),
    ])

    private static let receiver = JSONSchema.object([
        Described("path", .string(), required: true, "gpsd's name of the device"),
        Described("driver", .string(), "gpsd's driver"),
        Described("mode", .count, required: true, "0 unknown, 1 no fix, 2 without and 3 with altitude"),
        Described("satellitesUsed", .count, "satellites in the solution"),
        Described("satellitesSeen", .count, "satellites heard"),
        Described("fixAge", .amount, "seconds since its last fix"),
        Described("rate", .amount, "fixes per second"),
        Described("preferred", .boolean, required: true, "whether its fixes are the ones taken"),
        Described("lost", .boolean, required: true, "whether gpsd has lost it"),
        Described(
            "repeatsTime", .boolean, "whether its clock stands still, so that none of its fixes is taken; absent: no"),
    ])

    private static let power = JSONSchema.object([
        Described("policy", .words(PowerStatus.Policy.allCases.map(\.rawValue)), required: true, "in force now"),
        Described("reason", .string(), required: true, "why, for a person"),
        Described("on", .boolean, required: true, "whether receivers are on now"),
        Described("nextOn", .amount, "seconds until they go on next"),
        Described("onTime", .amount, "seconds that they were on since the start"),
        Described(
            "for",
            .array(
                of: .object([
                    Described("connection", .count, "its number; absent: an app that nobody is connected for"),
                    Described("app", .string(), "the app, where it is not a connection that needs them"),
                    Described(
                        "service", .words(ServiceName.allCases.map(\.rawValue)), required: true, "its service"),
                    Described(
                        "desiredAccuracy",
                        .anyOf([.words(DesiredAccuracy.named.compactMap(\.word)), .number(exclusiveMinimum: 0)]),
                        "a word or metres; absent: the service is asked for without one"),
                ])), "who needs them"),
    ])

    private static let fixes = JSONSchema.object([
        Described("accepted", .count, required: true, "fixes accepted since the start"),
        Described("rejected", .map(of: .count), required: true, "fixes not accepted, by reason; each reason is there"),
        Described("newestSequence", .count, "the newest sequence number"),
        Described("lastFixAge", .amount, "seconds since the newest was accepted"),
        Described("horizontalAccuracy", .amount, "metres, of the newest"),
        Described("delivered", .count, "locations delivered to all clients since the start; for administrators"),
        Described("dropped", .count, "locations that these lost because they were slow; for administrators"),
    ])
}
