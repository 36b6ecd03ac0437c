// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The running standard service of one manager: a cursor into the log with a predicate.
struct StandardService: ManagerService, Codable {
    enum Mode: UInt8, Recorded {
        /// Fixes are delivered as they come.
        case live
        /// A deferral holds them: the cursor stays.
        case held
        /// No connection is there: the cursor stays, and the predicate runs when the client is back.
        case away
        /// The device is stationary: fixes go by.
        case paused
    }

    var manager = ManagerID(rawValue: 0)
    @Stored var startedAt: BootInstant
    @Stored var mode = Mode.live
    var isReduced = false
    /// The next fix is delivered whatever the filter.
    var isFirstPending = true
    /// The first delivery after a resumption that could not reach back.
    var hasGap = false
    /// The fix at the cursor was delivered, but is still to be read: the filter counts from it.
    var countsFromCursor = false
    var hasToldLoss = false
    /// It pauses while the device is stationary by this activity; nil: it does not pause.
    var activity: ActivityType?
    /// Metres; negative: none.
    var distanceFilter = -1.0
    @Stored var reference = Coordinate(latitude: 0, longitude: 0)
    @Stored var referenceAccuracy = 0.0
    /// Everything up to this sequence was handed over or filtered out.
    var cursor: UInt64
    /// Fixes that a deferral holds.
    var held = 0
    /// Fixes that the distance filter kept back.
    var filtered: UInt64 = 0
    /// Fixes that went by while updates paused.
    var paused: UInt64 = 0

    /// Copies of the manager's properties are left out: they are made anew.
    private enum CodingKeys: String, CodingKey {
        case startedAt = "t", mode = "m", isFirstPending = "n", hasGap = "g", countsFromCursor = "k", hasToldLoss = "l"
        case reference = "r", referenceAccuracy = "e", cursor = "c", held = "h", filtered = "f", paused = "p"
    }

    var isUsable: Bool {
        cursor.isUsable && filtered.isUsable && paused.isUsable && (0...Int(Int32.max)).contains(held)
    }

    /// Whether the fix is to be delivered now; moves the cursor.
    @inline(__always)
    mutating func examine(_ location: Location, _ view: Coordinate, flags: LogFlags, frame: LocalFrame) -> Bool {
        switch mode {
        case .away: return false
        case .paused:
            cursor = location.sequence
            paused += 1
            return false
        case .held:
            held += 1
            return false
        case .live:
            cursor = location.sequence
            if isReduced, !flags.contains(.reducedView) { return false }
            guard passes(view, accuracy: location.horizontalAccuracy, frame: frame) else {
                filtered += 1
                return false
            }
            isFirstPending = false
            reference = view
            referenceAccuracy = location.horizontalAccuracy
            return true
        }
    }

    /// The delivery of one location that was just examined.
    @inline(__always)
    mutating func delivery(of sequence: UInt64) -> Effect {
        var flags: DeliveryFlags = isReduced ? .reduced : []
        if hasGap {
            flags.insert(.gap)
            hasGap = false
        }
        return .deliver(manager, Delivery(first: sequence, last: sequence, source: .standard, flags: flags))
    }

    /// The distance filter counts from this location; nil: the next fix is delivered whatever the filter.
    mutating func setReference(to location: Location?) {
        isFirstPending = location == nil
        guard let location else { return }
        reference = isReduced ? location.reducedView.coordinate : location.coordinate
        referenceAccuracy = location.horizontalAccuracy
    }

    /// Stands where a former process left it; what it copied of the manager's properties is as it is now.
    mutating func goOn(as left: StandardService) {
        let now = self
        self = left
        manager = now.manager
        isReduced = now.isReduced
        distanceFilter = now.distanceFilter
        activity = now.activity
    }

    private func passes(_ place: Coordinate, accuracy: Double, frame: LocalFrame) -> Bool {
        if distanceFilter <= 0 || isFirstPending { return true }
        if StandardService.isClearlyBetter(accuracy, than: referenceAccuracy) { return true }
        // The frame decides where it cannot be wrong; near the threshold the exact distance does.
        let squared = frame.squaredDistance(reference, place)
        let threshold = distanceFilter * distanceFilter
        if abs(place.latitude) < 75 {
            let isNear = squared < 25e6
            if isNear, squared < threshold * 0.98 { return false }
            if isNear || distanceFilter < 5_000, squared > threshold * 1.02 { return true }
        }
        return reference.distance(to: place) >= distanceFilter
    }

    /// A fix of better accuracy may be delivered though the filter is not exceeded (rule S6): at most half the radius, and
    /// 20 metres better, so that a receiver's ordinary noise does not defeat the filter.
    private static func isClearlyBetter(_ accuracy: Double, than reference: Double) -> Bool {
        accuracy * 2 <= reference && reference - accuracy >= 20
    }
}
