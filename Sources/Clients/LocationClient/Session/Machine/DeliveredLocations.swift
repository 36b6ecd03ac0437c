// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// How far the program is in the standard service's locations, so that it gets none twice.
struct DeliveredLocations: Sendable {
    // A delegate that stops and starts the service with each location would else be told the stored one for ever, as fast as it can.
    private static let repose = TimeSpan.seconds(1)

    /// The last that came since the program started the service: delivery goes on behind it. Nil: none came yet.
    private(set) var resumePoint: UInt64?
    // Locations up to this one were delivered.
    private var floor: UInt64 = 0
    // The location that was delivered last in this view, and when.
    private var last: (location: Location, moment: BootInstant)?
    // A manager that knows nothing took over, and has told nothing: where it never gave `floor`, its own numbers may be lower.
    private var mayStartOver = false

    /// The program started the service, which did not run.
    mutating func begin() { resumePoint = nil }

    /// A manager that knows nothing takes over.
    mutating func beginAnew() { mayStartOver = true }

    /// The program sees another view of the place from now on, whose numbers are those of older fixes. Of the time before it gets
    /// nothing in the new view.
    mutating func changeView() { (floor, resumePoint, last) = (0, nil, nil) }

    /// The part of `update`, one of the standard service, that is new at `now`; nil: none is.
    mutating func new(of update: LocationUpdate, at now: BootInstant) -> LocationUpdate? {
        // Once per start: where a permission comes back the daemon tells it, too.
        if update.isCached, resumePoint == nil { return stored(update, at: now) }
        if mayStartOver, update.hasGap || beganBelow(update) { floor = 0 }
        if !isNew(update.locations.first) { return rest(of: update, at: now) }
        note(update.locations, at: now)
        return update
    }

    // A start is answered with what is known, unless the program was told just that a moment ago. All that follows is newer.
    private mutating func stored(_ update: LocationUpdate, at now: BootInstant) -> LocationUpdate? {
        guard let location = update.locations.last else { return nil }
        let isFresh =
            last.map { $0.location.isSameFix(as: location) && now - $0.moment < DeliveredLocations.repose } ?? false
        (floor, resumePoint, mayStartOver) = (location.sequence, location.sequence, false)
        if isFresh { return nil }
        last = (location, now)
        return update
    }

    private mutating func rest(of update: LocationUpdate, at now: BootInstant) -> LocationUpdate? {
        var update = update
        update.locations.removeAll { $0.sequence <= floor }
        guard !update.locations.isEmpty else { return nil }
        note(update.locations, at: now)
        return update
    }

    // Where no number was told to it, such a manager's first fix is newer than all before: it counts anew if the number is not.
    private func beganBelow(_ update: LocationUpdate) -> Bool { resumePoint == nil && !isNew(update.locations.first) }

    private func isNew(_ location: Location?) -> Bool { location.map { $0.sequence > floor } ?? false }

    private mutating func note(_ locations: [Location], at now: BootInstant) {
        mayStartOver = false
        guard let last = locations.last else { return }
        floor = max(floor, last.sequence)
        resumePoint = last.sequence
        self.last = (last, now)
    }
}

extension Location {
    // A stored location may lack what only a fresh one has.
    fileprivate func isSameFix(as other: Location) -> Bool {
        sequence == other.sequence && timestamp == other.timestamp
    }
}
