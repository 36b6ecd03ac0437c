// SPDX-License-Identifier: Apache-2.0
import LocationEngine
package import LocationModel

// How long what apps own stays: what nobody has allowed only for some days.
extension LocationService {
    /// Notes that an app is there, once a day: what nobody has allowed is forgotten some days after it was there last.
    func noteSeen(_ app: AppID) {
        let today = host.date()
        guard dates.noteSeen(app, today) else { return }
        if let key = apps.key(of: app), records.holds(key) { commit([.app(key, .noteSeen(today))]) }
    }

    /// Forgets what apps keep that people refused, and what apps keep that nobody has allowed and that have not come for days.
    package func forgetUnused(at now: BootInstant) {
        // Whom rules allow is not known now.
        guard consents.problem == nil else { return }
        let oldest = host.date().milliseconds - Int64(settings.limits.undecidedKeepDays) * 86_400_000
        for app in apps.kept where !engine.isAllowed(app) && apps.hasNoManager(app) {
            guard let identity = apps.key(of: app)?.identity else { continue }
            let isRefused = consents[identity]?.consent.isRefusal ?? false
            if !isRefused, let seen = dates.lastSeen[app], seen.milliseconds >= oldest { continue }
            if dates.lastSeen[app] == nil, !isRefused {
                noteSeen(app)
                continue
            }
            forgetRecords(of: app, at: now)
        }
    }

    /// Forgets the records of an app that a person refused, unless a client of it is there: that app is told how its conditions stand,
    /// may be allowed again, and keeps its records until its last client goes.
    func forgetIfRefused(_ app: AppID, at now: BootInstant) {
        guard apps.hasNoManager(app), let key = apps.key(of: app), consents[key.identity]?.consent.isRefusal == true
        else { return }
        host.appForgotten(key)
        guard isKept(app) else { return }
        forgetRecords(of: app, at: now)
    }

    private func forgetRecords(of app: AppID, at now: BootInstant) {
        if let key = apps.key(of: app), records.holds(key) { commit([.app(key, .forget)]) }
        leaveNothing(of: app, at: now)
    }

    func leaveNothing(of app: AppID, at now: BootInstant) {
        decide(.recordsForgotten(app), at: now)
        dates.lastSeen[app] = nil
        if let key = apps.key(of: app) {
            if let name = key.identity.name { host.clearWake(name) }
            host.appForgotten(key)
        }
        apps.setKept(app, false)
    }

    /// Events that nobody came for in a month.
    package func forgetAgedEvents(at now: BootInstant) {
        // A receiver whose weeks have rolled over dates its events decades ago: they are not older than its newest fix.
        let today = min(host.date().milliseconds, engine.lastLocation?.timestamp.milliseconds ?? .max)
        let date = today - settings.eventsKept.nanoseconds / 1_000_000
        dates.nextAgeing = now + .seconds(3600)
        decide(.eventsAged(before: WallTime(milliseconds: date)), at: now)
    }
}
