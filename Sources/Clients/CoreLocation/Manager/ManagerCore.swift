// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
import Synchronization

/// The part of a CLLocationManager that its session and its mailbox share. It may be used from any thread.
///
/// It does not keep its manager alive, and ends with it.
final class ManagerCore: Sendable {
    /// How long a property may wait for a daemon that has just been asked for the first time.
    static let firstAnswer = TimeSpan.seconds(1)

    private struct Ends: @unchecked Sendable {
        weak var manager: CLLocationManager?
        weak var delegate: (any CLLocationManagerDelegate)?
        var session: (any ManagerSession)?
    }
    private let ends = Mutex(Ends())
    let state = Mutex(ManagerState())
    let mailbox: Mailbox
    private let waiting = WaitingLocations()
    private let throttle = DeferralThrottle()
    let log: DeliveryLog
    // Left when it is known whether the daemon has a location.
    private let lastKnown = DispatchGroup()
    private let isWaitingForLastKnown = Mutex(true)
    private let isAskingForLastKnown = Mutex(false)
    private let made = ContinuousClock.now

    /// Calls come at `place`.
    init(at place: any DeliveryPlace, log: DeliveryLog) {
        self.log = log
        mailbox = Mailbox(at: place, log: log)
        lastKnown.enter()
    }

    deinit { endWaiting() }

    /// Begins with a session of this program.
    func begin(for manager: CLLocationManager) {
        let presence = ManagerRegistry.shared.presence
        begin(for: manager, of: .current) { handler in
            CoreLocationBackend.makeSession(
                of: CLApplicationInfo.current.sessionApplication, presence: presence, handler: handler)
        }
        // It may have changed before the registry knew of this manager.
        let newer = ManagerRegistry.shared.presence
        if newer != presence { perform(.setPresence(newer)) }
    }

    /// Begins with the session that `makeSession` makes for the given handler.
    func begin(
        for manager: CLLocationManager, of application: CLApplicationInfo,
        _ makeSession: (@escaping @Sendable (SessionEvent) -> Void) -> any ManagerSession
    ) {
        let session = makeSession { [weak self] in self?.received($0) }
        ends.withLock {
            $0.manager = manager
            $0.session = session
        }
        ManagerRegistry.shared.add(self)
        applyDefaults(of: application)
    }

    // As `NSLocationDefaultAccuracyReduced` wants it, until the program sets another accuracy.
    private func applyDefaults(of application: CLApplicationInfo) {
        if application.defaultAccuracyReduced { change(PropertiesPatch(desiredAccuracy: .reduced)) }
    }

    /// Nothing is called any more; at the daemon the manager ends at once.
    func close() {
        mailbox.close()
        ManagerRegistry.shared.remove(self)
        let session = ends.withLock { ends in
            defer { ends.session = nil }
            return ends.session
        }
        session?.close()
    }

    // MARK: The two ends

    var manager: CLLocationManager? { ends.withLock { $0.manager } }

    var session: (any ManagerSession)? { ends.withLock { $0.session } }

    var delegate: (any CLLocationManagerDelegate)? {
        get { ends.withLock { Unchecked(value: $0.delegate) }.value }
        set {
            let new = Unchecked(value: newValue)
            ends.withLock { $0.delegate = new.value }
            // The delegate is not called from here, though messages wait for it and it has not been told the authorization.
            if newValue != nil { mailbox.post { [weak self] in self?.deliver(nil) } }
        }
    }

    /// Tells the daemon what the program wants.
    func perform(_ request: Request) { session?.perform(request) }

    // MARK: What the session says, on its queue

    private func received(_ event: SessionEvent) {
        if let outage = event.outage { OutageLog.shared.note(outage) { log.say($0) } }
        // A delegate is told when `unreachable` is.
        if case .waiting = event { return }
        let events = state.withLock { $0.note(event) }
        if case .connected(let hello) = event {
            OutageLog.shared.noteAnswer()
            ManagerRegistry.shared.note(hello)
            askForLastKnown()
        }
        if case .disconnected = event { endWaiting() }
        for event in events { post(event) }
    }

