// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// How far the device has travelled: the distance from the anchor is added when a fix lies farther from it than the step and than the
/// fix's own accuracy, and that fix becomes the anchor (Protocol 5.2). Jitter of a stationary device adds nothing.
struct Odometer: Sendable {
    /// Metres.
    private(set) var travelled: Double
    private(set) var anchor: Coordinate?

    init(travelled: Double = 0, anchor: Coordinate? = nil) {
        self.travelled = travelled
        self.anchor = anchor
    }

    mutating func move(to location: Location, step: Double) {
        guard let anchor else {
            self.anchor = location.coordinate
            return
        }
        let distance = anchor.distance(to: location.coordinate)
        guard distance > max(step, location.horizontalAccuracy) else { return }
        travelled += distance
        self.anchor = location.coordinate
    }
}
