// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Clients that never went, though the process did: an orderly stop handed their connections to the next process.
extension Engine {
    /// Goes on with the managers of a former process as if it were that one: nothing that was told is told again. What changed meanwhile (an
    /// authorization, by the configuration or a manifest) is told as if it had changed now.
    mutating func keep(_ clients: KeptClients, at now: BootInstant, into effects: inout EffectBuffer) {
        for client in clients.managers {
            guard let authorization = client.kept.known.authorization else { continue }
            apps[client.state.app.index].authorization = authorization
        }
        // Asked before anybody is looked at: sessions and streams tell of questions.
        for request in clients.requests {
            authorizationRequests.append(request)
            newestAuthorizationRequest = max(newestAuthorizationRequest, request.number)
        }
        for client in clients.managers { goOn(client.manager, client.state, client.kept, at: now) }
        restore(clients.rests)
        if let anchor = clients.anchor { odometer = Odometer(travelled: odometer.travelled, anchor: anchor) }
        tellChanges(of: clients, at: now, into: &effects)
        for request in clients.requests where identities[request.identity.index].uses == 0 {
            // Its client went while no daemon ran.
            withdrawRequests(of: request.identity, into: &effects)
        }
    }

    private mutating func goOn(
        _ manager: ManagerID, _ state: ManagerState, _ kept: KeptManager, at now: BootInstant
    ) {
        // What beginning would tell, the client was told when it began.
        var unheard = EffectBuffer()
        let identity = apps[state.app.index].identity
        if let allowance = state.allowance, identities[identity.index].consent == allowance.consent {
            identities[identity.index].isOnce = allowance.isOnce
            identities[identity.index].hasTemporaryFullAccuracy = allowance.hasTemporaryFullAccuracy
        }
        var state = state
        state.isAway = false
        state.allowance = nil
        open(manager, state, at: now, into: &unheard)
        restore(kept, of: manager)
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
        for condition in kept.conditions { restore(condition, of: manager) }
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

    private mutating func tellChanges(of clients: KeptClients, at now: BootInstant, into effects: inout EffectBuffer) {
        var known: [AppID] = []
        for client in clients.managers where !known.contains(client.state.app) { known.append(client.state.app) }
        for app in known {
            apps[app.index].sessionObstacles = sessionObstacles(of: app)
            refreshWatching(of: app, into: &effects)
            changeAuthorization(of: app, to: authorization(of: apps[app.index].identity), at: now, into: &effects)
            withdrawNeedlessRequests(of: apps[app.index].identity, into: &effects)
            tellObstacles(of: app, at: now, into: &effects)
        }
        for client in clients.managers {
            tellLiveFlags(of: client.manager, into: &effects)
            effects.append(.saveManager(client.manager))
        }
        touchSessions()
        noteServiceStart(at: now)
    }
}
