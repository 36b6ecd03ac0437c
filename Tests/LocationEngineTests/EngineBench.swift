// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

/// A shell round the engine with a simulated clock: keeps the log, obeys effects, serves wake-ups exactly, notes every line that
/// a connection would carry, and checks after each event what must always hold.
struct EngineBench {
    enum WakeMoment: CaseIterable, Sendable { case earliest, latest }

    /// When a bench begins.
    static let start = BootInstant(nanoseconds: 1_000_000_000_000)

    // Nobody can copy an engine, and so tests could not hand a bench on that had one in it: copies of a bench share theirs.
    private let held: HeldEngine
    var engine: Engine {
        _read { yield held.engine }
        _modify { yield &held.engine }
    }
    private(set) var now = EngineBench.start
    private(set) var log: BenchLog
    var connections: [ManagerID: BenchConnection] = [:]
    /// What the store of the daemon would hold.
    var store = BenchStore()
    /// What each identity may, kept without the engine.
    var people: [IdentityID: BenchPerson] = [:]
    var areServicesEnabled = true
    /// Whose manifest says that their apps hold their service sessions themselves.
    var requiringSessions: Set<IdentityID> = []
    /// Questions that wait, by number.
    var prompts: [UInt64: AuthorizationRequest] = [:]
    var newestPrompt: UInt64 = 0
    /// Events that no connection may be told of again.
    var acknowledged: [AppID: Set<UInt64>] = [:]
    var using: Set<IdentityID> = []
    var violations: [String] = []
    /// Whether wake-ups are served as soon or as late as the engine allows.
    var wakeMoment = WakeMoment.earliest
    private(set) var wakeUps = 0
    var isReceiverOn = false
    private(set) var powerSwitches: [(at: BootInstant, isOn: Bool)] = []
    private let isRecording: Bool
    /// Every effect as text, if it records.
    private(set) var recording: [String] = []
    private(set) var events: [(at: BootInstant, event: Event)] = []

    private(set) var buffer = EffectBuffer()
    /// What this turn said, and to whom.
    private(set) var saidInTurn: [(manager: ManagerID, line: Line)] = []
    /// What the shell had to store, to ask and to start, in order.
    var chores: [Effect] = []
    /// What people are to be shown, in order.
    var raised: [(app: AppID, event: AppEvent)] = []
    /// A finish may come again in the turn in which its client came back.
    private(set) var isAttaching = false
    /// A new process learns what there is.
    var isRestoring = false
    var saved: [ManagerID: ManagerRecord] = [:]
    private(set) var closed: Set<ManagerID> = []
    private var nextManager: Int32 = 0
    /// Uses that a killed process left, until their clients are back.
    var keptUses: Set<ManagerID> = []
    let configuration: EngineConfiguration

    init(
        _ configuration: EngineConfiguration = EngineConfiguration(), authorization: Authorization = .always,
        isRecording: Bool = false
    ) {
        self.configuration = configuration
        self.isRecording = isRecording
        log = BenchLog(capacity: configuration.logCapacity)
        held = HeldEngine(Engine(configuration: configuration, at: now))
        handle(.dated(wallTime))
        authorize(authorization)
    }

    // MARK: - What a test does

    mutating func authorize(_ authorization: Authorization, app: Int32 = 0) {
        let identity = IdentityID(rawValue: app)
        if people[identity] != nil {
            handle(.decided(identity, authorization.consent))
        } else {
            people[identity] = BenchPerson(choice: authorization.consent.choice, accuracy: authorization.accuracy)
            store.consents[identity] = authorization.consent
            store.apps[AppID(rawValue: app)] = AppRecord(identity: identity)
            handle(.identityEntered(identity, decided: authorization.consent, policy: Consent(.undecided)))
            handle(.appEntered(AppID(rawValue: app), AppRecord(identity: identity)))
        }
    }

    /// Takes the decision back, and prompts are possible again.
    mutating func reset(app: Int32 = 0) { handle(.decided(IdentityID(rawValue: app), nil)) }

    /// Somebody answers the oldest question.
    mutating func answer(_ answer: AuthorizationAnswer) {
        guard let number = prompts.keys.min() else { return }
        handle(.answered(request: number, answer))
    }

    mutating func switchServices(_ areEnabled: Bool) { handle(.servicesSwitched(areEnabled)) }

