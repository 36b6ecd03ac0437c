// SPDX-License-Identifier: Apache-2.0

public import LocationModel

// The standard service, one-shot requests and deferral.
extension Method {
    static let standardUpdates = [startUpdatingLocation, stopUpdatingLocation, requestLocation, location]
    static let deferral = [allowDeferredLocationUpdates, disallowDeferredLocationUpdates]

    package static let startUpdatingLocation = Method(
        "startUpdatingLocation", "Starts the standard service.",
        optional("resumeAfter", .sequence, "delivery starts behind this sequence"), result: .named("state"),
        errors: [.limitExceeded], coreLocation: "startUpdatingLocation()", request: Request.startUpdatingLocation,
        values: { if case .startUpdatingLocation(let sequence) = $0 { .some(sequence) } else { nil } })

    package static let stopUpdatingLocation = Method(
        "stopUpdatingLocation", "Stops the standard service; silent after the reply.", .stopUpdatingLocation,
        coreLocation: "stopUpdatingLocation()", undoes: .startUpdatingLocation(resumeAfter: nil))

    package static let requestLocation = Method(
        "requestLocation", "Asks for one location, which comes as a notification.",
        optional("timeout", .requestTimeout, "seconds after which the best there is must do; 10 unless said"),
        result: .named("state"), errors: [.limitExceeded], coreLocation: "requestLocation()",
        request: Request.requestLocation,
        values: { if case .requestLocation(let timeout) = $0 { .some(timeout) } else { nil } })

    package static let location = Method(
        "location", "Tells the last known location; powers nothing up.", .location,
        result: .nullable(.named("location")), errors: [.notPermitted], coreLocation: "location")

    package static let allowDeferredLocationUpdates = Method(
        "allowDeferredLocationUpdates",
        "Lets the daemon hold locations until a criterion is met; ends in one didFinishDeferredUpdates.",
        optional(
            "untilTraveled", .limit(unit: "metres"), else: nil,
            "metres; absent, null or from 1e300 on: unlimited"),
        optional(
            "timeout", .limit(unit: "seconds"), else: nil, "seconds; absent, null or from 1e300 on: unlimited"),
        result: .named("state"), coreLocation: "allowDeferredLocationUpdates(untilTraveled:timeout:)",
        request: { .allowDeferredLocationUpdates(DeferralParameters(untilTraveled: $0, timeout: $1)) },
        values: { request in
            guard case .allowDeferredLocationUpdates(let criteria) = request else { return nil }
            return (criteria.untilTraveled, criteria.timeout)
        })

    package static let disallowDeferredLocationUpdates = Method(
        "disallowDeferredLocationUpdates", "Ends a deferral; without one does nothing.",
        .disallowDeferredLocationUpdates, coreLocation: "disallowDeferredLocationUpdates()")
}

extension Request {
    /// The longest `requestLocation`, seconds.
    package static let maximumTimeout = 600.0
}

extension Rule<Double> {
    fileprivate static let requestTimeout = number(
        .number(exclusiveMinimum: 0, maximum: Request.maximumTimeout),
        allowed: "a number of seconds, more than 0 and at most \(Int(Request.maximumTimeout))"
    ) { $0 > 0 && $0 <= Request.maximumTimeout }
}

/// The result of `location`: the last known one, null for none.
public struct LocationResult: Sendable, Hashable, Codable {
    /// The location.
    public var location: Location?

    /// The result `location`.
    public init(_ location: Location?) { self.location = location }

    /// Reads a `location` object or null.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        location = container.decodeNil() ? nil : try container.decode(WireLocation.self).location
    }

    /// Writes a `location` object or null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let location { try container.encode(WireLocation(location)) } else { try container.encodeNil() }
    }
}
