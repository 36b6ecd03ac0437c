// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

// The apps in the answers to `apps` and `status`.
extension StatusDocument {
    /// Everybody who was decided about, of whom something is kept, who asks or has used the location, or who is there.
    var apps: [AppStatus] {
        let asking = Set(service.engine.authorizationRequests.map(\.identity))
        let present = Set(service.managers.all.filter(\.isApp).compactMap(\.who.identity))
        let keeping = Set(service.apps.kept.compactMap { service.apps.identity(of: $0) })
        let shownNumbers = service.apps.knownIdentities.filter { number in
            guard let identity = service.apps.identity(number) else { return false }
            return asking.contains(number) || keeping.contains(number) || service.dates.lastUses[number] != nil
                || service.consents[identity] != nil || service.consents.formerUsers[identity] != nil
                || present.contains(identity)
        }
        var statuses: [AppStatus] = shownNumbers.compactMap { status(of: $0) }
        let shown = Set(statuses.map(\.app))
        for (identity, entry) in service.consents.entries where !shown.contains(identity.description) {
            let authorization = service.engine.authorization(for: entry.consent)
            var status = AppStatus(
                app: identity.description, identity: identity.description, uid: identity.uid,
                authorizationStatus: authorization.status)
            status.decision = entry.consent.choice.authorizationStatus
            status.accuracyAuthorization = authorization.accuracyOnTheWire
            status.isProvisional = authorization.isProvisional
            status.user = service.userName(identity.uid)
            status.formerUser = service.consents.formerUsers[identity]
            fill(&status, from: entry)
            statuses.append(status)
        }
        return statuses.sorted { $0.app < $1.app }
    }

    private func fill(_ status: inout AppStatus, from entry: ConsentBook.Entry) {
        status.decidedBy = entry.decidedBy
        status.decidedAt = entry.decidedAt
        status.lastUse = entry.lastUse
    }

    /// One identity with all of its apps.
    func status(of number: IdentityID) -> AppStatus? {
        guard let identity = service.apps.identity(number) else { return nil }
        let authorization = service.engine.authorization(of: number)
        var status = AppStatus(
            app: identity.description, identity: identity.description, uid: identity.uid,
            authorizationStatus: authorization.status)
        status.decision = service.engine.decision(about: number)
        status.accuracyAuthorization = authorization.accuracyOnTheWire
        status.isProvisional = authorization.isProvisional
        status.lastUse = service.dates.lastUses[number]
        status.formerUser = service.consents.formerUsers[identity]
        status.user = service.userName(identity.uid)
        if service.engine.isAllowedOnce(number) { status.isOnce = true }
        if let entry = service.consents[identity] {
            fill(&status, from: entry)
        } else {
            status.rule = service.policy(for: identity).rule
        }
        status.isInUse = service.engine.isInUse(number)
        status.isUsingLocation = service.engine.isUsingLocation(number)
        for app in service.apps.apps(of: number) {
            if let label = service.apps.key(of: app)?.label { status.labels.append(label) }
            let connected = service.managers.all.filter { $0.app == app && $0.channel != nil }.count
            status.connections += UInt64(connected)
            status.regions += UInt64(service.engine.regionCount(of: app))
            status.conditions += UInt64(service.engine.conditionCount(of: app))
            status.wantsVisits = status.wantsVisits || service.engine.monitorsVisits(app)
            status.pendingEvents += UInt64(service.engine.events(of: app).count { !$0.isNotice })
            status.eventsDropped += service.engine.eventsDropped(of: app)
        }
        return status
    }
}
