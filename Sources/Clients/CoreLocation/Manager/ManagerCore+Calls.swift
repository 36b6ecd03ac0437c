// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
internal import Synchronization

// Calls of the delegate. All of this runs at the manager's place.
extension ManagerCore {
    /// Calls the delegate for `event`, and before that for what it should have been told earlier; nil: only for that.
    func deliver(_ event: SessionEvent?) {
        guard let manager else { return }
        guard let delegate else {
            if let event { keepOrDrop(event) }
            return
        }
        tellAuthorization(delegate, manager)
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for notification in held { tell(notification, delegate, manager) }
        if let event { tell(event, delegate, manager) } else { tellOutage() }
    }

    // Core Location loses what comes while there is no delegate. What the daemon has stored for the app is worth more.
    private func keepOrDrop(_ event: SessionEvent) {
        switch event {
        case .told(let notification) where notification.storedEvent != nil:
            state.withLock { $0.held.append(notification) }
            log.sayOnce(
                "held", "events of regions, visits or significant changes wait until the manager has a delegate")
        case .told(.didChangeAuthorization):
            break
        // Its completion needs no delegate.
        case .told(.didRequestTemporaryFullAccuracy(let key, let error)): noteAccuracyAnswer(key, error)
        case .told(let notification):
            settle(notification)
            sayLost(notification)
        case .unreachable, .refused, .answered, .nameRefused:
            handle(event)
        case .connected, .disconnected, .waiting, .monitorOpened:
            break
        }
    }

    // A single request ends once, so its failure is not logged together with failures that repeat.
    private func sayLost(_ notification: DaemonNotification) {
        guard notification.endsRequest else { return sayLost() }
        log.sayOnce(
            "lost answer",
            """
            the answer to requestLocation() is lost: the manager's delegate is nil when it comes; the manager holds its \
            delegate weakly, so keep it until then. A location that came is in the manager's location
            """)
    }

    private func sayLost() {
        log.sayOnce("lost", "what comes is lost: the manager's delegate is nil; it holds its delegate weakly")
    }

    // Once for each change, however often it was told, and first of all.
    private func tellAuthorization(_ delegate: any CLLocationManagerDelegate, _ manager: CLLocationManager) {
        let isNews = state.withLock { state in
            guard let authorization = state.authorization, authorization != state.told else { return false }
            state.told = authorization
            return true
        }
        if isNews { delegate.locationManagerDidChangeAuthorization(manager) }
    }

    private func tell(_ event: SessionEvent, _ delegate: any CLLocationManagerDelegate, _ manager: CLLocationManager) {
        if case .told(let notification) = event { tell(notification, delegate, manager) } else { handle(event) }
    }

    private func tell(
        _ notification: DaemonNotification, _ delegate: any CLLocationManagerDelegate, _ manager: CLLocationManager
    ) {
        let isLate = notification.endsRequest && state.withLock { $0.oneShotRequest == .answered }
        settle(notification)
        state.withLock { $0.wasMissed = false }
        if !isLate, !isStopped(notification) { call(notification, delegate, manager) }
        // Only now has the program taken it; what nothing took is left to another manager of the app, or its next start.
        if let event = notification.storedEvent, !state.withLock({ $0.wasMissed }) {
            perform(.acknowledge(event: event))
        }
    }

    // Locations on their way when the program stops updates are dropped, but not the batch of a deferral that this ends.
    private func isStopped(_ notification: DaemonNotification) -> Bool {
        guard case .didUpdateLocations(let update) = notification, update.source == .standard, update.deferral == nil
        else { return false }
        return state.withLock { $0.hasStoppedStandard }
    }

    // The manager itself notes this, with or without a delegate.
    private func settle(_ notification: DaemonNotification) {
        switch notification {
        case .didUpdateLocations(let update):
            let newest = update.locations.last.map { CLLocation($0) }
            state.withLock { state in
                state.location = newest ?? state.location
                if update.source == .request { state.endRequest() }
            }
            if update.dropped > 0 {
                log.say("\(update.dropped) locations are lost: the program did not take them in time")
            }
        case .didFailWithError(_, _, .some), .didCancelRequest:
            state.withLock { $0.endRequest() }
        case .didUpdateHeading(let heading):
            state.withLock { $0.heading = CLHeading(heading, turnedTo: $0.headingFrame.orientation) }
        case .didRequestTemporaryFullAccuracy(let key, let error):
            noteAccuracyAnswer(key, error)
        default:
            break
        }
    }

