// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// A condition of a monitor.
package struct Condition: Sendable, Hashable {
    /// The monitor's name.
    package var monitor: String
    /// Its name there.
    package var identifier: String
    /// The area.
    package var shape: RegionShape
    /// What the app has taken.
    package var lastEvent: ConditionEvent
    /// What the app was told and has not taken, by number; 0: nothing.
    package var pendingNumber: UInt64 = 0
    /// That event.
    var pending: ConditionEvent?
    /// Why the holder was told that nothing comes of the condition; empty: it was not.
    var obstacle: DiagnosticFlags = []
    /// The holder was told so, and is to be told how the condition stands now.
    var owesState = false
    /// How it stood by what the app has taken, whatever kept it from knowing more since then.
    var standing: ConditionState

    init(monitor: String, identifier: String, shape: RegionShape, lastEvent: ConditionEvent) {
        self.monitor = monitor
        self.identifier = identifier
        self.shape = shape
        self.lastEvent = lastEvent
        standing = lastEvent.state
    }
}

extension ConditionEvent {
    /// Nothing came of the condition because the app ended its service sessions, or went to the background without one.
    var endedWithSessions: Bool {
        state == .unmonitored && !flags.isEmpty && flags.isSubset(of: [.serviceSessionRequired, .insufficientlyInUse])
    }
}

extension RegionState {
    /// What a condition's state says of the place; unmonitored says nothing.
    init(_ state: ConditionState) {
        switch state {
        case .unknown, .unmonitored: self = .unknown
        case .satisfied: self = .inside
        case .unsatisfied: self = .outside
        }
    }
}
