// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// The result of `hello`.
public struct HelloResult: Sendable, Hashable {
    /// The version of the protocol that is spoken.
    public var protocolVersion: Int
    /// The daemon's version.
    public var version: String
    /// The app, as claimed or as a manifest has it.
    public var app: String?
    /// The identity that the daemon derived for this process.
    public var identity: String
    /// With it the manager can be taken back after a reconnect.
    public var manager: ManagerToken
    /// Whether an earlier manager was taken back.
    public var rejoined: Bool
    /// The app's authorization.
    public var authorizationStatus: AuthorizationStatus
    /// How precisely it may know; nil: not determined.
    public var accuracyAuthorization: AccuracyAuthorization?
    /// The services that this daemon offers.
    public var capabilities: Capabilities
    /// How many stored events of the app were given up.
    public var eventsDropped: UInt64

    /// The answer to a hello.
    public init(
        protocolVersion: Int = locationProtocolVersion, version: String, app: String?, identity: String,
        manager: ManagerToken, rejoined: Bool, authorizationStatus: AuthorizationStatus,
        accuracyAuthorization: AccuracyAuthorization?, capabilities: Capabilities = Capabilities(),
        eventsDropped: UInt64 = 0
    ) {
        self.protocolVersion = protocolVersion
        self.version = version
        self.app = app
        self.identity = identity
        self.manager = manager
        self.rejoined = rejoined
        self.authorizationStatus = authorizationStatus
        self.accuracyAuthorization = accuracyAuthorization
        self.capabilities = capabilities
        self.eventsDropped = eventsDropped
    }
}

extension HelloResult: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case protocolVersion = "protocol"
        case version, app, identity, manager, rejoined, authorizationStatus, accuracyAuthorization, capabilities
        case eventsDropped
    }

    /// Reads the members; an `eventsDropped` that is absent is 0.
    ///
    /// Of another version of the protocol only `protocol` and `version` are read, whose meaning never changes: the others may have
    /// words that nobody here knows, and are those of a program that may do nothing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decode(Int.self, forKey: .protocolVersion)
        guard version == locationProtocolVersion else {
            self.init(
                protocolVersion: version,
                version: try container.decodeIfPresent(String.self, forKey: .version) ?? "unknown", app: nil,
                identity: "", manager: ManagerToken(high: 0, low: 0), rejoined: false,
                authorizationStatus: .notDetermined, accuracyAuthorization: nil)
            return
        }
        self.init(
            protocolVersion: version,
            version: try container.decode(String.self, forKey: .version),
            app: try container.decodeIfPresent(String.self, forKey: .app),
            identity: try container.decode(String.self, forKey: .identity),
            manager: try container.decode(ManagerToken.self, forKey: .manager),
            rejoined: try container.decode(Bool.self, forKey: .rejoined),
            authorizationStatus: try container.decode(AuthorizationStatus.self, forKey: .authorizationStatus),
            accuracyAuthorization: try container.decodeIfPresent(
                AccuracyAuthorization.self, forKey: .accuracyAuthorization),
            capabilities: try container.decode(Capabilities.self, forKey: .capabilities),
            eventsDropped: try container.decodeIfPresent(UInt64.self, forKey: .eventsDropped) ?? 0)
    }

    /// Writes all members; `app` and `accuracyAuthorization` are null when there is none.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(protocolVersion, forKey: .protocolVersion)
        try container.encode(version, forKey: .version)
        try container.encode(app, forKey: .app)
        try container.encode(identity, forKey: .identity)
        try container.encode(manager, forKey: .manager)
        try container.encode(rejoined, forKey: .rejoined)
        try container.encode(authorizationStatus, forKey: .authorizationStatus)
        try container.encode(accuracyAuthorization, forKey: .accuracyAuthorization)
        try container.encode(capabilities, forKey: .capabilities)
        try container.encode(eventsDropped, forKey: .eventsDropped)
    }
}

extension HelloResult {
    static let schema = JSONSchema.object([
        Described("protocol", .count, required: true, "the version of the protocol"),
        Described("version", .string(), required: true, "the daemon's version"),
        Described("app", .nullable(.string()), required: true, "the app, null without a name"),
        Described("identity", .string(), required: true, "who the daemon found the process to be"),
        Described("manager", .string(), required: true, "the token that takes this manager back"),
        Described("rejoined", .boolean, required: true, "whether an earlier manager was taken back"),
        Described("authorizationStatus", .words(AuthorizationStatus.words), required: true, "what the app may do"),
        Described(
            "accuracyAuthorization", .nullable(.words(AccuracyAuthorization.words)), required: true,
            "how precisely it may know"),
        Described("capabilities", Capabilities.schema, required: true, "what can be asked for here"),
        Described("eventsDropped", .count, required: true, "stored events that were given up"),
    ])
}

