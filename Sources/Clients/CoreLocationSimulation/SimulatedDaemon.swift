// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices
import SystemSupport

/// The daemon without its surroundings: the service that clients get on a device, one app's connections, and a user who is there to be
/// asked. The transport guards it as a whole: lines leave it in the order in which they were decided.
final class SimulatedDaemon {
    /// The one identity, about which the user decides.
    static let app = PeerIdentity(uid: 1000, name: "simulation")

    let service: LocationService
    let memory: ServiceMemory
    /// The service's number of `app`.
    let identity: IdentityID
    var clock: SimulatedClock
    var diary: [CLSimulation.LogEntry] = []
    /// In the order in which they came.
    var connections: [(connection: SimulatedConnection, manager: ClientManager)] = []
    var isRunning = true
    var isReceiverOn = false
    /// Where the device is.
    var lastFed: Location?
    /// The receiver finds a position.
    var hasSignal = true
    /// Bluetooth is on.
    var hearsBeacons = true
    /// Lines to the app come so much later.
    var answerDelay = TimeSpan.zero
    /// When the last line that was held back comes.
    private var lastLineDue = BootInstant(nanoseconds: 0)
    /// Handlers that are called when the daemon starts, by the numbers of their watches.
    var watchers: [UInt64: @Sendable () -> Void] = [:]
    /// Everything that came in or went out, counted: while it grows, something goes on.
    var activity: UInt64 = 0
    private var lastToken: UInt64 = 0
    private let screen = Screen()
    /// Notices of regions that the user was shown, oldest first.
    var shownNotices: [RaisedNotice] { screen.notices }

    init(
        startingAt date: WallTime, _ configuration: EngineConfiguration, consent: Consent?,
        requiresUsageDescriptions: Bool
    ) {
        let clock = SimulatedClock(startingAt: date)
        var settings = ServiceSettings()
        settings.requiresUsageDescriptions = requiresUsageDescriptions
        memory = ServiceMemory(logCapacity: configuration.logCapacity)
        service = LocationService(
            settings, engine: Engine(configuration: configuration, at: clock.now), last: nil,
            keeper: memory, records: MemoryRecords(),
            journal: Journal(level: .error) { _, _, _ in })
        self.clock = clock
        // Only the user decides, and this machine's users have nothing to do with it.
        var rules = AuthorizationRules()
        rules.always = AuthorizationRules.Subjects()
        service.rules.take(rules, ManifestDirectory(), service.journal.unlimited)
        service.rules.userNames.ask = { _ in nil }
        if let consent {
            service.consents[SimulatedDaemon.app] = ConsentBook.Entry(
                consent: consent, decidedBy: "the user", decidedAt: date)
        }
        service.host.date = { date }
        identity = service.enter(SimulatedDaemon.app, nil, at: clock.now)
        // An administrator may always answer.
        let agent = service.openManager(peer: .user, channel: screen)
        try? service.prompts.register(agent)
        try? service.prompts.takeNotices(agent)
        connectParts()
        handle(.deviceHears(hearsBeacons))
    }

    private func connectParts() {
        service.host.date = { [unowned self] in clock.wallTime }
        service.host.makeToken = { [unowned self] in
            lastToken += 1
            return ManagerToken(high: 0, low: lastToken)
        }
        service.host.powerReceiver = { [unowned self] isOn, _ in
            isReceiverOn = isOn
            note(.receiver, isOn ? "on" : "off")
        }
        service.host.surroundings = {
            var around = StatusSurroundings()
            around.gpsd = GPSDStatus(connected: true)
            return around
        }
    }

    // MARK: Events

    /// Handles what happened now, and writes what came of it. Returns whether a fix was accepted.
    @discardableResult
    func handle(_ event: Event) -> Bool {
        activity += 1
        let newest = service.engine.newestSequence
        service.handle(event, at: clock.now)
        return service.engine.newestSequence > newest
    }

    /// Tells a client something that the engine has not decided.
    func tell(_ manager: ClientManager, _ line: [UInt8]) {
        manager.outbox.notify(line, .kept)
        service.markDirty(manager)
        service.flush()
    }

    // MARK: Lines

    /// Hands a line to the app: at once, or later where answers are late.
    func write(_ line: UnsafeRawBufferPointer, to connection: SimulatedConnection) {
        activity += 1
        // The transport's reader sees no line feed.
        let bytes = Array(line.dropLast())
        let isNotification = line.dropFirst(#"{"jsonrpc":"2.0","#.utf8.count).starts(with: #""method""#.utf8)
        note(isNotification ? .notification : .reply, String(decoding: bytes, as: UTF8.self))
        let due = max(clock.now + answerDelay, lastLineDue)
        guard due > clock.now else { return connection.tell(.line(bytes)) }
        lastLineDue = due
        _ = clock.schedule(after: due - clock.now, on: connection.queue) { connection.hear(.line(bytes)) }
    }

    func note(_ kind: CLSimulation.LogEntry.Kind, _ text: String) {
        diary.append(CLSimulation.LogEntry(date: clock.wallTime.date, kind: kind, text: text))
    }
}

/// One connection's end at the daemon, which always has room.
final class SimulatedChannel: Channel {
    private unowned let daemon: SimulatedDaemon
    private let connection: SimulatedConnection

    init(_ daemon: SimulatedDaemon, _ connection: SimulatedConnection) {
        (self.daemon, self.connection) = (daemon, connection)
    }

    /// An outbox writes whole lines.
    func write(_ bytes: UnsafeRawBufferPointer) -> ChannelWritten {
        daemon.write(bytes, to: connection)
        return .bytes(bytes.count)
    }
}

/// The user's screen: `CLSimulation.pendingPrompts` says what is asked on it.
private final class Screen: Channel {
    private(set) var notices: [RaisedNotice] = []

    func write(_ bytes: UnsafeRawBufferPointer) -> ChannelWritten {
        for line in Array(bytes).split(separator: UInt8(ascii: "\n")) {
            guard case .notification(.noticeRaised(let notice), _)? = try? ServerMessage.decode(Array(line)) else {
                continue
            }
            notices.append(notice)
        }
        return .bytes(bytes.count)
    }
}

extension Peer {
    /// A process of the app.
    static var app: Peer {
        Peer(
            pid: 0, uid: SimulatedDaemon.app.uid, controlGroup: { nil }, isMember: { _ in false }, isAdmin: { false })
    }

    /// The user's agent.
    fileprivate static var user: Peer {
        Peer(
            pid: 0, uid: SimulatedDaemon.app.uid, controlGroup: { nil }, isMember: { _ in false }, isAdmin: { true })
    }
}
