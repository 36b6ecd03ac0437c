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
    /// The last event that the app has acknowledged.
    package var lastEvent: ConditionEvent
    /// The number of the event that the app was told and has not acknowledged; 0: none.
    package var pendingNumber: UInt64 = 0
    /// That event.
    var pending: ConditionEvent?
    /// The state that was found while that waited, and when; nil: none but that. It stays until the next event is told, which may have its
    /// date.
    package var found: ConditionEvent?
    /// The flags with which the holder was told that the condition is unmonitored; empty: it was not.
    var toldFlags: DiagnosticFlags = []
    /// The holder was told that the condition is unmonitored, and must be told its state now.
    var mustTellState = false
    /// The last state that the app has acknowledged, leaving out times in which the condition was unmonitored.
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
    /// The side of the border that a condition's state means; unmonitored means none.
    init(_ state: ConditionState) {
        switch state {
        case .unknown, .unmonitored: self = .unknown
        case .satisfied: self = .inside
        case .unsatisfied: self = .outside
        }
    }
}
