// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import LocationModel

extension CLMonitor {
    /// An event of a monitor: how one of its conditions stands.
    public struct Event: Sendable {
        /// How a condition stands.
        @nonexhaustive(warn)
        public enum State: UInt, Sendable {
            /// Nobody knows yet.
            case unknown = 0
            /// It holds: the device is inside.
            case satisfied = 1
            /// It does not hold: the device is outside.
            case unsatisfied = 2
            /// It is not watched; a flag of the event says why.
            case unmonitored = 3
        }

        /// The condition's identifier.
        public let identifier: String
        /// The condition that was found; nil unless it is satisfied.
        public let refinement: (any CLCondition)?
        /// How the condition stands.
        public let state: State
        /// When that was found.
        public let date: Date
        let flags: DiagnosticFlags

        init(
            identifier: String, refinement: (any CLCondition)? = nil, state: State, date: Date,
            flags: DiagnosticFlags = []
        ) {
            self.identifier = identifier
            self.refinement = refinement
            self.state = state
            self.date = date
            self.flags = flags
        }

        /// The person refused this application's locations, or they are off for everyone.
        public var authorizationDenied: Bool { flags.contains(.authorizationDenied) }
        /// Location services are off for everyone; `authorizationDenied` is true, too.
        public var authorizationDeniedGlobally: Bool { flags.contains(.authorizationDeniedGlobally) }
        /// The administrator forbids locations, and the person cannot change that.
        public var authorizationRestricted: Bool { flags.contains(.authorizationRestricted) }
        /// Somebody is being asked.
        public var authorizationRequestInProgress: Bool { flags.contains(.authorizationRequestInProgress) }
        /// The application is not in use, which it would have to be.
        public var insufficientlyInUse: Bool { flags.contains(.insufficientlyInUse) }
        /// The application requires a `CLServiceSession` and holds none.
        public var serviceSessionRequired: Bool { flags.contains(.serviceSessionRequired) }
        /// Only the approximate location may be known, which is too little for this condition: no events come.
        public var accuracyLimited: Bool { flags.contains(.accuracyLimited) }
        /// This device cannot watch such a condition.
        public var conditionUnsupported: Bool { flags.contains(.conditionUnsupported) }
        /// The application has as many conditions as it may.
        public var conditionLimitExceeded: Bool { flags.contains(.conditionLimitExceeded) }
        /// The monitor's record cannot be kept: its name is open elsewhere, or the daemon cannot write its state.
        public var persistenceUnavailable: Bool { flags.contains(.persistenceUnavailable) }
    }

    /// A condition and what the application last took of it.
    public struct Record: Sendable {
        /// The condition.
        public let condition: any CLCondition
        /// The event that the application took last from `events`; before that, the state that was assumed when the condition was
        /// added.
        public let lastEvent: Event
    }
}

extension CLMonitor.Event {
    init(identifier: String, _ content: ConditionEvent) {
        self.init(
            identifier: identifier, refinement: content.refinement?.condition, state: State(content.state),
            date: content.date.date, flags: content.flags)
    }
}

extension CLMonitor.Event.State {
    init(_ state: ConditionState) {
        switch state {
        case .unknown: self = .unknown
        case .satisfied: self = .satisfied
        case .unsatisfied: self = .unsatisfied
        case .unmonitored: self = .unmonitored
        }
    }
}

extension ConditionState {
    init(_ state: CLMonitor.Event.State) {
        switch state {
        case .unknown: self = .unknown
        case .satisfied: self = .satisfied
        case .unsatisfied: self = .unsatisfied
        case .unmonitored: self = .unmonitored
        }
    }
}
