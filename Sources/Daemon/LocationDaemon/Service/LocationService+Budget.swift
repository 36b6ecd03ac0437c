// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore

// What apps may keep, in bytes: little while nobody has allowed them anything, and that only for some days.
extension LocationService {
    /// How much of what is kept belongs to whom.
    private struct Sums {
        var app = 0
        var user = 0
        var all = 0
        var userNotAllowed = 0
        var allNotAllowed = 0
    }

    /// Whether an app may keep so many bytes more. Throws what the budget is that is used up.
    func admit(_ app: AppID, adding bytes: Int, for what: String, at now: BootInstant) throws(RPCError) {
        guard mayKeep(app) else {
            throw RPCError(
                .limitExceeded,
                "cannot keep anything of another app: the user has \(LocationService.keptAppsPerUser), which is as many as may be"
            )
        }
        noteSeen(app)
        let isNew = !isKept(app)
        guard bytes > 0 || isNew else { return }
        let added = bytes + (isNew ? StoredSize.app : 0)
        guard usedUpBudget(app, added) != nil else { return }
        // What nobody has come for makes room.
        forgetUnused(at: now)
        guard let budget = usedUpBudget(app, added) else { return }
        throw RPCError(.limitExceeded, "cannot keep \(what): \(budget)")
    }

    /// The budget that so many more bytes of an app would exceed, in words; nil: none.
    private func usedUpBudget(_ app: AppID, _ bytes: Int) -> String? {
        let (sums, limits) = (sums(for: app), configuration.limits)
        func text(_ bytes: Int) -> String { ConfigurationUnits.text(bytes: bytes) }
        if sums.all + bytes > limits.storedBytes {
            return "all apps together may keep \(text(limits.storedBytes)) (StoredBytes= in [Limits])"
        }
        guard engine.isAllowed(app) else {
            if sums.userNotAllowed + bytes > limits.undecidedBytesPerUser {
                return "what nobody has allowed may keep \(text(limits.undecidedBytesPerUser)) for each user "
                    + "(UndecidedBytesPerUser= in [Limits])"
            }
            guard sums.allNotAllowed + bytes > limits.undecidedBytes else { return nil }
            return
                "what nobody has allowed may keep \(text(limits.undecidedBytes)) in all (UndecidedBytes= in [Limits])"
        }
        if sums.app + bytes > limits.storedBytesPerApp {
            return "an app may keep \(text(limits.storedBytesPerApp)) (StoredBytesPerApp= in [Limits])"
        }
        guard sums.user + bytes > limits.storedBytesPerUser else { return nil }
        return "the apps of a user may keep \(text(limits.storedBytesPerUser)) (StoredBytesPerUser= in [Limits])"
    }

    private func sums(for app: AppID) -> Sums {
        var sums = Sums()
        let uid = apps.key(of: app)?.identity.uid
        for other in apps.kept {
            let size = engine.storedSize(of: other) + StoredSize.app
            let isOfUser = apps.key(of: other)?.identity.uid == uid
            sums.all += size
            if isOfUser { sums.user += size }
            if other == app { sums.app += size }
            guard !engine.isAllowed(other) else { continue }
            sums.allNotAllowed += size
            if isOfUser { sums.userNotAllowed += size }
        }
        return sums
    }

    // MARK: Forgetting

    /// Notes that an app is there, once a day: what nobody has allowed is forgotten some days after it was there last.
    func noteSeen(_ app: AppID) {
        let today = wallTime()
        if let seen = lastSeen[app], abs(today.milliseconds - seen.milliseconds) < 86_400_000 { return }
        lastSeen[app] = today
        if let key = apps.key(of: app), records.holds(key) { commit([.noteSeen(key, today)]) }
    }

    /// Forgets what apps keep that people refused, and what apps keep that nobody has allowed and that have not come for days.
    func forgetUnused(at now: BootInstant) {
        // Whom rules allow is not known now.
        guard knowsDecisions else { return }
        let oldest = wallTime().milliseconds - Int64(configuration.limits.undecidedKeepDays) * 86_400_000
        for app in apps.kept where !engine.isAllowed(app) && apps.hasNoManager(app) {
            guard let identity = apps.key(of: app)?.identity else { continue }
            let isRefused = consents[identity]?.consent.isRefusal ?? false
            if !isRefused, let seen = lastSeen[app], seen.milliseconds >= oldest { continue }
            if lastSeen[app] == nil, !isRefused {
                noteSeen(app)
                continue
            }
            forgetRecords(of: app, at: now)
        }
    }

    /// What a person refuses does not stay here. An app that is there is told how its conditions stand, and may be allowed again: it
    /// keeps what it has until its last client goes.
    func forgetIfRefused(_ app: AppID, at now: BootInstant) {
        guard isKept(app), apps.hasNoManager(app), let identity = apps.key(of: app)?.identity,
            consents[identity]?.consent.isRefusal == true
        else { return }
        forgetRecords(of: app, at: now)
    }

    private func forgetRecords(of app: AppID, at now: BootInstant) {
        if let key = apps.key(of: app), records.holds(key) { commit([.forgetApp(key)]) }
        leaveNothing(of: app, at: now)
    }

    private func leaveNothing(of app: AppID, at now: BootInstant) {
        decide(.recordsForgotten(app), at: now)
        lastSeen[app] = nil
        if let name = apps.key(of: app)?.identity.name { wakeFiles.clear(name) }
        apps.setKept(app, false)
    }

    /// Removes everything of an identity, with what was decided about it.
    func forgetApp(named name: String, _ request: ClientRequest) throws(RPCError) -> ForgetResult {
        let number = try identity(named: name, at: request.now)
        let isKnown = !apps.apps(of: number).isEmpty || lastUses[number] != nil
        guard let identity = apps.identity(number), isKnown || consents[identity] != nil else {
            throw RPCError(
                .notFound, "cannot find the app \(quoted(name)): nothing is known of it; locctl apps names all")
        }
        let all = apps.apps(of: number)
        var result = ForgetResult(app: identity.description, hadDecision: consents[identity] != nil)
        for app in all {
            if let label = apps.key(of: app)?.label { result.labels.append(label) }
            result.regions += UInt64(engine.regionCount(of: app))
            result.conditions += UInt64(engine.conditionCount(of: app))
            result.monitors += UInt64(engine.monitorNames(of: app).count)
            result.events += UInt64(engine.events(of: app).count)
            result.wantedVisits = result.wantedVisits || engine.monitorsVisits(app)
        }
        var request = request
        request.written = try require(
            [.decide(identity, nil), .forgetUse(identity)] + all.compactMap { apps.key(of: $0).map { .forgetApp($0) } },
            "forget \(identity.description)")
        decide(.decided(number, nil), for: request, at: request.now)
        lastUses[number] = nil
        storedUses[identity] = nil
        for app in all { leaveNothing(of: app, at: request.now) }
        journal.info("\(identity.description) is forgotten, says \(request.decider)")
        return result
    }
}

extension Consent {
    /// Whether somebody has said no.
    var isRefusal: Bool { choice == .denied || choice == .restricted }
}
