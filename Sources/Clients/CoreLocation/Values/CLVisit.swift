// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import LocationModel

/// A stay at a place: told once when it has begun, and once when it is over.
open class CLVisit: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let stay: VisitFields

    /// When the stay began, as best as can be told afterwards; `Date.distantPast`: nobody saw it.
    open var arrivalDate: Date { stay.arrival }
    /// When the stay ended, as best as can be told afterwards; `Date.distantFuture`: it has not.
    open var departureDate: Date { stay.departure }
    /// The middle of the stay. May differ between arrival and departure.
    open var coordinate: CLLocationCoordinate2D { stay.coordinate }
    /// How exact `coordinate` is, metres (68 %).
    open var horizontalAccuracy: CLLocationAccuracy { stay.horizontalAccuracy }

    /// A stay without place and end, for subclasses in an app's tests.
    public override init() {
        stay = VisitFields(
            coordinate: CLLocationCoordinate2D(), horizontalAccuracy: -1, arrival: .distantPast,
            departure: .distantFuture)
        super.init()
    }

    init(_ stay: VisitFields) {
        self.stay = stay
        super.init()
    }

    /// Reads an archived visit; nil if it is not one.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "arrivalDate") else { return nil }
        stay = VisitFields(
            coordinate: coder.decodePlace(), horizontalAccuracy: coder.decodeDouble(forKey: "horizontalAccuracy"),
            arrival: coder.decodeTime(forKey: "arrivalDate"), departure: coder.decodeTime(forKey: "departureDate"))
        super.init()
    }

    /// Writes place and times, bit for bit.
    open func encode(with coder: NSCoder) {
        coder.encodePlace(stay.coordinate)
        coder.encode(stay.horizontalAccuracy, forKey: "horizontalAccuracy")
        coder.encodeTime(stay.arrival, forKey: "arrivalDate")
        coder.encodeTime(stay.departure, forKey: "departureDate")
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object: a visit never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Place and times on one line, for logs.
    open override var description: String {
        let place = String(
            format: "<%+.8f,%+.8f> +/- %.2fm", coordinate.latitude, coordinate.longitude, horizontalAccuracy)
        let arrival = arrivalDate == .distantPast ? "unknown" : WallTime(arrivalDate).rfc3339
        let departure = departureDate == .distantFuture ? "now" : WallTime(departureDate).rfc3339
        return "\(place) (\(arrival) to \(departure))"
    }
}

/// The values of a `CLVisit`.
struct VisitFields: Sendable {
    var coordinate: CLLocationCoordinate2D
    var horizontalAccuracy: CLLocationAccuracy
    var arrival: Date
    var departure: Date
}