/// The abilities of this daemon on this device: `capabilities` in the result of `hello`.
public struct Capabilities: Sendable, Hashable, Encodable {
    /// The standard service works.
    public var standardUpdates: Bool
    /// The significant-change service works.
    public var significantLocationChangeMonitoring: Bool
    /// Regions can be watched, and conditions of monitors.
    public var regionMonitoring: Bool
    /// Visits can be recognised.
    public var visits: Bool
    /// allowDeferredLocationUpdates works.
    public var deferredLocationUpdates: Bool
    /// Headings can come: a device here measures them.
    public var heading: Bool
    /// Beacons can be ranged.
    public var ranging: Bool
    /// The largest radius of a region, metres; nil: regions cannot be watched.
    public var maximumRegionMonitoringDistance: Double?
    /// How many regions an app may have; nil: regions cannot be watched.
    public var maximumRegions: Int?
    /// How many conditions an app's monitors may have; nil: they cannot be watched.
    public var maximumConditions: Int?

    /// The given abilities.
    public init(
        standardUpdates: Bool = true, significantLocationChangeMonitoring: Bool = true, regionMonitoring: Bool = false,
        visits: Bool = false, deferredLocationUpdates: Bool = true, heading: Bool = false, ranging: Bool = false,
        maximumRegionMonitoringDistance: Double? = nil, maximumRegions: Int? = nil, maximumConditions: Int? = nil
    ) {
        self.standardUpdates = standardUpdates
        self.significantLocationChangeMonitoring = significantLocationChangeMonitoring
        self.regionMonitoring = regionMonitoring
        self.visits = visits
        self.deferredLocationUpdates = deferredLocationUpdates
        self.heading = heading
        self.ranging = ranging
        self.maximumRegionMonitoringDistance = maximumRegionMonitoringDistance
        self.maximumRegions = maximumRegions
        self.maximumConditions = maximumConditions
    }
}

extension Capabilities: Decodable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case standardUpdates, significantLocationChangeMonitoring, regionMonitoring, visits, deferredLocationUpdates
        case heading, ranging, maximumRegionMonitoringDistance, maximumRegions, maximumConditions
    }

    /// Reads the abilities; one that the daemon does not know is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func has(_ ability: CodingKeys) throws -> Bool {
            try container.decodeIfPresent(Bool.self, forKey: ability) ?? false
        }
        self.init(
            standardUpdates: try has(.standardUpdates),
            significantLocationChangeMonitoring: try has(.significantLocationChangeMonitoring),
            regionMonitoring: try has(.regionMonitoring), visits: try has(.visits),
            deferredLocationUpdates: try has(.deferredLocationUpdates), heading: try has(.heading),
            ranging: try has(.ranging),
            maximumRegionMonitoringDistance: try container.decodeIfPresent(
                Double.self, forKey: .maximumRegionMonitoringDistance),
            maximumRegions: try container.decodeIfPresent(Int.self, forKey: .maximumRegions),
            maximumConditions: try container.decodeIfPresent(Int.self, forKey: .maximumConditions))
    }
}

extension Capabilities {
    static let schema = JSONSchema.object(
        [
            // The bench measures the shares (Documentation/Performance.md).
            ("standardUpdates", ""),
            (
                "significantLocationChangeMonitoring",
                "; while the receiver may sleep, nineteen of twenty changes are told within 500 m of where they were due, and"
                    + " 98 % where the receiver needs 5 s at most for a fix"
            ),
            (
                "regionMonitoring",
                "; while the receiver may sleep, nineteen of twenty crossings with a minute inside are found, the others not"
            ),
            ("visits", "; while the receiver may sleep, nine of ten stays of a quarter of an hour are found"),
            ("deferredLocationUpdates", ""), ("heading", ""), ("ranging", ""),
        ].map { Described($0.0, .boolean, required: true, "whether that can be asked for here" + $0.1) } + [
            Described("maximumRegionMonitoringDistance", .amount, "the largest radius of a region, metres"),
            Described("maximumRegions", .count, "how many regions an app may have"),
            Described("maximumConditions", .count, "how many conditions an app's monitors may have"),
        ])
}
