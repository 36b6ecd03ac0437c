// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// What the shell has to do. Obeyed in order: the order on each connection is part of the contract.
package enum Effect: Sendable, BitwiseCopyable {
    /// Append `EffectBuffer.accepted` to the log, before anything that names its sequence.
    case recordFix
    /// Answer the request that is being handled.
    case reply(ManagerID, Reply)
    /// Hand over the log's locations of a range.
    case deliver(ManagerID, Delivery)
    /// `didFailWithError`. `request` is 0 unless it ends a `requestLocation`.
    case fail(ManagerID, code: LocationErrorCode, source: LocationSource, request: UInt32)
    /// `didCancelRequest`.
    case cancelRequest(ManagerID, request: UInt32, by: CancelCause)
    /// `didFinishDeferredUpdates`.
    case finishDeferral(ManagerID, FinishedDeferral)
    /// `didChangeAuthorization`.
    case announceAuthorization(ManagerID, initial: Bool)
    /// Feed the log after a sequence back as `Event.logRead`, then go on. The last effect for its manager in a buffer.
    case readLog(ManagerID, after: UInt64)
    /// Standard delivery begins anew behind a sequence: forget standard locations that are queued but not begun to be written.
    case positionStandard(ManagerID, at: UInt64)
    /// Forget all locations that are queued but not begun to be written: consent for them is gone.
    case discardUndelivered(ManagerID)
    /// What a restarted daemon would need of this manager changed.
    case saveManager(ManagerID)
    /// The rejoin time is over: the manager is gone.
    case closeManager(ManagerID)
    /// Watch the receivers, or stop watching so that gpsd closes them.
    case powerReceiver(Bool)
}

/// Who cancelled a `requestLocation`, as the wire names it.
package enum CancelCause: UInt8, Sendable, BitwiseCopyable {
    case startUpdatingLocation
    case stopUpdatingLocation
    case allowDeferredLocationUpdates
}

/// A range of the log for one client.
package struct Delivery: Sendable, BitwiseCopyable, Equatable {
    /// The first sequence; numbers that the log does not hold are not there.
    package var first: UInt64
    /// The last sequence, >= `first`.
    package var last: UInt64
    /// The deferral that held them back; 0: none.
    package var deferral: UInt32 = 0
    /// The `requestLocation` that this answers; 0: none.
    package var request: UInt32 = 0
    /// The service.
    package var source: LocationSource
    /// How they are delivered.
    package var flags: DeliveryFlags = []

    /// A delivery of the range.
    package init(
        first: UInt64, last: UInt64, source: LocationSource, deferral: UInt32 = 0, request: UInt32 = 0,
        flags: DeliveryFlags = []
    ) {
        self.first = first
        self.last = last
        self.source = source
        self.deferral = deferral
        self.request = request
        self.flags = flags
    }
}

/// How locations are delivered.
package struct DeliveryFlags: OptionSet, Sendable, BitwiseCopyable {
    /// The stored bits.
    package var rawValue: UInt8
    /// The flags with these bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// A stored first location, alone in its notification.
    package static let cached = DeliveryFlags(rawValue: 1)
    /// The log was full: delivered though the deferral goes on.
    package static let early = DeliveryFlags(rawValue: 2)
    /// What lies between this and what the client has may be incomplete.
    package static let gap = DeliveryFlags(rawValue: 4)
    /// As the reduced view.
    package static let reduced = DeliveryFlags(rawValue: 8)
}

/// The end of one deferral.
package struct FinishedDeferral: Sendable, Hashable, BitwiseCopyable {
    /// Its number, from 1.
    package var number: UInt32
    /// nil: a criterion was met.
    package var error: LocationErrorCode?
    /// The last sequence that belongs to its batch; 0: it never ran and has none.
    package var through: UInt64

    /// The end of deferral `number`.
    package init(number: UInt32, error: LocationErrorCode?, through: UInt64) {
        self.number = number
        self.error = error
        self.through = through
    }
}

/// The answer to a request.
package struct Reply: Sendable, BitwiseCopyable, Equatable {
    /// `state` of a `start…`, `request…` or `allow…` result; nil for requests whose result has none.
    package var state: ServiceState?
    /// The number of the `requestLocation`; 0: none.
    package var request: UInt32 = 0
    /// The number of the deferral; 0: none.
    package var deferral: UInt32 = 0

    /// An answer.
    package init(state: ServiceState?, request: UInt32 = 0, deferral: UInt32 = 0) {
        self.state = state
        self.request = request
        self.deferral = deferral
    }
}

/// What a `start…`, `request…` or `allow…` call led to.
package enum ServiceState: String, Sendable, Hashable, BitwiseCopyable {
    case running
    case waitingForAuthorization
    case denied
    case ignored
    case unavailable
}

/// The effects of one turn, in order. The caller owns it and clears it, so that a turn allocates nothing.
package struct EffectBuffer: Sendable {
    /// In the order in which they must be obeyed.
    package var effects: [Effect] = []
    /// The fix that `recordFix` speaks of, with its sequence.
    package var accepted: AcceptedFix?

    /// An empty buffer.
    package init() { effects.reserveCapacity(64) }

    /// Forgets everything but the room for it.
    package mutating func removeAll() {
        effects.removeAll(keepingCapacity: true)
        accepted = nil
    }

    mutating func append(_ effect: Effect) { effects.append(effect) }
}

/// A fix as the log keeps it.
package struct AcceptedFix: Sendable, BitwiseCopyable, Equatable {
    /// With its sequence.
    package var location: Location
    /// Metres that the device had travelled when it was accepted.
    package var odometer: Double
    /// For those who read the log again.
    package var flags: LogFlags
}