    private func call(
        _ notification: DaemonNotification, _ delegate: any CLLocationManagerDelegate, _ manager: CLLocationManager
    ) {
        switch notification {
        case .didUpdateLocations(let update):
            // The last of them is what `location` holds.
            var locations = update.locations.dropLast().map { CLLocation($0) }
            locations += [state.withLock { $0.location }].compactMap(\.self)
            delegate.locationManager(manager, didUpdateLocations: locations)
        case .didFailWithError(let error, _, _):
            delegate.locationManager(manager, didFailWithError: CLError(error))
        case .didFinishDeferredUpdates(_, let error):
            delegate.locationManager(manager, didFinishDeferredUpdatesWithError: error.map { CLError($0) })
        case .didPauseLocationUpdates:
            delegate.locationManagerDidPauseLocationUpdates(manager)
        case .didResumeLocationUpdates:
            delegate.locationManagerDidResumeLocationUpdates(manager)
        case .didUpdateHeading:
            if let heading = state.withLock({ $0.heading }) {
                delegate.locationManager(manager, didUpdateHeading: heading)
            }
        case .didVisit(let visit, _):
            delegate.locationManager(manager, didVisit: CLVisit(visit))
        default:
            callForRegion(notification, delegate, manager)
        }
    }

    private func callForRegion(
        _ notification: DaemonNotification, _ delegate: any CLLocationManagerDelegate, _ manager: CLLocationManager
    ) {
        switch notification {
        case .didEnterRegion(let crossing):
            delegate.locationManager(manager, didEnterRegion: .make(of: crossing.region))
        case .didExitRegion(let crossing):
            delegate.locationManager(manager, didExitRegion: .make(of: crossing.region))
        case .didDetermineState(let region, let regionState):
            delegate.locationManager(
                manager, didDetermineState: CLRegionState(regionState), for: .make(of: region))
        case .didStartMonitoring(let region):
            delegate.locationManager(manager, didStartMonitoringFor: .make(of: region))
        case .monitoringDidFail(let region, let error):
            delegate.locationManager(manager, monitoringDidFailFor: .make(of: region), withError: CLError(error))
        default: call(notification, forBeaconsOf: delegate, manager)
        }
    }

    // MARK: What only this process has to say

    /// Calls the delegate with `error` later.
    func postFailure(_ error: CLError) {
        post { $0.locationManager($1, didFailWithError: error) }
    }

    /// Calls the delegate later, if there is one then.
    func post(_ call: @escaping @Sendable (any CLLocationManagerDelegate, CLLocationManager) -> Void) {
        mailbox.post { [weak self] in self?.tell(call) }
    }

    /// Calls the delegate, if there is one. At the manager's place.
    func tell(_ call: (any CLLocationManagerDelegate, CLLocationManager) -> Void) {
        guard let manager else { return }
        guard let delegate else { return sayLost() }
        tellAuthorization(delegate, manager)
        call(delegate, manager)
    }

    // MARK: Older forms

    /// The status, if the older form of the authorization callback has not told it.
    func takeStatusForOlderForm() -> CLAuthorizationStatus? {
        state.withLock { state in
            guard let status = state.told?.status, status != state.olderForms.status else { return nil }
            state.olderForms.status = status
            return status
        }
    }

    /// The location that the older form told before `location`.
    func takeLocationForOlderForm(_ location: CLLocation) -> CLLocation? {
        state.withLock { state in
            defer { state.olderForms.location = location }
            return state.olderForms.location
        }
    }
}

extension CLHeading {
    /// A heading of the side that is up in `orientation`.
    fileprivate convenience init(_ heading: Heading, turnedTo orientation: CLDeviceOrientation) {
        let turn: Double =
            switch orientation {
            case .landscapeLeft: 90
            case .portraitUpsideDown: 180
            case .landscapeRight: 270
            default: 0
            }
        var turned = heading
        turned.magneticHeading = heading.magneticHeading.map { ($0 + turn).truncatingRemainder(dividingBy: 360) }
        turned.trueHeading = heading.trueHeading.map { ($0 + turn).truncatingRemainder(dividingBy: 360) }
        self.init(turned)
    }
}