    mutating func open(app: Int32 = 0, presence: Presence = .background) -> ManagerID {
        let manager = ManagerID(rawValue: nextManager)
        nextManager += 1
        connections[manager] = BenchConnection(app: AppID(rawValue: app))
        handle(.managerOpened(manager, ManagerRecord(app: AppID(rawValue: app), presence: presence)))
        return manager
    }

    /// A request; what the daemon said before it is confirmed by it, as the shell tells the engine. The app has declared its purposes, and
    /// somebody is there to be asked, unless said; `noticeOwner`: whose notice is acknowledged.
    mutating func ask(
        _ manager: ManagerID, _ request: Request, isDeclared: Bool = true, canAsk: Bool = true,
        noticeOwner: AppID? = nil, requestTimeout: TimeSpan = .seconds(10)
    ) {
        let said = connections[manager]?.lines.count ?? 0
        connections[manager]?.confirmed = said
        handle(.finishesConfirmed(manager))
        // Its time may be up in this turn.
        guard engine.isOpen(manager) else { return }
        let isKept = keeps(request, manager)
        noteWish(manager, request, isBefore: true)
        var circumstances = Circumstances()
        circumstances.isDeclared = isDeclared
        circumstances.canAsk = canAsk
        circumstances.noticeOwner = noticeOwner
        circumstances.requestTimeout = requestTimeout
        if case .startUpdatingLocation(let sequence?) = request {
            circumstances.resumeLocation = log[sequence]?.location
        }
        handle(.asked(manager, request, circumstances))
        noteWish(manager, request, isBefore: false)
        // A number that nothing had yet is refused.
        if case .acknowledge(let number) = request, let app = connections[manager]?.app,
            connections[manager]?.lastReply?.refusal == nil
        {
            acknowledged[app, default: []].insert(number)
        }
        if isKept {
            let monitor = monitorName(of: request, manager)
            store.keep(request, app: connections[manager]?.app, monitor: monitor, on: wallTime)
        }
    }

    /// A client says `hello` first.
    mutating func greet(
        app: Int32 = 0, presence: Presence = .background, keepsEvents: Bool = true
    ) -> ManagerID {
        let manager = open(app: app, presence: presence)
        connections[manager]?.keepsEvents = keepsEvents
        handle(.greeted(manager, keepsEvents: keepsEvents))
        return manager
    }

    mutating func fix(_ fix: Fix) { handle(.fixReceived(fix)) }

    /// A fix `metres` east of the origin.
    mutating func fix(at metres: Double, accuracy: Double = 5, speed: Double? = nil, receiver: Int32 = 0) {
        let fix = Fix(
            receiver: ReceiverID(rawValue: receiver),
            location: Location(
                coordinate: .origin.moved(by: metres, course: 90), horizontalAccuracy: accuracy, timestamp: wallTime,
                speed: speed))
        handle(.fixReceived(fix))
    }

    /// Lets time pass; wake-ups are served at their moment and not otherwise.
    mutating func advance(by seconds: Double) {
        let end = now + .seconds(seconds)
        var servedInVain = 0
        while let window = engine.nextWake {
            let moment = max(wakeMoment == .earliest ? window.earliest : window.latest, now)
            guard moment <= end else { break }
            servedInVain = moment == now ? servedInVain + 1 : 0
            guard servedInVain < 3 else {
                violations.append("wakes again and again at \(now)")
                break
            }
            now = moment
            wakeUps += 1
            handle(.woke)
        }
        now = end
    }

    /// The last `unwritten` lines did not reach the client.
    mutating func detach(_ manager: ManagerID, unwritten: Int = 0) {
        // What timers say in this turn goes to nobody.
        let said = connections[manager]?.lines.count ?? 0
        handle(.woke)
        connections[manager]?.isThere = false
        handle(.managerDetached(manager))
        let saidToNobody = (connections[manager]?.lines.count ?? 0) - said
        connections[manager]?.lose(unwritten + saidToNobody)
    }

