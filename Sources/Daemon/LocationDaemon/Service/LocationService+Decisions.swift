// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore

// What people decide. What allows more is on the disk before it is in force. What allows less is in force at once, whatever the disk
// says, and is written as soon as the disk takes it; until then the runtime directory keeps it.
extension LocationService {
    /// Puts a decision in force by an event of the engine. nil: takes back what was decided.
    func settle(
        _ number: IdentityID, as consent: Consent?, by event: Event, at now: BootInstant
    ) throws(RPCError) -> DecisionResult {
        guard let identity = apps.identity(number) else { return DecisionResult() }
        let former = engine.consent(of: number).consent
        // Where nothing of the state can be read, an administrator's word holds as long as the daemon runs.
        if (consent ?? engine.policy(of: number)).allowsMore(than: former), records.unreadable == nil {
            let entry = consent.map { self.entry(for: identity, $0) }
            try require(saving(entry, of: identity), "keep the decision about \(identity.description)")
            written.decision = (identity, entry)
        }
        defer { written.decision = nil }
        let isStored = decide(event, at: now)
        for app in apps.apps(of: number) { forgetIfRefused(app, at: now) }
        var result = result(isStored: isStored)
        result.app = identity.description
        return result
    }

    /// Switches location services on or off for everyone.
    func switchServices(_ areEnabled: Bool, at now: BootInstant) throws(RPCError) -> DecisionResult {
        let change = savingSwitch(areEnabled)
        if areEnabled {
            try requireSwitch(change)
            trustRules(at: now)
        }
        decide(.servicesSwitched(areEnabled), at: now)
        let isStored = areEnabled ? records.unreadable == nil : records.commit([change])
        journal.info(
            "location services are \(areEnabled ? "on" : "off") now, switched by \(decider)",
            .servicesSwitched(areEnabled: areEnabled, decider: decider))
        return result(isStored: isStored)
    }

    private func requireSwitch(_ change: RecordKeeper.Change) throws(RPCError) {
        guard records.unreadable == nil else {
            records.commit([change])
            return
        }
        let mustAccept = !knowsDecisions
        let both = RecordKeeper.Change { database throws(StoreError) in
            try change.body(database)
            if mustAccept { try database.acceptLostDecisions() }
        }
        try require(both, "keep that location services are on")
    }

    /// It is not known what people decided, so that a rule might allow whom they refused: rules allow nobody.
    func distrustRules(because reason: String) {
        guard knowsDecisions else { return }
        knowsDecisions = false
        decisionsProblem = reason
        journal.error(reason, .storeFailed(reason: reason))
    }

    /// An administrator says that what is known will do.
    private func trustRules(at now: BootInstant) {
        guard !knowsDecisions else { return }
        knowsDecisions = true
        decisionsProblem = nil
        refreshPolicies(at: now)
        journal.info("rules count again, says \(decider)")
    }

    private func result(isStored: Bool) -> DecisionResult {
        guard !isStored else { return DecisionResult() }
        let problem = records.problem ?? "the disk takes nothing"
        return DecisionResult(
            problem: isKeptInMemoryAlone
                ? "\(problem); nor does the runtime directory keep it: it holds only until the daemon ends" : problem)
    }

    /// A decision with who made it and when: whoever made the same one before.
    func entry(for identity: PeerIdentity, _ consent: Consent) -> ConsentBook.Entry {
        let former = consents[identity]
        let isSame = former?.consent.choice == consent.choice && former?.consent.accuracy == consent.accuracy
        return ConsentBook.Entry(
            consent: consent, decidedBy: isSame ? former?.decidedBy ?? decider : decider,
            decidedAt: isSame ? former?.decidedAt ?? wallTime() : wallTime(), lastUse: former?.lastUse,
            user: userName(identity.uid))
    }

    // MARK: Writing

    /// A change that writes a decision; nil: that there is none.
    func saving(_ entry: ConsentBook.Entry?, of identity: PeerIdentity) -> RecordKeeper.Change {
        let stored = entry?.stored(identity)
        return RecordKeeper.Change(decision: identity.description) { database throws(StoreError) in
            if let stored {
                try database.save(stored)
            } else {
                try database.removeConsent(uid: identity.uid, name: identity.name)
            }
        }
    }

    func savingSwitch(_ areEnabled: Bool) -> RecordKeeper.Change {
        RecordKeeper.Change(decision: "location services") { database throws(StoreError) in
            try database.setLocationServicesEnabled(areEnabled)
        }
    }

    /// Keeps in the runtime directory what is in force and not on the disk, so that the end of the daemon does not undo it.
    func keepOwedDecisions(_ areOwed: Bool) {
        isKeptInMemoryAlone = areOwed
        guard let path = keeper.owedDecisionsPath else { return }
        var decisions = consents.decisions(areServicesEnabled: engine.areServicesEnabled)
        // What could not be read is not here: there may be more.
        decisions.isWhole = knowsDecisions
        do throws(StoreError) {
            if areOwed { try decisions.write(to: path) } else { try Decisions.remove(path) }
            isKeptInMemoryAlone = false
        } catch {
            journal.error("\(error); what people decided just now holds until the daemon ends")
        }
    }

    /// What a former process owed the disk is in force again, and owed.
    func takeOwedDecisions(at now: BootInstant) {
        guard let path = keeper.owedDecisionsPath, let owed = owedDecisions(path) else { return }
        let former = consents
        consents.takeOwed(owed)
        let identities = Set(former.entries.keys).union(consents.entries.keys)
        var changes = identities.sorted { $0.description < $1.description }
            .filter { former[$0]?.consent != consents[$0]?.consent }
            .map { saving(consents[$0], of: $0) }
        // Only what allows less can be owed.
        if owed.areServicesEnabled == false, engine.areServicesEnabled {
            decide(.servicesSwitched(false), at: now)
            changes.append(savingSwitch(false))
        }
        if changes.isEmpty { keepOwedDecisions(false) } else if records.commit(changes) { keepOwedDecisions(false) }
    }

    private func owedDecisions(_ path: String) -> Decisions? {
        do throws(StoreError) {
            return try Decisions(path: path)
        } catch {
            distrustRules(because: UnwritableState.sentence(because: error.description))
            return nil
        }
    }
}

/// What was written before a turn, so that the turn need not write it again.
struct WrittenBefore {
    /// `entry` nil: that nobody decided.
    var decision: (identity: PeerIdentity, entry: ConsentBook.Entry?)?
    /// It was removed.
    var event: (app: AppID, number: UInt64)?
    var app: (app: AppID, state: AppRecord)?
}

/// When the disk is tried again that did not take something: soon at first, then less and less often.
struct RetryClock {
    static let shortest = TimeSpan.seconds(10)
    static let longest = TimeSpan.seconds(300)

    private var wait = RetryClock.shortest
    /// The next time; nil: nothing has failed.
    private(set) var next: BootInstant?

    /// Whether to try now.
    mutating func isDue(at now: BootInstant) -> Bool {
        guard let due = next else {
            // It was tried just now, when it failed.
            next = now + wait
            return false
        }
        guard now >= due else { return false }
        wait = min(wait + wait, RetryClock.longest)
        next = now + wait
        return true
    }
}
