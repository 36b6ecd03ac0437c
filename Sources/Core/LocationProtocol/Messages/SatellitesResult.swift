// SPDX-License-Identifier: Apache-2.0

public import LocationModel

// The request for the sky as a receiver hears it.
extension Method {
    package static let satellites = Method(
        "satellites",
        "Tells the satellites of the newest epoch; powers nothing up. Apps with full accuracy, and admins.",
        .satellites, result: .named("satellites"), errors: [.notPermitted], sender: .anyone)
}

/// The result of `satellites`.
public struct SatellitesResult: Sendable, Hashable, Codable {
    /// The satellites in view, in the receiver's order; nil: no receiver has told any for 15 seconds, or none is on.
    public var satellites: [Satellite]?
    /// gpsd's name of the receiver that hears them.
    public var receiver: String?
    /// Seconds since they were heard.
    public var age: Double?

    /// The satellites that `receiver` heard.
    public init(_ satellites: [Satellite]? = nil, receiver: String? = nil, age: Double? = nil) {
        self.satellites = satellites
        self.receiver = receiver
        self.age = age
    }

    static let schema = JSONSchema.object([
        Described(
            "satellites", .array(of: satellite),
            "those in view; absent: no receiver has told any for 15 s, or none is on"),
        Described("receiver", .string(), "gpsd's name of the receiver that hears them"),
        Described("age", .amount, "seconds since they were heard"),
    ])

    private static let satellite = JSONSchema.object([
        Described("system", .words(SatelliteSystem.allCases.map(\.rawValue)), required: true, "whose it is"),
        Described("number", .ordinal, required: true, "its number in its system"),
        Described("elevation", .number(minimum: -90, maximum: 90), "degrees above the horizon"),
        Described("azimuth", .number(minimum: 0, maximum: 360), "degrees clockwise from north"),
        Described("signal", .amount, "signal to noise, dB-Hz; absent: not heard now"),
        Described("used", .boolean, required: true, "whether the fix is computed from it"),
    ])
}
