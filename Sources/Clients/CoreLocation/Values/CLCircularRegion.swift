// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import LocationModel

/// A circle on the ground that an app wants to hear of.
open class CLCircularRegion: CLRegion, @unchecked Sendable {
    private let middle: CLLocationCoordinate2D
    private let metres: CLLocationDistance

    /// The middle of the circle, degrees on WGS 84.
    open var center: CLLocationCoordinate2D { middle }
    /// From the middle to the border, metres; kept as given. Not positive: the circle holds nothing.
    open var radius: CLLocationDistance { metres }

    /// A circle of radius 0 without a name, which cannot be watched: for a property that has no region yet, and for subclasses in
    /// an app's tests.
    public override init() {
        middle = CLLocationCoordinate2D()
        metres = 0
        super.init()
    }

    /// The circle of `radius` metres round `center`; nothing is checked before monitoring starts.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
        middle = center
        metres = radius
        super.init(identifier: identifier)
    }

    /// Reads an archived circle; nil if it is not one.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "radius") else { return nil }
        middle = coder.decodePlace()
        metres = coder.decodeDouble(forKey: "radius")
        super.init(coder: coder)
    }

    /// Writes the circle, bit for bit.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encodePlace(middle)
        coder.encode(metres, forKey: "radius")
    }

    /// Whether `coordinate` is at most `radius` from the middle, along the ellipsoid. The border belongs to the circle.
    open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
        RegionShape.circle(center: center.modelled, radius: radius).contains(coordinate.modelled)
    }

    /// A circle that is the same, with flags of its own.
    open override func copy(with zone: NSZone? = nil) -> Any {
        copied(to: CLCircularRegion(center: middle, radius: metres, identifier: identifier))
    }

    /// The kind, identifier and circle, for logs.
    open override var description: String {
        let circle = String(format: "center:<%+.8f,%+.8f>, radius:%.2fm", center.latitude, center.longitude, radius)
        return "CLCircularRegion (identifier:'\(identifier)', \(circle))"
    }
}
