// SPDX-License-Identifier: Apache-2.0

/// What this daemon on this device can do at all: `capabilities` in the result of `hello`.
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
