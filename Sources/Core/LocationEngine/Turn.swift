// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The working set of one turn: time, date, configuration, the effects so far, and the state that all services share.
///
/// Each call of a service gets it inout. State of one service alone is in that service; managers, apps and their authorizations are in the
/// `Directory`. A service notes here what other parts have to do: raise a question, tell a session, look whether an identity still uses the
/// location. The engine carries the notes out when all services are through.
struct Turn: Sendable {
    private var clock: TurnClock
    /// When the turn began; never before the turn before it.
    private(set) var now: BootInstant
    /// The date that the shell said last, and when; nil: none yet.
    private var dateSaid: (date: WallTime, at: BootInstant)?
    var configuration: EngineConfiguration
    /// The effects so far. During a turn this is the caller's buffer, so that a turn allocates nothing.
    var effects = EffectBuffer(empty: ())

    var intake: Intake
    var reducedView: ReducedView
    var stationary = Stationary()
    var loss = LossWatch()
    /// The shapes that apps watch.
    var borders = Borders()
    /// The events of apps.
    var events = StoredEvents()

    /// Identities of which something started or ended.
    var touched: [IdentityID] = []
    /// Something changed that sessions tell of.
    var haveSessionsToTell = false
    /// Questions to raise, unless somebody has decided them.
    var questions: [Question] = []
    /// The client has to be told of its authorization right after the answer to its first request (Protocol 4.2).
    var mustAnnounce = false
    /// Those of the request under way.
    var circumstances = Circumstances()
    /// The `requestLocation` that the request under way ended; it is told in its place among the answers.
    var cancelled: (request: UInt32, cause: RequestCancellation)?
    /// The manager whose sessions the request changed.
    var changedSessions: ManagerID?
    /// The client that is back has been told of events of its app from this number on.
    var firstEvent = UInt64.max
    /// The answer to a request, which comes after all that it changed.
    var answerAfterChanges: Reply?

    init(_ configuration: EngineConfiguration, _ intake: Intake, reducedSequence: UInt64, at now: BootInstant) {
        self.configuration = configuration
        self.intake = intake
        reducedView = ReducedView(sequence: reducedSequence)
        self.now = now
        clock = TurnClock(at: now)
    }

    /// Begins a turn at `moment`, or at the moment of the turn before if that is later.
    mutating func begin(at moment: BootInstant) {
        now = clock.begin(at: moment)
    }

    /// Turns that the caller began at an earlier time than the one before.
    var turnsBack: UInt64 { clock.turnsBack }

    mutating func setDate(_ date: WallTime) { dateSaid = (date, now) }

    /// The date, from the one that the shell said last; nil: it said none. The date of the newest fix is not used, because it would tell
    /// when the device was last seen.
    var date: WallTime? {
        dateSaid.map { WallTime(milliseconds: $0.date.milliseconds + (now - $0.at).nanoseconds / 1_000_000) }
    }

    /// The date of what happens in this turn, also before the shell has said one.
    var dateOfEvents: WallTime { date ?? intake.lastLocation?.timestamp ?? WallTime(milliseconds: 0) }

    // MARK: What services say

    mutating func append(_ effect: Effect) { effects.effects.append(effect) }

    mutating func reply(_ manager: ManagerID, _ reply: Reply) { append(.reply(manager, reply)) }

    mutating func refuse(_ manager: ManagerID, _ refusal: EngineRefusal) {
        append(.reply(manager, Reply(state: nil, refusal: refusal)))
    }

    /// Answers a `start…` or `request…`: the first of a client is followed by its authorization (Protocol 4.2).
    mutating func answer(_ manager: ManagerID, _ reply: Reply) {
        append(.reply(manager, reply))
        guard mustAnnounce else { return }
        mustAnnounce = false
        append(.announceAuthorization(manager, initial: true))
    }

    mutating func save(_ manager: ManagerID) { append(.saveManager(manager)) }

    mutating func fail(
        _ manager: ManagerID, _ code: LocationErrorCode = .denied, _ source: LocationSource?, request: UInt32 = 0
    ) {
        append(.fail(manager, code: code, source: source, request: request))
    }

    mutating func tellCancelled(_ manager: ManagerID) {
        guard let ended = cancelled else { return }
        cancelled = nil
        append(.cancelRequest(manager, request: ended.request, by: ended.cause))
    }

    // MARK: What services note

    /// Something of the identity started or ended: whether it uses the location is looked at when the turn ends.
    mutating func touch(_ identity: IdentityID) {
        if !touched.contains(identity) { touched.append(identity) }
    }

    /// A new service, a client that is back, or a receiver that was switched on can be at a loss after its own ten seconds.
    mutating func noteServiceStart() { loss.check(by: now + configuration.lossAge) }

    // MARK: What services ask

    /// Whether the log still holds the fix of this number, if there was one.
    func isInLog(_ sequence: UInt64) -> Bool { intake.fixes(after: sequence) < configuration.logCapacity }

    /// The fix of the reduced view in force; nil: none yet, or the log lost it.
    var reducedViewInLog: UInt64? {
        reducedView.sequence != 0 && isInLog(reducedView.sequence) ? reducedView.sequence : nil
    }

    /// Delivers the stored first location of a service, if it is young enough; to those who have the reduced view the one in force,
    /// however old, since the next fix would be seen only in the next view. It is no part of the stream: no cursor moves. Returns
    /// whether there was one.
    @discardableResult
    mutating func deliverCached(to manager: ManagerID, source: LocationSource, _ directory: Directory) -> Bool {
        let isReduced = directory.hasReducedView(manager)
        let sequence = isReduced ? reducedViewInLog ?? 0 : intake.newestAccepted
        let isYoung = intake.lastFixAt.map { now - $0 < configuration.cachedLocationAge } ?? false
        guard sequence != 0, isYoung || isReduced && reducedView.isInForce(at: now) else { return false }
        append(
            .deliver(
                manager,
                Delivery(
                    first: sequence, last: sequence, source: source, flags: isReduced ? [.cached, .reduced] : .cached)))
        return true
    }
}

/// A reason to ask a person.
enum Question: Sendable {
    /// A service was started that needs consent.
    case service(ManagerID)
    /// A stream or a monitor was started; an app whose manifest demands service sessions asks by those instead.
    case stream(ManagerID)
    /// A service session began. `purposeKey`: full accuracy is wanted, and the app has said what for.
    case session(ManagerID, purposeKey: String?, canAsk: Bool)
    /// An event waits for a person to say that "always" is meant (rule A3).
    case heldEvent(AppID)
}
