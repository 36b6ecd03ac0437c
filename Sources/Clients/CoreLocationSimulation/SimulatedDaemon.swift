// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices

/// The daemon without its surroundings: the engine, one app's connections, and a log in memory.
///
/// A value, guarded as a whole by the transport: whoever has it has everything, and lines leave it in the order in
/// which they were decided.
struct SimulatedDaemon {
    /// One manager as the daemon knows it.
    struct Client {
        let id: ManagerID
        let app: AppID
        let label: String?
        let token: ManagerToken?
        /// nil while its connection is gone.
        var connection: SimulatedConnection?
        var usage = UsageDescriptions()
        /// It said `events: true`.
        var takesEvents = false
        /// The last standard location that was written to it.
        var delivered: UInt64 = 0
        /// Notification lines on this connection.
        var seq: UInt64 = 0
        /// What waits for its client to come back.
        var kept: [(line: [UInt8], kind: NotificationKind)] = []
    }

    /// The one identity, and the one person who decides about it.
    static let identity = IdentityID(rawValue: 0)

    var engine: Engine
    var clock: SimulatedClock
    var log = SimulatedLog()
    var diary: [CLSimulation.LogEntry] = []
    /// By the engine's number.
    var clients: [Client?] = []
    /// Connections that said nothing yet.
    var strangers: [SimulatedConnection] = []
    var appNumbers: [String?: AppID] = [:]
    var isRunning = true
    var isReceiverOn = false
    /// Where the device is.
    var lastFed: Location?
    /// The receiver finds a position.
    var hasSignal = true
    var requiresUsageDescriptions: Bool
    /// Lines to the app come so much later.
    var answerDelay = TimeSpan.zero
    /// When the last line that was held back comes.
    private var lastLineDue = BootInstant(nanoseconds: 0)
    /// Who wants to know when the daemon starts.
    var watchers: [UInt64: @Sendable () -> Void] = [:]
    /// Everything that came in or went out, counted: while it grows, something goes on.
    var activity: UInt64 = 0
    private var buffer = EffectBuffer()
    private var lastToken: UInt64 = 0

    init(
        startingAt date: WallTime, _ configuration: EngineConfiguration, consent: Consent?,
        requiresUsageDescriptions: Bool
    ) {
        clock = SimulatedClock(startingAt: date)
        engine = Engine(configuration: configuration, at: clock.now)
        self.requiresUsageDescriptions = requiresUsageDescriptions
        decide(
            .identityEntered(SimulatedDaemon.identity, decided: consent, policy: Consent(.undecided)))
    }

    /// The app of a label; the engine knows it from then on.
    mutating func app(labelled label: String?) -> AppID {
        if let app = appNumbers[label] { return app }
        let app = AppID(rawValue: Int32(appNumbers.count))
        appNumbers[label] = app
        decide(.appEntered(app, AppRecord(identity: SimulatedDaemon.identity)))
        return app
    }

    mutating func newToken() -> ManagerToken {
        lastToken += 1
        return ManagerToken(high: 0, low: lastToken)
    }

    // MARK: Events and effects

    /// Handles what happened now, and writes what came of it. Returns whether a fix was accepted.
    ///
    /// - Parameter request: What it is decided for; nil: no client asked.
    @discardableResult
    mutating func decide(_ event: Event, for request: (id: RequestID, call: Call)? = nil) -> Bool {
        activity += 1
        var buffer = EffectBuffer()
        swap(&buffer, &self.buffer)
        buffer.removeAll()
        engine.handle(event, at: clock.now, into: &buffer)
        if let accepted = buffer.accepted { log.append(accepted, capacity: engine.configuration.logCapacity) }
        var index = 0
        while index < buffer.effects.count {
            let effect = buffer.effects[index]
            if case .readLog(let id, let after) = effect {
                for fix in log.entries(after: after) {
                    engine.handle(.logRead(id, fix.location, fix.flags), at: clock.now, into: &buffer)
                }
            } else {
                obey(effect, buffer, request)
            }
            index += 1
        }
        let isAccepted = buffer.accepted != nil
        swap(&buffer, &self.buffer)
        return isAccepted
    }

