// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

/// The records that one turn keeps, written before anybody is told (Protocol 7.7).
struct TurnRecords {
    let service: LocationService
    let request: ClientRequest?

    /// Writes what the effects of one turn have to keep, but for what is on the disk since before it. False: the disk does not take what
    /// somebody asked to be kept.
    func store(after event: Event) -> Bool {
        var changes: [RecordChange] = []
        var saved: Set<AppID> = []
        let written = request?.written ?? []
        let forgotten = written.compactMap { if case .app(let app, .forget) = $0 { app } else { nil } }
        for effect in service.effects.effects {
            // The change saves an app as it is after the turn: once is enough.
            if case .saveApp(let app) = effect, !saved.insert(app).inserted { continue }
            guard let change = change(for: effect), !written.contains(change) else { continue }
            if case .app(let app, _) = change, forgotten.contains(app) { continue }
            changes.append(change)
        }
        guard !changes.isEmpty, !service.commit(changes) else { return true }
        return !(event.isAsked && changes.contains(where: \.isPromise))
    }

    /// Returns the change that an effect has to keep; nil: none.
    private func change(for effect: Effect) -> RecordChange? {
        switch effect {
        case .saveConsent(let identity): noteConsent(identity)
        case .noteUse(let identity, let isUsing): noteUse(identity, isUsing)
        case .saveStay: .saveStay(service.engine.stay)
        case .saveApp(let app), .storeEvent(let app, _), .forgetEvent(let app, _), .saveRegion(let app, _),
            .saveRegionState(let app, _), .saveCondition(let app, _):
            service.apps.key(of: app).flatMap { key in change(for: effect, of: app, key).map { .app(key, $0) } }
        default: nil
        }
    }

    private func change(for effect: Effect, of app: AppID, _ key: AppKey) -> AppChange? {
        switch effect {
        case .saveApp: service.saving(app, key)
        case .storeEvent(_, let index): .saveEvent(service.effects.events[index])
        case .forgetEvent(_, let number): .removeEvent(number: number)
        case .saveRegion(_, let index):
            change(ofRegion: service.effects.regions[index].identifier, of: app)
        case .saveRegionState(_, let handle):
            service.engine.region(handle).map {
                .setRegionState(
                    identifier: $0.region.identifier, $0.state, service.engine.lastLocation?.timestamp)
            }
        case .saveCondition(_, let handle): service.engine.condition(handle).map { .save($0) }
        default: nil
        }
    }

    private func change(ofRegion identifier: String, of app: AppID) -> AppChange {
        guard let (region, state) = service.engine.region(identifier, of: app) else {
            return .removeRegion(identifier: identifier)
        }
        return .saveRegion(region, state)
    }

    private func noteConsent(_ number: IdentityID) -> RecordChange? {
        guard let identity = service.apps.identity(number) else { return nil }
        let (consent, isDecided) = service.engine.consent(of: number)
        let entry = isDecided ? service.entry(for: identity, consent, request) : nil
        service.consents[identity] = entry
        if isDecided { service.consents.formerUsers[identity] = nil }
        if identity.name == nil { service.consents.decidedUsers.insert(identity.uid) }
        let authorization = service.engine.authorization(of: number)
        let decider = request?.decider ?? LocationService.ownName
        service.journal.info(
            "\(identity.description): \(authorization.words), decided by \(decider)",
            .consentChanged(app: identity.description, consent: authorization.field, decider: decider))
        return .decide(identity, entry)
    }

    private func noteUse(_ number: IdentityID, _ isUsing: Bool) -> RecordChange? {
        guard let identity = service.apps.identity(number) else { return nil }
        let date = service.host.date()
        service.dates.lastUses[number] = date
        let app = identity.description
        service.journal.note(
            "\(app) \(isUsing ? "uses" : "no longer uses") the location",
            isUsing ? .useStarted(app: app) : .useEnded(app: app), about: identity.uid)
        let isDecided = service.consents[identity] != nil
        service.consents[identity]?.lastUse = date
        return .noteUse(identity, date, isDecided: isDecided)
    }
}

extension Event {
    /// Whether somebody waits for an answer.
    fileprivate var isAsked: Bool {
        switch self {
        // A program that hears a beacon has no part in the events that follow.
        case .asked(_, .reportBeacons, _): false
        case .asked, .answered, .decided, .allowedOnce: true
        default: false
        }
    }
}

extension Authorization {
    /// For machines: `authorizedAlways with full accuracy`.
    var field: String {
        status == .notDetermined
            ? "\(status)" : "\(status) with \(accuracy) accuracy" + (isProvisional ? ", provisionally" : "")
    }

    /// For people: `locations always, full accuracy`.
    var words: String {
        let scope =
            switch status {
            case .notDetermined: "not decided"
            case .restricted: "locations restricted"
            case .denied: "locations denied"
            case .authorizedAlways:
                isProvisional ? "locations always, until it is asked about again" : "locations always"
            case .authorizedWhenInUse: "locations when in use"
            }
        return isAuthorized ? "\(scope), \(accuracy) accuracy" : scope
    }
}
