// SPDX-License-Identifier: Apache-2.0
import LocationModel

// What an app may learn, and what changes when that does.
extension Engine {
    /// The authorization of the manager's app.
    package func authorization(of manager: ManagerID) -> Authorization {
        apps[managers[manager.index].app.index].authorization
    }

    /// `didChangeAuthorization` with `initial`: once, right after the reply to the first `hello`, `start…` or `request…`.
    mutating func announceInitialAuthorization(_ manager: ManagerID, into effects: inout EffectBuffer) {
        guard !managers[manager.index].hasAnnouncedAuthorization else { return }
        managers[manager.index].hasAnnouncedAuthorization = true
        effects.append(.announceAuthorization(manager, initial: true))
    }

    mutating func changeAuthorization(
        of app: AppID, to new: Authorization, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let old = apps[app.index].authorization
        guard old != new else { return }
        apps[app.index].authorization = new
        if old.isAuthorized, !new.isAuthorized { discardEvents(of: app, into: &effects) }
        if old.isAuthorized, old.accuracy == .full, new.accuracy == .reduced {
            discardExactEvents(of: app, into: &effects)
        }
        if old.accuracy != new.accuracy { apps[app.index].windows.restart(after: newestAccepted) }
        if !apps[app.index].storesEvents { dropStoredEvents(of: app, into: &effects) }
        apps[app.index].sessionObstacles = sessionObstacles(of: app)
        refreshWatching(of: app, into: &effects)
        for index in managers.indices where managers[index].isOpen && managers[index].app == app {
            let manager = ManagerID(rawValue: Int32(index))
            if old.isToldApart(from: new), managers[index].hasAnnouncedAuthorization, !managers[index].isAway {
                effects.append(.announceAuthorization(manager, initial: false))
            }
            if old.isAuthorized, !new.isAuthorized {
                withdraw(manager, into: &effects)
            } else if old.isAuthorized, old.accuracy == .full, new.accuracy == .reduced {
                discard(manager, error: .deferredAccuracyTooLow, into: &effects)
                if let position = standard.position(of: manager), standard[position].mode == .paused {
                    restart(position, at: now, into: &effects)
                }
                refreshStandard(manager, at: now, into: &effects)
                effects.append(.saveManager(manager))
            } else if new.isAuthorized {
                if !old.isAuthorized { runWanted(manager, at: now, into: &effects) }
                refreshStandard(manager, at: now, into: &effects)
            } else if old.serviceState == .waitingForAuthorization, !managers[index].isAway {
                tellDenial(manager, into: &effects)
                effects.append(.saveManager(manager))
            }
            tellLiveFlags(of: manager, into: &effects)
            if old.isAuthorized, old.accuracy == .full { tellViewInForce(to: manager, at: now, into: &effects) }
        }
        tellObstacles(of: app, at: now, into: &effects)
        touchSessions()
    }

    /// Authorization is lost: what was held or queued may no longer be seen; services stay wanted and begin again with consent.
    private mutating func withdraw(_ manager: ManagerID, into effects: inout EffectBuffer) {
        discard(manager, error: .deferredFailed, into: &effects)
        endStandard(manager)
        significant.remove(manager)
        headings.remove(manager)
        if let position = requests.position(of: manager) { requests[position].forgetBest() }
        if !managers[manager.index].isAway { tellDenial(manager, into: &effects) }
        effects.append(.saveManager(manager))
    }

    /// `didFailWithError` 1 for all that the manager wishes and may not have; a client that was away is told when it is back.
    mutating func tellDenial(_ manager: ManagerID, into effects: inout EffectBuffer) {
        guard authorization(of: manager).serviceState == .denied else { return }
        if managers[manager.index].wantsStandard {
            effects.append(.fail(manager, code: .denied, source: .standard, request: 0))
        }
        if managers[manager.index].wantsSignificant {
            effects.append(.fail(manager, code: .denied, source: .significantChange, request: 0))
        }
        if managers[manager.index].wantsHeading {
            effects.append(.fail(manager, code: .denied, source: nil, request: 0))
        }
        guard let request = requests.remove(manager) else { return }
        effects.append(.fail(manager, code: .denied, source: .request, request: request.number))
    }

    /// Consent for all that was not delivered is gone, also for what would be delivered again; a deferral ends without its batch.
    private mutating func discard(
        _ manager: ManagerID, error: LocationErrorCode, into effects: inout EffectBuffer
    ) {
        effects.append(.discardUndelivered(manager))
        managers[manager.index].standardStart = newestAccepted
        managers[manager.index].standardHasGap = false
        managers[manager.index].standardReference = nil
        if let position = standard.position(of: manager) {
            standard[position].held = 0
            standard[position].cursor = newestAccepted
        }
        if let position = significant.position(of: manager) { significant[position].pending = 0 }
        endDeferral(manager, error: error, into: &effects)
    }

    /// Consent came: what the client started begins by itself.
    private mutating func runWanted(_ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        if managers[manager.index].wantsStandard {
            positionStandardAtNewest(manager, into: &effects)
            runStandard(manager, at: now, into: &effects, isFresh: true)
        }
        if managers[manager.index].wantsSignificant { runSignificant(manager, at: now, into: &effects) }
        if managers[manager.index].wantsHeading { runHeading(manager) }
        answerWaitingFromCache(manager, at: now, into: &effects)
        tellViewInForce(to: manager, at: now, into: &effects)
    }
}