    mutating func attach(_ manager: ManagerID, presence: Presence = .background) {
        guard let connection = connections[manager] else { return }
        connections[manager]?.isThere = true
        keptUses.remove(manager)
        connections[manager]?.newestStandard = 0
        connections[manager]?.told = []
        connections[manager]?.confirmed = connection.lines.count
        let delivered = ResumePoint(
            sequence: connection.delivered, location: log[connection.delivered]?.location)
        isAttaching = true
        handle(.managerAttached(manager, delivered: delivered, presence: presence))
        isAttaching = false
        // Its time may have been up.
        connections[manager]?.isThere = held.engine.isOpen(manager)
        if connection.keepsEvents { handle(.greeted(manager, keepsEvents: true)) }
        let kept = connections[manager]?.outbox ?? []
        connections[manager]?.outbox = []
        for line in kept where connections[manager]?.isThere == true { say(manager, line) }
    }

    mutating func close(_ manager: ManagerID) {
        handle(.woke)
        connections[manager]?.isThere = false
        handle(.managerClosed(manager))
        closed.insert(manager)
    }

    /// What was said to the client since a test last asked.
    mutating func lines(_ manager: ManagerID) -> [String] {
        guard let connection = connections[manager] else { return [] }
        connections[manager]?.seen = connection.lines.count
        return connection.lines[connection.seen...].map { "\($0.line)" }
    }

    /// Starts standard updates behind `sequence`, as a client that has it would.
    mutating func resume(_ manager: ManagerID, after sequence: UInt64) {
        ask(manager, .startUpdatingLocation(resumeAfter: sequence))
    }

    /// Time passes, and nobody was awake to serve a timer.
    mutating func oversleep(_ seconds: Double) { now = now + .seconds(seconds) }

    /// When the client was told `text` first, in seconds after `start`.
    func moment(of text: String, to manager: ManagerID, after start: BootInstant) -> Double? {
        connections[manager]?.lines.first { "\($0.line)" == text }.map { ($0.at - start).seconds }
    }

    func sequences(_ manager: ManagerID) -> [UInt64] { connections[manager]?.standardSequences ?? [] }

    func finishes(_ manager: ManagerID) -> [FinishedDeferral] { connections[manager]?.finishes ?? [] }

    var wallTime: WallTime { WallTime(milliseconds: 1_800_000_000_000 + now.nanoseconds / 1_000_000) }

    // MARK: - What the shell does

    mutating func handle(_ event: Event) {
        buffer.removeAll()
        saidInTurn = []
        noteConsent(event)
        if isRecording { events.append((now, event)) }
        held.engine.handle(event, at: now, into: &buffer)
        endUses()
        var index = 0
        while index < buffer.effects.count {
            obey(buffer.effects[index], index)
            index += 1
        }
        if engine.turnsBack != 0 { violations.append("time went back") }
        checkOrder(of: event)
        checkReply(to: event)
        checkRepetition()
        if !isRestoring { checkUses() }
        if isRecording {
            recording.append("\(now.nanoseconds) " + buffer.text)
        }
    }