    private func post(_ event: SessionEvent) {
        if case .told(.didFinishDeferredUpdates(_, let error)) = event {
            return postFinish(error?.code) { [weak self] in self?.deliver(event) }
        }
        guard case .told(.didUpdateLocations(let update)) = event, update.isPlain else {
            // The batch of a deferral comes behind its finish.
            if event.isOfDeferral { throttle.release() }
            waiting.close()
            return mailbox.post { [weak self] in self?.deliver(event) }
        }
        guard let batch = waiting.add(update) else { return }
        mailbox.post { [weak self] in
            guard let self, let update = waiting.take(batch) else { return }
            deliver(.told(.didUpdateLocations(update)))
        }
    }

    /// Calls `tell` later, for the end of a deferral; not too soon after another one that failed likewise.
    func postFinish(_ code: LocationErrorCode?, _ tell: @escaping @Sendable () -> Void) {
        throttle.pass(isHasty: code.map(DeferralThrottle.throttles) ?? false) { [weak self] in
            guard let self else { return }
            waiting.close()
            mailbox.post(tell)
        }
    }

    private func askForLastKnown() {
        guard state.withLock({ $0.location == nil }) else { return endWaiting() }
        let isFirst = isAskingForLastKnown.withLock { isAsking in
            defer { isAsking = true }
            return !isAsking
        }
        guard isFirst else { return }
        session?.location { [weak self] answer in
            self?.isAskingForLastKnown.withLock { $0 = false }
            if case .success(let location?) = answer {
                self?.state.withLock { $0.location = $0.location ?? CLLocation(location) }
            }
            self?.endWaiting()
        }
    }

    private func endWaiting() {
        let wasWaiting = isWaitingForLastKnown.withLock { isWaiting in
            defer { isWaiting = false }
            return isWaiting
        }
        if wasWaiting { lastKnown.leave() }
    }

    // MARK: What can be read at once

    /// The newest location, or the last one that the daemon knew when the manager was made.
    ///
    /// Only the first reading of a new manager waits for the daemon, at most for `firstAnswer`. As long as there is none, each reading
    /// has the daemon asked for the next one.
    var location: CLLocation? {
        if let location = state.withLock({ $0.location }) { return location }
        if isWaitingForLastKnown.withLock({ $0 }) {
            _ = lastKnown.wait(timeout: .now() + ManagerCore.firstAnswer.seconds)
            endWaiting()
        }
        if let location = state.withLock({ $0.location }) { return location }
        askForLastKnown()
        return nil
    }

    /// The authorization that the daemon told last; not determined before.
    var authorization: ManagerState.Authorization {
        if let known = state.withLock({ $0.authorization }) { return known }
        guard let hello = session?.standing(waitingAtMost: ManagerCore.firstAnswer) else {
            return ManagerState.Authorization(status: .notDetermined, accuracy: .fullAccuracy)
        }
        return ManagerState.Authorization(
            status: CLAuthorizationStatus(hello.authorizationStatus),
            accuracy: CLAccuracyAuthorization(hello.accuracyAuthorization))
    }

    /// The app's regions, as the daemon has them; without a daemon, as it had them last.
    var monitoredRegions: Set<CLRegion> {
        guard let session, session.standing(waitingAtMost: ManagerCore.firstAnswer) != nil,
            !state.withLock({ $0.isLost })
        else { return state.withLock { $0.monitoredRegions } }
        let answered = DispatchSemaphore(value: 0)
        session.monitoredRegions { [weak self] answer in
            if case .success(let regions) = answer {
                self?.state.withLock { $0.monitoredRegions = Set(regions.map(CLRegion.make)) }
            }
            answered.signal()
        }
        _ = answered.wait(timeout: .now() + ManagerCore.firstAnswer.seconds)
        return state.withLock { $0.monitoredRegions }
    }

    /// The services that the daemon offers; nil: it has not told yet.
    var capabilities: Capabilities? { session?.standing(waitingAtMost: ManagerCore.firstAnswer)?.capabilities }

    /// Whether it was made within the last second: time to leave a function, and too short for any use.
    var isNew: Bool { made.duration(to: .now) < .seconds(1) }

    var hasRequestedState: Bool { state.withLock { $0.hasRequestedState } }
}

/// A delegate on its way out of a lock; who uses it has to be where delegates are called.
private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
}
