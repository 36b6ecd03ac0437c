// SPDX-License-Identifier: Apache-2.0

/// A system of navigation satellites.
public enum SatelliteSystem: String, Sendable, Hashable, CaseIterable, Codable {
    case gps, sbas, galileo, beidou, imes, qzss, glonass, navic
    /// The receiver numbers the satellite as no known system does.
    case unknown
}

/// A satellite as a receiver heard it in one epoch.
public struct Satellite: Sendable, Hashable, Codable {
    /// Whose it is.
    public var system: SatelliteSystem
    /// Its number in its system, 1 to 437.
    public var number: Int
    /// Degrees above the horizon, -90 to 90; nil: not known.
    public var elevation: Double?
    /// Degrees clockwise from north, 0 to < 360; nil: not known.
    public var azimuth: Double?
    /// Signal to noise, 0 to 254 dB-Hz; nil: not heard now.
    public var signal: Double?
    /// Whether the fix is computed from it.
    public var used: Bool

    /// A satellite with these numbers.
    public init(
        _ system: SatelliteSystem, _ number: Int, elevation: Double? = nil, azimuth: Double? = nil,
        signal: Double? = nil, used: Bool = false
    ) {
        self.system = system
        self.number = number
        self.elevation = elevation
        self.azimuth = azimuth
        self.signal = signal
        self.used = used
    }
}
