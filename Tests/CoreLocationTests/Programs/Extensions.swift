// SPDX-License-Identifier: Apache-2.0
// What a program adds to others' types is its own affair.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CoreLocation

// What apps add to Core Location's types, which must therefore not have it.

extension CLLocationCoordinate2D: @retroactive Equatable, @retroactive Hashable, @retroactive Codable {
    private enum CodingKeys: CodingKey { case latitude, longitude }

    public static func == (left: CLLocationCoordinate2D, right: CLLocationCoordinate2D) -> Bool {
        left.latitude == right.latitude && left.longitude == right.longitude
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(latitude)
        hasher.combine(longitude)
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            latitude: try values.decode(CLLocationDegrees.self, forKey: .latitude),
            longitude: try values.decode(CLLocationDegrees.self, forKey: .longitude))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(latitude, forKey: .latitude)
        try values.encode(longitude, forKey: .longitude)
    }
}

extension CLLocationCoordinate2D: @retroactive CustomStringConvertible, @retroactive Identifiable {
    public var id: String { description }
    public var description: String { "\(latitude),\(longitude)" }
    static let zero = CLLocationCoordinate2D()
    static func + (left: Self, right: Self) -> Self {
        CLLocationCoordinate2D(latitude: left.latitude + right.latitude, longitude: left.longitude + right.longitude)
    }
}

extension CLMonitor.Event: @retroactive Identifiable {
    public var id: String { identifier }
}

extension CLMonitor.Event.State: @retroactive CustomStringConvertible, @retroactive CaseIterable {
    public static var allCases: [CLMonitor.Event.State] { [.unknown, .satisfied, .unsatisfied, .unmonitored] }
    public var description: String { "state \(rawValue)" }
}

extension CLLocationUpdate: @retroactive Equatable {
    public static func == (left: CLLocationUpdate, right: CLLocationUpdate) -> Bool {
        left.location == right.location && left.stationary == right.stationary
    }
}

extension CLLocationUpdate.LiveConfiguration: @retroactive CaseIterable, @retroactive RawRepresentable {
    public static var allCases: [CLLocationUpdate.LiveConfiguration] { [.default, .fitness] }
    public init?(rawValue: String) { self = rawValue == "fitness" ? .fitness : .default }
    public var rawValue: String { self == .fitness ? "fitness" : "default" }
}

extension CLAuthorizationStatus: @retroactive CustomStringConvertible {
    public var description: String {
        switch self {
        case .notDetermined: "not asked"
        case .restricted, .denied: "no"
        case .authorizedAlways: "always"
        case .authorizedWhenInUse: "in use"
        @unknown default: "new"
        }
    }
    var isAuthorized: Bool { self == .authorizedAlways || self == .authorizedWhenInUse }
}

extension CLActivityType: @retroactive CaseIterable, @retroactive Codable {
    public static var allCases: [CLActivityType] {
        [.other, .automotiveNavigation, .fitness, .otherNavigation, .airborne]
    }
}

extension CLMonitor.CircularGeographicCondition: @retroactive Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.center.latitude == right.center.latitude && left.center.longitude == right.center.longitude
            && left.radius == right.radius
    }
}

extension CLLocation {
    convenience init(_ place: CLLocationCoordinate2D) {
        self.init(latitude: place.latitude, longitude: place.longitude)
    }
    var isFresh: Bool { timestamp.timeIntervalSinceNow > -10 }
    static func - (left: CLLocation, right: CLLocation) -> CLLocationDistance { left.distance(from: right) }
}

extension CLLocationManager {
    var isAuthorized: Bool { authorizationStatus.isAuthorized && accuracyAuthorization == .fullAccuracy }
}

/// A model with Core Location's values in it.
struct Photo: Codable, Hashable {
    var place: CLLocationCoordinate2D
    var altitude: CLLocationDistance?
    var activity: CLActivityType
}
