// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// How far the program is in the standard service's locations, so that it gets none twice.
struct DeliveredLocations: Sendable {
    /// The last that came since the program started the service: delivery goes on behind it. Nil: none came yet.
    private(set) var resumePoint: UInt64?
    // Locations up to this one were delivered.
    private var floor: UInt64 = 0
    // A manager that knows nothing took over, and has told nothing: where it never gave `floor`, its own numbers may be lower.
    private var mayStartOver = false

    /// The program started the service, which did not run. It gets a stored location only if it has not had that: a delegate
    /// that stops and starts the service with each location would else be told the same one for ever, as fast as it can.
    mutating func begin() {
        resumePoint = nil
    }

    /// A manager that knows nothing takes over.
    mutating func beginAnew() { mayStartOver = true }

    /// The program sees another view of the place from now on, whose numbers are those of older fixes.
    mutating func changeView() { floor = 0 }

    /// What of `update`, one of the standard service, is new; nil: nothing is.
    mutating func new(of update: LocationUpdate) -> LocationUpdate? {
        if mayStartOver, update.hasGap || beganBelow(update) { floor = 0 }
        if !isNew(update.locations.first) { return rest(of: update) }
        note(update.locations)
        return update
    }

    private mutating func rest(of update: LocationUpdate) -> LocationUpdate? {
        var update = update
        update.locations.removeAll { $0.sequence <= floor }
        guard !update.locations.isEmpty else { return nil }
        note(update.locations)
        return update
    }

    // Where no number was told to it, such a manager's first fix is newer than all before: it counts anew if the number is not.
    private func beganBelow(_ update: LocationUpdate) -> Bool {
        !update.isCached && resumePoint == nil && !isNew(update.locations.first)
    }

    private func isNew(_ location: Location?) -> Bool { location.map { $0.sequence > floor } ?? false }

    private mutating func note(_ locations: [Location]) {
        mayStartOver = false
        guard let last = locations.last else { return }
        floor = max(floor, last.sequence)
        resumePoint = last.sequence
    }
}
