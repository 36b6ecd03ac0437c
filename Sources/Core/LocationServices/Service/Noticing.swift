// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

/// Has people shown what their apps' regions say (Protocol 7.11): one agent of a user is told, and another one when that is gone. A notice
/// waits among its app's events until it is acknowledged.
struct Noticing {
    let service: LocationService

    /// A region was crossed just now.
    func raise(_ event: AppEvent, of app: AppID) {
        guard let key = service.apps.key(of: app),
            let agent = service.prompts.noticeAgent(of: key.identity.uid)
        else { return }
        // One that is not on the disk waits for that, as events do: after a kill another one might have its number.
        if service.records.isBehind, isWaiting(event.number, of: app) { return }
        tell(agent, event, of: app, key, isMissed: false)
    }

    /// A client shows notices from now on: those that wait, unless another one of the user's does.
    func begin(with manager: ClientManager) {
        if service.prompts.noticeAgent(of: manager.peer.uid) === manager { tellWaiting(of: manager.peer.uid) }
    }

    /// Somebody else has to show a user's notices now: those that wait are told, oldest first.
    func tellWaiting(of user: UInt32) {
        guard let agent = service.prompts.noticeAgent(of: user), !service.records.isBehind else { return }
        let waiting = service.apps.kept.flatMap { app -> [(event: AppEvent, app: AppID, key: AppKey)] in
            guard let key = service.apps.key(of: app), key.identity.uid == user else { return [] }
            return service.engine.events(of: app).filter(\.isNotice).map { ($0, app, key) }
        }
        for (event, app, key) in waiting.sorted(by: { $0.event.date < $1.event.date }) {
            tell(agent, event, of: app, key, isMissed: true)
        }
    }

    private func tell(_ agent: ClientManager, _ event: AppEvent, of app: AppID, _ key: AppKey, isMissed: Bool) {
        guard case .notice(let notice, let region, let state) = event.content else { return }
        let raised = RaisedNotice(
            notice, region: region, state, event: isWaiting(event.number, of: app) ? event.number : nil,
            identity: key.identity.description, label: key.label, date: event.date, isMissed: isMissed)
        agent.outbox.notify(NotificationWriter.noticeRaised(raised), .engineRepeats)
        service.markDirty(agent)
    }

    // MARK: Acknowledging

    /// Whether a notice of that number waits to be shown.
    func isWaiting(_ event: UInt64, of app: AppID) -> Bool {
        service.engine.events(of: app).contains { $0.number == event && $0.isNotice }
    }

    /// The app whose notice is meant; nil: it is not known.
    func owner(of name: NoticeName) -> (app: AppID, key: AppKey)? {
        guard let identity = PeerIdentity(parsing: name.identity) else { return nil }
        let key = AppKey(identity: identity, label: name.label)
        return service.apps.app(key).map { ($0, key) }
    }

    /// The same for a client that says that it has shown it: notices of others are as if they never were.
    func owner(of name: NoticeName, asking manager: ClientManager) throws(RPCError) -> AppID {
        guard service.prompts.takesNotices(manager) else {
            throw RPCError(
                .notPermitted, "cannot acknowledge notice \(name.event): only those that take notices may")
        }
        guard let (app, key) = owner(of: name), key.identity.uid == manager.peer.uid else {
            throw RPCError.notFound("notice \(name.event) of \(quoted(name.identity))")
        }
        return app
    }
}
