// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// The error that Core Location tells a delegate: the `error` object of a notification.
public struct LocationError: Error, Sendable, Hashable {
    /// Core Location's domain of every code here.
    public static let domain = "kCLErrorDomain"

    /// Core Location's code.
    public var code: LocationErrorCode
    /// For a person.
    public var message: String
    /// Whether it may pass by itself, so that nothing need be done.
    public var isTransient: Bool

    /// The error `code`; what is not given is what the code usually means.
    public init(_ code: LocationErrorCode, message: String? = nil, isTransient: Bool? = nil) {
        let usual = LocationError.usual(code)
        self.code = code
        self.message = message ?? usual.message
        self.isTransient = isTransient ?? usual.isTransient
    }

    private static func usual(_ code: LocationErrorCode) -> (message: String, isTransient: Bool) {
        switch code {
        case .locationUnknown: ("cannot tell the location right now: no fix; the service goes on trying", true)
        case .denied:
            (
                "cannot give locations: the app is not authorized, or location services are off; 'locctl why' says which",
                false
            )
        case LocationErrorCode(rawValue: 2):
            (
                "cannot reach locationd: start it with 'systemctl start locationd'; what runs then goes on by itself",
                true
            )
        case .headingFailure: ("cannot tell the heading right now: nothing here measures one", true)
        case .regionMonitoringDenied: ("cannot watch the region: the app is not authorized for regions", false)
        case .regionMonitoringFailure:
            (
                "cannot watch the region: the app has as many as it may, or the region is none that can be watched",
                false
            )
        case .regionMonitoringSetupDelayed: ("cannot watch the region yet: it is watched as soon as possible", true)
        case .deferredFailed: ("cannot defer: there is no recent fix; try again when fixes come", true)
        case .deferredNotUpdatingLocation:
            (
                "cannot defer: standard updates are not running, or are paused; startUpdatingLocation comes first",
                false
            )
        case .deferredAccuracyTooLow:
            ("cannot defer: desiredAccuracy must be best or bestForNavigation, with full accuracy", false)
        case .deferredDistanceFiltered: ("cannot defer: distanceFilter must be none", false)
        case .deferredCanceled: ("cannot go on deferring: the client ended the deferral", false)
        case .rangingUnavailable: ("cannot range beacons right now: this device has nothing that hears them", true)
        case .rangingFailure: ("cannot go on ranging beacons", false)
        case .promptDeclined:
            ("cannot ask for full accuracy", false)
        default: ("cannot go on: Core Location's error \(code.rawValue), \(code.name)", false)
        }
    }
}

extension LocationError: Codable {
    enum Member: String, CodingKey, CaseIterable { case domain, code, name, message, transient }

    /// Reads the `error` object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        self.init(
            LocationErrorCode(rawValue: try container.decode(Int.self, forKey: .code)),
            message: try container.decodeIfPresent(String.self, forKey: .message),
            isTransient: try container.decodeIfPresent(Bool.self, forKey: .transient))
    }

    /// Writes the `error` object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Member.self)
        try container.encode(LocationError.domain, forKey: .domain)
        try container.encode(code.rawValue, forKey: .code)
        try container.encode(code.name, forKey: .name)
        try container.encode(message, forKey: .message)
        try container.encode(isTransient, forKey: .transient)
    }

    func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("domain", LocationError.domain)
        writer.member("code", code.rawValue)
        writer.member("name", code.name)
        writer.member("message", message)
        writer.name("transient")
        writer.bool(isTransient)
        writer.endObject()
    }
}

extension LocationError {
    static let schema = JSONSchema.object([
        Described("domain", .words([LocationError.domain]), required: true, "Core Location's"),
        Described("code", .count, required: true, "Core Location's number"),
        Described("name", .string(), required: true, "Core Location's name"),
        Described("message", .string(), required: true, "for a person"),
        Described("transient", .boolean, required: true, "whether it may pass by itself"),
    ])
}
