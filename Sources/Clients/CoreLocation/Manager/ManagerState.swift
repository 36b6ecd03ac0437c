// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol

/// The state of a manager: properties that the developer set, wishes, and answers of the daemon.
struct ManagerState: Sendable {
    /// A service that runs until it is stopped.
    enum Service: Hashable { case standard, significantChange, heading, visits, regions, ranging }

    struct Authorization: Sendable, Equatable {
        var status: CLAuthorizationStatus
        var accuracy: CLAccuracyAuthorization
    }

    /// A request for full accuracy whose completion has not been called.
    struct AccuracyRequest: Sendable {
        var purposeKey: String
        var completion: AccuracyCompletion
    }

    /// The state of the latest one-shot request.
    enum OneShotRequest {
        case none, pending
        /// The manager has answered it itself; whatever else answers it is not told.
        case answered
    }

    /// There is no daemon.
    struct Outage: Sendable {
        var reason: String
        var isTold = false
    }

    /// The older forms of the delegate's methods told these last.
    struct OlderForms: Sendable {
        var status: CLAuthorizationStatus?
        var location: CLLocation?
    }

    // The developer reads these.
    var properties = ManagerProperties()
    var headingFrame = HeadingFrame()
    var showsBackgroundLocationIndicator = false
    var ranging = ManagerRanging()
    var monitoredRegions: Set<CLRegion> = []
    var location: CLLocation?
    var heading: CLHeading?

    // The daemon said these last.
    var authorization: Authorization?
    /// The connection is lost, and there is no other yet.
    var isLost = false
    /// Nil: there is a daemon, or it may yet answer.
    var outage: Outage?

    // The program asked for these.
    var services: Set<Service> = []
    /// The program stopped the standard service, and has not started it again.
    var hasStoppedStandard = false
    var oneShotRequest = OneShotRequest.none
    var accuracyRequests: [AccuracyRequest] = []
    var hasRequestedState = false

    // The delegate was told these.
    var told: Authorization?
    var olderForms = OlderForms()
    /// The delegate left out the method that was called last.
    var wasMissed = false
    /// Stored events that came while there was no delegate; they are not acknowledged.
    var held: [DaemonNotification] = []
    /// The beginning of a batch whose end has not come.
    private var batch: LocationUpdate?

    /// Takes note of what can be read at once; returns what the delegate has to be told, in order.
    mutating func note(_ event: SessionEvent) -> [SessionEvent] {
        switch event {
        case .connected(let hello):
            isLost = false
            outage = nil
            note(hello.authorizationStatus, hello.accuracyAuthorization)
        case .disconnected:
            isLost = true
        case .unreachable(let error):
            outage = Outage(reason: "\(error)", isTold: outage?.isTold ?? false)
        case .told(.didChangeAuthorization(let change)):
            note(change.authorizationStatus, change.accuracyAuthorization)
        case .told(.didStartMonitoring(let region)):
            monitoredRegions.update(with: CLRegion.make(of: region))
        case .told(.didUpdateLocations(let update)):
            return gather(update)
        default:
            break
        }
        return endOfBatch() + [event]
    }

    var isRequestingLocation: Bool { oneShotRequest == .pending }

    mutating func endRequest() { if isRequestingLocation { oneShotRequest = .none } }

    private mutating func note(_ status: AuthorizationStatus, _ accuracy: AccuracyAuthorization?) {
        authorization = Authorization(
            status: CLAuthorizationStatus(status), accuracy: CLAccuracyAuthorization(accuracy))
    }

    // A batch that the daemon had to split is one batch again.
    private mutating func gather(_ update: LocationUpdate) -> [SessionEvent] {
        var before: [SessionEvent] = []
        if let begun = batch, (begun.source, begun.deferral) != (update.source, update.deferral) {
            before = endOfBatch()
        }
        var whole = batch ?? update
        if batch != nil {
            whole.locations += update.locations
            whole.dropped += update.dropped
        }
        batch = whole
        return before + (update.hasMore ? [] : endOfBatch())
    }

    private mutating func endOfBatch() -> [SessionEvent] {
        guard let batch else { return [] }
        self.batch = nil
        return [.told(.didUpdateLocations(batch))]
    }
}

/// A developer's completion. It is called where the delegate is; that this may be elsewhere than where it was given is said at
/// the method that takes it.
struct AccuracyCompletion: @unchecked Sendable {
    let call: ((any Error)?) -> Void
}

/// A message that the daemon sends unasked; not Foundation's type of that name.
typealias DaemonNotification = LocationProtocol.Notification

extension DaemonNotification {
    /// Whether it is the answer to a one-shot request.
    var endsRequest: Bool {
        switch self {
        case .didUpdateLocations(let update): update.source == .request
        case .didFailWithError(_, _, let request): request != nil
        default: false
        }
    }

    /// The number under which the daemon keeps this until it is acknowledged.
    var storedEvent: UInt64? {
        switch self {
        case .didUpdateLocations(let update): update.event
        case .didEnterRegion(let crossing), .didExitRegion(let crossing): crossing.event
        case .didVisit(_, let event): event
        default: nil
        }
    }
}
