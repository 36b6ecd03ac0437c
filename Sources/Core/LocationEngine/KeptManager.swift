// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Clients that never went, though the process did: an orderly stop handed their connections to the next process.
extension Engine {
    /// Goes on with the managers of a former process as if it were that one: nothing that was told is told again. What changed meanwhile (an
    /// authorization, by the configuration or a manifest) is told as if it had changed now.
    ///
    /// All managers are open before anything is judged: a session of one is a reason for another's stream, and a use of one for its question.
    mutating func keep(_ clients: KeptClients, at now: BootInstant, into effects: inout EffectBuffer) {
        restoreConsent(of: clients)
        settleExactEvents(into: &effects)
        // Asked before anybody is looked at: sessions and streams tell of questions.
        for request in clients.requests {
            authorizationRequests.append(request)
            newestAuthorizationRequest = max(newestAuthorizationRequest, request.number)
        }
        for client in clients.managers {
            var state = client.state
            state.isAway = false
            state.allowance = nil
            enter(client.manager, state, at: now, into: &effects)
        }
        for absent in clients.absent { enter(absent.manager, absent.state, at: now, into: &effects) }
        for app in apps(of: clients) {
            apps[app.index].sessionObstacles = sessionObstacles(of: app)
            refreshWatching(of: app, into: &effects)
        }
        for client in clients.managers { restore(client.kept, of: client.manager) }
        restore(clients.rests)
        restore(clients.view, at: now)
        for held in clients.held where apps[held.app.index].authorization.isProvisional {
            apps[held.app.index].heldEvent = held.event
            apps[held.app.index].heldSince = held.since
        }
        if let anchor = clients.anchor { odometer = Odometer(travelled: odometer.travelled, anchor: anchor) }
        tellChanges(of: clients, at: now, into: &effects)
        for request in clients.requests where identities[request.identity.index].uses == 0 {
            // Its client went while no daemon ran.
            withdrawRequests(of: request.identity, into: &effects)
        }
    }

    /// What was allowed for uses that go on, and what clients that never went know of it: services go on by that.
    private mutating func restoreConsent(of clients: KeptClients) {
        for state in clients.managers.map(\.state) + clients.absent.map(\.state) {
            let identity = apps[state.app.index].identity
            guard let allowance = state.allowance, identities[identity.index].consent == allowance.consent else {
                continue
            }
            identities[identity.index].take(allowance)
        }
        for (_, state) in clients.absent {
            apps[state.app.index].authorization = authorization(of: apps[state.app.index].identity)
        }
        for client in clients.managers {
            guard let authorization = client.kept.known.authorization else { continue }
            apps[client.state.app.index].authorization = authorization
        }
    }

    /// What full accuracy for now allowed to store stays as long as that does.
    private mutating func settleExactEvents(into effects: inout EffectBuffer) {
        for index in apps.indices where !apps[index].exactEvents.isEmpty {
            let (app, exact) = (AppID(rawValue: Int32(index)), apps[index].exactEvents)
            apps[index].exactEvents = []
            guard apps[index].authorization.accuracy == .full, apps[index].storesEvents else {
                for event in exact { effects.append(.forgetEvent(app, event.number)) }
                continue
            }
            apps[index].events = (apps[index].events + exact).sorted { $0.number < $1.number }
            for event in exact { notePending(event, of: app) }
        }
    }

    /// Each once, in the order of their managers.
    private func apps(of clients: KeptClients) -> [AppID] {
        var found: [AppID] = []
        for state in clients.managers.map(\.state) + clients.absent.map(\.state) where !found.contains(state.app) {
            found.append(state.app)
        }
        return found
    }

