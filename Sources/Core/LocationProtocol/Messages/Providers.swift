// SPDX-License-Identifier: Apache-2.0

public import LocationModel

// Requests of those who know where the device is without a receiver: programs that provide locations, and people.
extension Method {
    static let providers = [offerLocation, withdrawLocation, setPlace, clearPlace]

    package static let offerLocation = Method(
        "offerLocation",
        "Says where the device is, in place of what this connection said before; told while no receiver has a fix.",
        OfferedLocation.latitude, OfferedLocation.longitude,
        required("horizontalAccuracy", .providedAccuracy, "radius of 68 %, metres"),
        OfferedLocation.altitude,
        optional("verticalAccuracy", .providedAccuracy, "68 % of the altitude, metres; only with altitude"),
        required("kind", .providedKind, "how it was found"),
        required("lifetime", .lifetime, "seconds for which it counts, unless the connection ends before"),
        errors: [.notPermitted, .limitExceeded], sender: .provider,
        check: { given, _, _, _, altitude, verticalAccuracy, _, _ throws(RPCError) in
            if (altitude == nil) != (verticalAccuracy == nil) {
                throw given.refusal("verticalAccuracy", allowed: "altitude and verticalAccuracy, or neither")
            }
        },
        call: {
            .offerLocation(
                OfferedLocation(
                    coordinate: Coordinate(latitude: $0, longitude: $1), horizontalAccuracy: $2, altitude: $3,
                    verticalAccuracy: $4, kind: $5),
                lifetime: $6)
        },
        values: { call in
            guard case .offerLocation(let offer, let lifetime) = call else { return nil }
            return (
                offer.coordinate.latitude, offer.coordinate.longitude, offer.horizontalAccuracy, offer.altitude,
                offer.verticalAccuracy, offer.kind, lifetime
            )
        })

    package static let withdrawLocation = Method(
        "withdrawLocation", "Takes back what this connection said of where the device is; without it does nothing.",
        .withdrawLocation, errors: [.notPermitted], sender: .provider)

    package static let setPlace = Method(
        "setPlace",
        "Says where the device stands, until clearPlace; told while no receiver has had a fix of late. Admins only.",
        OfferedLocation.latitude, OfferedLocation.longitude,
        optional(
            "horizontalAccuracy", .providedAccuracy, else: OfferedLocation.usualAccuracy,
            "radius of 68 %, metres; 100 unless said"),
        OfferedLocation.altitude, errors: [.notPermitted], sender: .administrator, effect: .decision,
        call: {
            .setPlace(
                OfferedLocation(
                    coordinate: Coordinate(latitude: $0, longitude: $1), horizontalAccuracy: $2, altitude: $3,
                    verticalAccuracy: $3 == nil ? nil : $2, kind: .manual))
        },
        values: { call in
            guard case .setPlace(let place) = call else { return nil }
            return (
                place.coordinate.latitude, place.coordinate.longitude, place.horizontalAccuracy, place.altitude
            )
        })

    package static let clearPlace = Method(
        "clearPlace", "Forgets the place that setPlace said; without one does nothing. Admins only.", .clearPlace,
        errors: [.notPermitted], sender: .administrator, effect: .decision)
}

/// Where the device is, by somebody's word.
public struct OfferedLocation: Sendable, Hashable {
    /// The accuracy of a place that a person gives without one, metres.
    public static let usualAccuracy = 100.0

    /// Where.
    public var coordinate: Coordinate
    /// Radius of the circle that holds the true place with 68 % probability, metres; > 0.
    public var horizontalAccuracy: Double
    /// Height above mean sea level, metres; only with `verticalAccuracy`.
    public var altitude: Double?
    /// 68 % of the height, metres; > 0.
    public var verticalAccuracy: Double?
    /// How it was found.
    public var kind: LocationKind

    /// The place `coordinate`.
    public init(
        coordinate: Coordinate, horizontalAccuracy: Double, altitude: Double? = nil, verticalAccuracy: Double? = nil,
        kind: LocationKind
    ) {
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.altitude = altitude
        self.verticalAccuracy = verticalAccuracy
        self.kind = kind
    }
}

extension OfferedLocation {
    fileprivate static let latitude = required("latitude", .degrees(90), "degrees north, WGS 84")
    fileprivate static let longitude = required("longitude", .degrees(180), "degrees east, WGS 84")
    fileprivate static let altitude = optional("altitude", .altitude, "metres above mean sea level")
}

extension Rule<Double> {
    /// Metres of error; half of the Earth's circumference is as good as nothing.
    fileprivate static let providedAccuracy = number(
        .number(exclusiveMinimum: 0, maximum: 20_000_000), allowed: "a number of metres, more than 0, to 20000000"
    ) { $0 > 0 && $0 <= 20_000_000 }

    fileprivate static let altitude = number(
        .number(minimum: -12_000, maximum: 100_000), allowed: "a number of metres, -12000 to 100000"
    ) { (-12_000...100_000).contains($0) }

    fileprivate static let lifetime = number(
        .number(minimum: 1, maximum: 86_400), allowed: "a number of seconds, 1 to 86400"
    ) { (1...86_400).contains($0) }
}

extension Rule<LocationKind> {
    /// A person's word is a request of its own.
    fileprivate static let providedKind = word(of: LocationKind.provided.filter { $0 != .manual })
}