    private mutating func obey(_ effect: Effect, _ index: Int) {
        switch effect {
        case .recordFix: record()
        case .reply(let manager, let reply): say(manager, .reply(reply))
        case .deliver(let manager, let delivery):
            say(manager, .locations(resolve(delivery), delivery))
        case .fail(let manager, let code, let source, let request):
            say(manager, .fail(code, source: source, request: request))
        case .cancelRequest(let manager, let request, let cause): say(manager, .cancel(request: request, by: cause))
        case .finishDeferral(let manager, let finished): say(manager, .finish(finished))
        case .announceAuthorization(let manager, let initial):
            say(manager, .authorization(engine.authorization(of: manager), initial: initial))
        case .readLog(let manager, let after): readLog(manager, after: after, index)
        case .positionStandard(let manager, let sequence):
            let said = connections[manager]?.lines.count ?? 0
            connections[manager]?.position = (sequence, said)
            connections[manager]?.newestStandard = sequence
        case .discardUndelivered(let manager): connections[manager]?.outbox = []
        case .saveManager(let manager): saved[manager] = engine.record(of: manager)
        case .closeManager(let manager): closed.insert(manager)
        case .powerReceiver(let isOn):
            if isOn == isReceiverOn { violations.append("the receiver is switched \(isOn) twice at \(now)") }
            isReceiverOn = isOn
            powerSwitches.append((now, isOn))
        case .pause(let manager, let isPaused, let reason): say(manager, .pause(isPaused: isPaused, reason))
        case .liveUpdate(let manager, let element): say(manager, .live(element))
        case .rangingFailed(let manager, let index, let obstacle):
            say(manager, .rangingFailed(obstacle.code, buffer.ranged[index].constraint))
        case .rangedBeacons(let manager, let index):
            say(manager, .ranged(buffer.ranged[index].constraint, buffer.ranged[index].beacons))
        case .beaconsWanted(let manager): say(manager, .beaconsWanted(buffer.wantedBeacons))
        case .heading(let manager):
            if let heading = buffer.heading { say(manager, .heading(heading)) }
        case .sessionDiagnostic(let manager, let session, let flags): say(manager, .session(session, flags))
        case .temporaryFullAccuracy(let manager, let objection):
            say(manager, .temporaryFullAccuracy(objection.map { _ in .promptDeclined }))
        case .event(let manager, let index, let monitor):
            let line = Line.event(buffer.events[index], monitor: monitor)
            checkWaits(buffer.events[index], monitor, line, manager)
            // What is said to who is away waits; the shell keeps it until the manager is taken back or closed.
            guard connections[manager]?.isThere == true || monitor != 0 else {
                connections[manager]?.outbox.append(line)
                return
            }
            say(manager, line)
        case .regionState(let manager, let index, let state):
            say(manager, .regionState(buffer.regions[index].identifier, state))
        case .regionStarted(let manager, let index): say(manager, .regionStarted(buffer.regions[index].identifier))
        case .regionFailed(let manager, let index, let objection):
            say(manager, .regionFailed(buffer.regions[index].identifier, objection.code))
        case .raiseNotice(let app, let index): raised.append((app, buffer.events[index]))
        case .ask, .closeRequest, .saveConsent, .noteUse, .saveApp, .storeEvent, .forgetEvent, .saveRegion,
            .saveRegionState, .saveCondition, .wake, .saveStay:
            chores.append(effect)
            doChore(effect)
        }
    }

    private mutating func doChore(_ chore: Effect) {
        switch chore {
        case .ask(let number):
            if number <= newestPrompt { violations.append("the number \(number) is used again") }
            newestPrompt = max(newestPrompt, number)
            prompts[number] = engine.authorizationRequest(number)
        case .closeRequest(let number, _):
            if prompts.removeValue(forKey: number) == nil { violations.append("\(number) was not asked") }
        case .noteUse(let identity, let isUsing):
            if isUsing == using.contains(identity) { violations.append("use is told twice") }
            if isUsing { using.insert(identity) } else { using.remove(identity) }
        case .saveConsent(let identity):
            let (consent, isDecided) = engine.consent(of: identity)
            store.consents[identity] = isDecided ? consent : nil
        case .storeEvent(let app, let index):
            checkMayStore(app)
            store.events[app, default: []].append(buffer.events[index])
        case .saveRegion(let app, let index): store.keep(regionOf: app, buffer.regions[index].identifier, held.engine)
        case .wake(let app):
            checkMayStore(app)
            if connections.values.contains(where: { $0.isThere && $0.app == app }) {
                violations.append("wakes who is awake")
            }
        default: store.keep(chore, held.engine)
        }
    }

    private mutating func record() {
        guard let accepted = buffer.accepted else { return violations.append("nothing to record") }
        if let last = log.entries.last?.fix.location.sequence, accepted.location.sequence <= last {
            violations.append("sequence \(accepted.location.sequence) after \(last)")
        }
        log.append(accepted, at: now)
    }

    private mutating func readLog(_ manager: ManagerID, after: UInt64, _ index: Int) {
        for later in buffer.effects[(index + 1)...] where later.manager == manager {
            violations.append("\(later) follows readLog")
        }
        for entry in log.entries where entry.fix.location.sequence > after {
            held.engine.handle(.logRead(manager, entry.fix.location, entry.fix.flags), at: now, into: &buffer)
        }
    }

    private func resolve(_ delivery: Delivery) -> [UInt64] {
        guard delivery.first <= delivery.last else { return [] }
        return log.locations(delivery.first...delivery.last).map(\.sequence)
    }

    private mutating func say(_ manager: ManagerID, _ line: Line) {
        check(line, to: manager)
        saidInTurn.append((manager, line))
        connections[manager]?.lines.append((now, line))
    }
}

private final class HeldEngine {
    var engine: Engine

    init(_ engine: consuming Engine) { self.engine = engine }
}
