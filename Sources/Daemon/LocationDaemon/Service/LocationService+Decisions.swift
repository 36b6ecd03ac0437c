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
        _ number: IdentityID, as consent: Consent?, by event: Event, _ request: ClientRequest
    ) throws(RPCError) -> DecisionResult {
        guard let identity = apps.identity(number) else { return DecisionResult() }
        var request = request
        let former = engine.consent(of: number).consent
        // Where nothing of the state can be read, an administrator's word holds as long as the daemon runs.
        if (consent ?? engine.policy(of: number)).allowsMore(than: former), records.unreadable == nil {
            let entry = consent.map { self.entry(for: identity, $0, request) }
            request.written = try require([.decide(identity, entry)], "keep the decision about \(identity.description)")
        }
        let isStored = decide(event, for: request, at: request.now)
        for app in apps.apps(of: number) { forgetIfRefused(app, at: request.now) }
        var result = result(isStored: isStored)
        result.app = identity.description
        return result
    }

    /// Switches location services on or off for everyone.
    func switchServices(_ areEnabled: Bool, _ request: ClientRequest) throws(RPCError) -> DecisionResult {
        if areEnabled {
            if records.unreadable == nil {
                try require(
                    [.switchServices(true)] + (knowsDecisions ? [] : [.acceptLostDecisions]),
                    "keep that location services are on")
            } else {
                commit([.switchServices(true)])
            }
            trustRules(request)
        }
        decide(.servicesSwitched(areEnabled), for: request, at: request.now)
        let isStored = areEnabled ? records.unreadable == nil : commit([.switchServices(false)])
        journal.info(
            "location services are \(areEnabled ? "on" : "off") now, switched by \(request.decider)",
            .servicesSwitched(areEnabled: areEnabled, decider: request.decider))
        return result(isStored: isStored)
    }

    /// It is not known what people decided, so that a rule might allow whom they refused: rules allow nobody.
    func distrustRules(because reason: String) {
        guard knowsDecisions else { return }
        knowsDecisions = false
        decisionsProblem = reason
        journal.error(reason, .storeFailed(reason: reason))
    }

    /// An administrator says that what is known will do.
    private func trustRules(_ request: ClientRequest) {
        guard !knowsDecisions else { return }
        knowsDecisions = true
        decisionsProblem = nil
        refreshPolicies(at: request.now)
        journal.info("rules count again, says \(request.decider)")
    }

    private func result(isStored: Bool) -> DecisionResult {
        guard !isStored else { return DecisionResult() }
        let problem = records.problem ?? "the disk takes nothing"
        return DecisionResult(
            problem: isKeptInMemoryAlone
                ? "\(problem); nor does the runtime directory keep it: it holds only until the daemon ends" : problem)
    }

    /// A decision with who made it and when: whoever made the same one before. `request`: what it is made by; nil: nobody's.
    func entry(for identity: PeerIdentity, _ consent: Consent, _ request: ClientRequest?) -> ConsentBook.Entry {
        let former = consents[identity]
        let same =
            former?.consent.choice == consent.choice && former?.consent.accuracy == consent.accuracy
            ? former : nil
        return ConsentBook.Entry(
            consent: consent, decidedBy: same?.decidedBy ?? request?.decider ?? LocationService.ownName,
            decidedAt: same?.decidedAt ?? request?.date ?? wallTime(), lastUse: former?.lastUse,
            user: userName(identity.uid))
    }

    // MARK: Writing

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
            .map { RecordChange.decide($0, consents[$0]) }
        // Only what allows less can be owed.
        if owed.areServicesEnabled == false, engine.areServicesEnabled {
            decide(.servicesSwitched(false), at: now)
            changes.append(.switchServices(false))
        }
        if changes.isEmpty { keepOwedDecisions(false) } else if commit(changes) { keepOwedDecisions(false) }
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
