// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
internal import Synchronization

// The daemon's answers to the manager's requests, and what happens without a daemon. Runs at the manager's place.
extension ManagerCore {
    /// Deals with an event that is no notification.
    func handle(_ event: SessionEvent) {
        switch event {
        case .connected(let hello):
            if hello.eventsDropped > 0 {
                log.sayOnce("\(hello.eventsDropped) stored events of this app are lost: nobody took them in time")
            }
        case .unreachable: tellOutage()
        case .answered(let command, let result): note(result, of: command)
        case .refused(let command, let error): note(error, of: command)
        case .nameRefused(let error): ApplicationLog.noteNameRefused(error)
        case .disconnected, .waiting, .monitorOpened, .told: break
        }
    }

    // MARK: Answers

    private func note(_ result: StateResult, of command: SessionCommand) {
        if command.method == .requestLocation, result.state != .running, result.state != .waitingForAuthorization {
            state.withLock { $0.endRequest() }
        }
        let why = result.reason.map { ": \($0)" } ?? ""
        switch result.state {
        case .waitingForAuthorization:
            log.sayOnce("\(command.name) waits for somebody to allow it\(why)")
        case .unavailable:
            log.sayOnce("\(command.name) cannot work here\(why)")
        case .running, .denied, .ignored, .prompted, .alreadyDetermined:
            break
        }
    }

    // A refusal has no callback of its own in Core Location, but what was asked for has one.
    private func note(_ refusal: RPCError, of command: SessionCommand) {
        let text = command.complaint(about: refusal)
        log.sayOnce("\(command.name): \(text)")
        @Sendable func error(_ code: CLError.Code) -> CLError {
            CLError(code, userInfo: [NSLocalizedDescriptionKey: text])
        }
        switch command.request {
        case .startMonitoring(let region):
            post {
                $0.locationManager(
                    $1, monitoringDidFailFor: .make(of: region), withError: error(.regionMonitoringFailure))
            }
        case .startRangingBeacons(let beacons): postRangingFailure(error(.rangingFailure), of: beacons)
        // The session tells its end itself, when it is its turn.
        case .allowDeferredLocationUpdates: break
        case .requestTemporaryFullAccuracyAuthorization(let key):
            completeAccuracyRequest(key, error(.promptDeclined))
        case .requestLocation:
            state.withLock { $0.endRequest() }
            postFailure(error(refusal.meansDenied ? .denied : .locationUnknown))
        // Nobody has denied anything: the line above is all that there is to say, where Apple says nothing.
        case .requestWhenInUseAuthorization, .requestAlwaysAuthorization: break
        default:
            if refusal.meansDenied { postFailure(error(.denied)) }
        }
    }

    /// The daemon's answer to a request for full accuracy. A key that nothing declares is said loudly, with where to put it: the
    /// answer itself has several possible reasons.
    func noteAccuracyAnswer(_ key: String, _ error: LocationError?) {
        guard let error else { return completeAccuracyRequest(key, nil) }
        guard let complaint = CLApplicationInfo.current.complaint(about: .temporaryFullAccuracy(purposeKey: key)) else {
            return completeAccuracyRequest(key, CLError(error))
        }
        log.sayOnce("requestTemporaryFullAccuracyAuthorization: \(complaint)")
        completeAccuracyRequest(key, CLError(.promptDeclined, userInfo: [NSLocalizedDescriptionKey: complaint]))
    }

    /// Calls the completion of the oldest request for `key`.
    func completeAccuracyRequest(_ key: String, _ error: CLError?) {
        let request = state.withLock { state in
            state.accuracyRequests.firstIndex { $0.purposeKey == key }.map { state.accuracyRequests.remove(at: $0) }
        }
        request?.completion.call(error)
    }

    // MARK: An end that nobody wanted

    /// Says that nothing holds a manager which has just begun to update.
    func noteEarlyEnd() {
        guard isNew,
            state.withLock({ !$0.services.isDisjoint(with: [.standard, .heading]) || $0.isRequestingLocation })
        else { return }
        log.sayOnce(
            """
            a CLLocationManager ends within a second while it updates, because nothing holds it any more: keep it in a property \
            as long as locations are wanted, then stop it
            """)
    }

    // MARK: No daemon

    /// Something begins; if it is known that there is no daemon, that has to be said.
    func noteStart() {
        guard state.withLock({ $0.outage != nil }) else { return }
        mailbox.post { [weak self] in self?.tellOutage() }
    }

    /// Tells that there is no daemon, and only to who waits for something: services once per outage, and each request, which ends
    /// with it.
    func tellOutage() {
        guard let outage = state.withLock({ $0.outage?.reason }) else { return }
        let error = CLError(.network, userInfo: [NSLocalizedDescriptionKey: outage])
        let requests = state.withLock { state in
            defer { state.accuracyRequests = [] }
            return state.accuracyRequests
        }
        // These need no delegate, and may be all that the program waits for.
        for request in requests { request.completion.call(error) }
        guard let manager, let delegate else { return }
        let isNews = state.withLock { state in
            guard let outage = state.outage else { return false }
            let isDue = state.isRequestingLocation || !outage.isTold && !state.services.isEmpty
            if state.isRequestingLocation {
                // The session's answer to the request comes too late.
                perform(.stopUpdatingLocation)
                state.oneShotRequest = .answered
            }
            if isDue { state.outage?.isTold = true }
            return isDue
        }
        if isNews || !requests.isEmpty { delegate.locationManager(manager, didFailWithError: error) }
    }
}

extension RPCError {
    fileprivate var meansDenied: Bool {
        [.notPermitted, .identityMismatch].contains(code)
    }
}

extension SessionCommand {
    // The daemon speaks of members and manifests; a developer thinks in keys of an Info.plist.
    fileprivate func complaint(about refusal: RPCError) -> String {
        if case .requestState(let identifier) = request, refusal.code == .notFound {
            return """
                cannot tell the state of the region "\(identifier)": it is not monitored; call startMonitoring(for:) \
                with it first
                """
        }
        guard refusal.code == .missingUsageDescription, let missing = missingReason else { return refusal.message }
        return CLApplicationInfo.current.complaint(about: missing) ?? refusal.message
    }

    private var missingReason: CLApplicationInfo.Request? {
        switch request {
        case .requestWhenInUseAuthorization: .whenInUse
        case .requestAlwaysAuthorization: .always
        case .requestTemporaryFullAccuracyAuthorization(let key): .temporaryFullAccuracy(purposeKey: key)
        default: nil
        }
    }
}