    private mutating func restore(_ kept: KeptManager, of manager: ManagerID) {
        managers[manager.index].hasAnnouncedAuthorization = kept.hasAnnouncedAuthorization
        managers[manager.index].awaitedStates = kept.awaitedStates
        managers[manager.index].toldSignificantEvent = kept.toldSignificantEvent
        managers[manager.index].filtered = kept.filtered
        managers[manager.index].paused = kept.paused
        managers[manager.index].wasPaused = false
        for (index, flags) in zip(managers[manager.index].sessions.indices, kept.sessionFlags) {
            managers[manager.index].sessions[index].toldFlags = flags.map { DiagnosticFlags(rawValue: $0) }
        }
        if let position = standard.position(of: manager), let service = kept.standard {
            service.restore(&standard[position])
            hasToldLoss = hasToldLoss || service.hasToldLoss
        }
        if let position = significant.position(of: manager) {
            significant[position].hasToldLoss = kept.hasToldSignificantLoss
            hasToldLoss = hasToldLoss || kept.hasToldSignificantLoss
        }
        if let position = requests.position(of: manager) { requests[position].withoutGain = kept.requestsWithoutGain }
        if let position = headings.position(of: manager) {
            headings[position].told = kept.heading
            hasHeading = true
        }
        if let position = live.position(of: manager) {
            for stream in kept.streams {
                guard let index = live[position].streams.firstIndex(where: { $0.number == stream.number }) else {
                    continue
                }
                stream.restore(&live[position].streams[index])
                hasToldLoss = hasToldLoss || stream.hasToldLoss
            }
        }
        for region in kept.regions { restore(region, of: managers[manager.index].app) }
        for condition in kept.conditions { restore(condition, of: manager) }
    }

    /// What could not be watched before a use of the app was there begins where it stood.
    private mutating func restore(_ kept: KeptManager.Place, of app: AppID) {
        guard let state = RegionState(rawValue: kept.state), apps[app.index].isWatching,
            let handle = apps[app.index].regions[kept.identifier], regions.state(of: handle) == .unknown,
            case .region(_, let region)? = owner(of: handle)
        else { return }
        removeShape(handle)
        insert(region, of: app, state: state)
    }

    private mutating func restore(_ kept: KeptManager.Watched, of manager: ManagerID) {
        guard let name = monitorName(kept.monitor, of: manager) else { return }
        change(kept.identifier, ofMonitor: name, of: managers[manager.index].app) { kept.restore(&$0) }
    }

    /// Who paused goes on when the device moves from where it rested.
    private mutating func restore(_ rests: [KeptRest]) {
        for kept in rests where rest.indices.contains(kept.activity) && restUsers[kept.activity] > 0 {
            rest[kept.activity] = RestDetector(kept)
        }
        nextPause = BootInstant(nanoseconds: 0)
    }

    /// A view of another boot, or of a fix that no process accepted, is none.
    mutating func restore(_ view: KeptView?, at now: BootInstant) {
        guard let view, view.computedAt <= now.nanoseconds else { return }
        let sequence = view.sequence ?? reducedSequence
        guard sequence != 0, sequence <= newestSequence else { return }
        reducedSequence = sequence
        reducedClock = ReducedViewClock(computedAt: BootInstant(nanoseconds: view.computedAt))
        reducedPlace = Coordinate(latitude: view.latitude, longitude: view.longitude)
    }

    private mutating func tellChanges(of clients: KeptClients, at now: BootInstant, into effects: inout EffectBuffer) {
        // What was allowed for a use is the identity's, and each of its apps has it.
        for index in apps.indices where identities.indices.contains(apps[index].identity.index) {
            let app = AppID(rawValue: Int32(index))
            changeAuthorization(of: app, to: authorization(of: apps[app.index].identity), at: now, into: &effects)
        }
        for app in apps(of: clients) {
            withdrawNeedlessRequests(of: apps[app.index].identity, into: &effects)
            tellObstacles(of: app, at: now, into: &effects)
        }
        for client in clients.managers {
            tellLiveFlags(of: client.manager, into: &effects)
            effects.append(.saveManager(client.manager))
        }
        touchSessions()
        if !clients.managers.isEmpty { noteServiceStart(at: now) }
    }
}