    private mutating func obey(_ effect: Effect, _ buffer: EffectBuffer, _ request: (id: RequestID, call: Call)?) {
        switch effect {
        case .powerReceiver(let isOn):
            isReceiverOn = isOn
            note(.receiver, isOn ? "on" : "off")
        case .closeManager(let id): clients[Int(id.rawValue)] = nil
        case .recordFix, .readLog, .saveManager, .saveConsent, .noteUse, .saveApp, .storeEvent, .forgetEvent,
            .saveRegionState, .saveCondition, .saveStay, .ask, .closeRequest, .wake:
            // All that lasts is in the engine, which outlives even a simulated restart.
            break
        default:
            guard let id = effect.manager, clients[Int(id.rawValue)] != nil else { return }
            tell(id, effect, buffer, request)
        }
    }

    private mutating func tell(
        _ id: ManagerID, _ effect: Effect, _ buffer: EffectBuffer, _ request: (id: RequestID, call: Call)?
    ) {
        switch effect {
        case .reply(_, let reply):
            guard let request, let client = clients[Int(id.rawValue)] else { return }
            write(reply.line(to: request.id, request.call, of: id, client.app, engine), .reply, client.connection)
        case .deliver(_, let delivery): deliver(delivery, to: id)
        case .positionStandard(_, let sequence): clients[Int(id.rawValue)]?.delivered = sequence
        case .discardUndelivered: clients[Int(id.rawValue)]?.kept.removeAll { $0.kind.tellsPlace }
        case .liveUpdate(_, let element):
            let isReduced = element.flags.contains(.accuracyLimited)
            let location = element.sequence == 0 ? nil : log[element.sequence]
            notify(id, element.notification(isReduced ? location?.reducedView : location))
        case .event(_, let index, let monitor): tell(id, buffer.events[index], monitor: monitor)
        default:
            let notification = effect.notification(
                in: buffer, authorization: engine.authorization(of: id), asked: request?.call)
            if let notification { notify(id, notification) }
        }
    }

    private mutating func tell(_ id: ManagerID, _ event: AppEvent, monitor: UInt32) {
        guard let client = clients[Int(id.rawValue)],
            let line = NotificationWriter.line(of: event, monitor: monitor == 0 ? nil : UInt64(monitor))
        else { return }
        let isStored = client.takesEvents && engine.storesEvents(client.app)
        notify(id, (line, .place(survives: !isStored && monitor == 0)))
    }

    private mutating func deliver(_ delivery: Delivery, to id: ManagerID) {
        guard clients[Int(id.rawValue)]?.connection != nil else { return }
        let isReduced = delivery.flags.contains(.reduced)
        var rest = log.locations(delivery.first...delivery.last).map { isReduced ? $0.reducedView : $0 }[...]
        var attributes = UpdateAttributes(
            source: delivery.source, cached: delivery.flags.contains(.cached),
            deferral: delivery.deferral == 0 ? nil : UInt64(delivery.deferral), early: delivery.flags.contains(.early),
            gap: delivery.flags.contains(.gap), request: delivery.request == 0 ? nil : UInt64(delivery.request))
        while !rest.isEmpty {
            let (line, taken) = NotificationWriter.didUpdateLocations(attributes, rest)
            rest = rest.dropFirst(taken)
            attributes.gap = false
            notify(id, (line, .engineRepeats))
        }
        if delivery.source == .standard, !attributes.cached { clients[Int(id.rawValue)]?.delivered = delivery.last }
    }

    // MARK: Lines

    /// Writes a notification, or keeps it for the client's return.
    mutating func notify(_ id: ManagerID, _ notification: (line: [UInt8], kind: NotificationKind)) {
        guard var client = clients[Int(id.rawValue)] else { return }
        if client.connection == nil {
            if notification.kind.survives { client.kept.append(notification) }
            clients[Int(id.rawValue)] = client
            return
        }
        client.seq += 1
        clients[Int(id.rawValue)] = client
        var line = notification.line
        NotificationWriter.appendTail(client.seq, to: &line)
        write(line, .notification, client.connection)
    }

    /// Writes a line, which has an end that the transport's reader does not see.
    mutating func write(_ line: [UInt8], _ kind: CLSimulation.LogEntry.Kind, _ connection: SimulatedConnection?) {
        guard let connection else { return }
        activity += 1
        let bytes = Array(line.dropLast())
        note(kind, String(decoding: bytes, as: UTF8.self))
        let due = max(clock.now + answerDelay, lastLineDue)
        guard due > clock.now else { return connection.tell(.line(bytes)) }
        lastLineDue = due
        _ = clock.schedule(after: due - clock.now, on: connection.queue) { connection.hear(.line(bytes)) }
    }

    mutating func note(_ kind: CLSimulation.LogEntry.Kind, _ text: String) {
        diary.append(CLSimulation.LogEntry(date: clock.wallTime.date, kind: kind, text: text))
    }
}
