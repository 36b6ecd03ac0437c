// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocationTestSupport
import LocationUplink
import Testing

/// A daemon, a broker, a disk and a clock around one machine, all in simulated time and each of them to be killed at any moment.
struct UplinkWorld {
    /// A message that the broker has got.
    struct Arrival: Hashable {
        /// Which connection of the broker brought it.
        var connection: Int
        var topic: String
        var id: String
        /// The location; nil: it is none.
        var sequence: UInt64?
        var isRetained: Bool
    }

    var random: SplitMix64
    let options: UplinkOptions
    var machine: UplinkMachine
    var now = BootInstant(nanoseconds: 1_000_000_000_000)
    var disk: UplinkState?

    // The daemon.
    var log: [Location] = []
    var isDaemonRunning = true
    var isConnected = false
    var consent = AuthorizationStatus.authorizedAlways
    var storedEvents: [(number: UInt64, isInside: Bool)] = []
    var told: Set<UInt64> = []
    var acknowledged: Set<UInt64> = []
    private var lastSequence: UInt64 = 100
    private var lastEvent: UInt64 = 0
    /// Where the reader of the log stands; nil: there is none.
    private var reader: UInt64?
    private var isReading = true
    private var live: [Location] = []
    private var isHolding = false

    // The broker.
    var isBrokerRunning = true
    /// 1 and so on; nil: there is no connection.
    var connection: Int?
    var connections = 0
    var arrivals: [Arrival] = []
    var retained: String?
    private var arrived: (locations: Set<UInt64>, ids: Set<String>) = ([], [])
    private var isConnecting = false
    private var pending: [(token: UInt64, message: Message)] = []
    private var taken: [UInt64] = []
    /// What went wrong with a promise.
    var faults: [String] = []

    init(_ options: UplinkOptions, seed: UInt64) {
        self.options = options
        random = SplitMix64(seed: seed)
        machine = UplinkMachine(options)
    }

    // MARK: The machine

    private var moment: Moment { Moment(now: now, date: WallTime(milliseconds: now.nanoseconds / 1_000_000)) }

    mutating func send(_ event: UplinkEvent) {
        var events = [event]
        while !events.isEmpty {
            for effect in machine.handle(events.removeFirst(), at: moment) { obey(effect, &events) }
        }
    }

    private mutating func obey(_ effect: UplinkEffect, _ events: inout [UplinkEvent]) {
        switch effect {
        case .connectBroker:
            if connection != nil || isConnecting { faults.append("it connects twice") }
            isConnecting = true
        case .disconnectBroker: dropBroker()
        case .publish(let token, let message):
            if connection == nil { faults.append("it publishes without a connection") }
            pending.append((token, message))
            if pending.count + taken.count > options.carrier.window { faults.append("too many are in flight") }
        case .openLog(let sequence):
            if !isConnected { events.append(.readingFailed) } else { (reader, isReading) = (sequence, true) }
        case .setReading(let reading): isReading = reading
        case .closeLog: reader = nil
        case .fetchPage: events.append(.noHistory)
        case .askNewest: events.append(.newest(consent.isAuthorized && isConnected ? log.last : nil))
        case .deferUpdates: isHolding = true
        case .acknowledge(let number):
            if !arrived.ids.contains(options.writer.identifier(event: number)) {
                faults.append("event \(number) is acknowledged, and the broker has it not")
            }
            guard isConnected else { return }
            acknowledged.insert(number)
            storedEvents.removeAll { $0.number == number }
        case .reconnectDaemon:
            loseDaemon()
            connectDaemon()
        case .requestLocation, .say, .exit: break
        case .save(let state, _):
            let settled = state.settled
            for location in log.suffix(2000) where settled.contains(location.sequence) {
                if !isExcused(location.sequence), !arrived.locations.contains(location.sequence) {
                    faults.append("the disk says that the broker has \(location.sequence)")
                }
            }
            disk = state
        }
    }

    /// Locations that need not arrive.
    var excused: ClosedRange<UInt64> = 0...0
    private func isExcused(_ sequence: UInt64) -> Bool { excused.contains(sequence) || options.backlog == .drop }

    /// Starts the program anew, with what the disk has.
    mutating func restart() {
        dropBroker()
        loseDaemon(telling: false)
        machine = UplinkMachine(options)
        send(.started(disk))
        if isDaemonRunning { connectDaemon() }
    }

    // MARK: The daemon

    mutating func connectDaemon() {
        guard isDaemonRunning, !isConnected else { return }
        isConnected = true
        live = []
        isHolding = false
        told = []
        send(
            .daemonConnected(
                consent, consent.isAuthorized ? .full : nil, newest: consent.isAuthorized ? log.last : nil))
        tellEvents()
    }

    mutating func loseDaemon(telling: Bool = true) {
        guard isConnected else { return }
        isConnected = false
        reader = nil
        if telling { send(.daemonLost(reason: "killed")) }
    }

    /// The daemon accepts a fix; some numbers are never given.
    mutating func fix() {
        lastSequence += random.chance(0.1) ? UInt64(random.below(50)) + 2 : 1
        let time = WallTime(milliseconds: now.nanoseconds / 1_000_000)
        let location = Location(
            coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 5, timestamp: time,
            sequence: lastSequence)
        log.append(location)
        if isConnected { live.append(location) }
    }

    mutating func cross() {
        lastEvent += 1
        storedEvents.append((lastEvent, random.chance(0.5)))
        tellEvents()
    }

    private mutating func tellEvents() {
        for event in storedEvents where isConnected && !told.contains(event.number) {
            told.insert(event.number)
            let place = Coordinate(latitude: 1, longitude: 2)
            let location = Location(
                coordinate: place, horizontalAccuracy: 5, timestamp: WallTime(milliseconds: 1_700_000_000_000))
            let crossing = RegionCrossing(
                region: Region(identifier: "home", shape: .circle(center: place, radius: 100)), location: location,
                event: event.number)
            send(.crossed(crossing, isInside: event.isInside))
        }
    }

    /// The connection brings what came live.
    mutating func deliverLive() {
        guard isConnected, !live.isEmpty else { return }
        if isHolding {
            guard random.chance(0.2) else { return }
            isHolding = false
            send(.deferralFinished)
        }
        let update = LocationUpdate(locations: live, source: .standard)
        live = []
        send(.locations(update))
    }

    /// The reader brings a line.
    mutating func readOn() {
        guard let from = reader, isReading else { return }
        let rest = log[(log.lastIndex { $0.sequence <= from }.map { $0 + 1 } ?? 0)...]
        guard let last = rest.last else { return send(.readToEnd) }
        let line = Array(rest.prefix(random.below(170) + 1))
        reader = line.last?.sequence ?? last.sequence
        send(.read(line, hasGap: false))
    }

    // MARK: The broker

    private mutating func dropBroker() {
        isConnecting = false
        connection = nil
        // What was on the way may still arrive, unacknowledged.
        let arriving = pending.prefix(random.below(pending.count + 1))
        for (_, message) in arriving where isBrokerRunning { arrive(message) }
        pending = []
        taken = []
    }

    mutating func loseBroker() {
        guard connection != nil || isConnecting else { return }
        dropBroker()
        send(.brokerLost(BrokerTrouble("cannot go on: cut")))
    }

    mutating func answer() {
        guard isConnecting else { return }
        guard isBrokerRunning else { return loseBroker() }
        isConnecting = false
        connections += 1
        connection = connections
        send(.brokerConnected)
    }

    mutating func takeMessages() {
        guard isBrokerRunning, connection != nil, !pending.isEmpty else { return }
        for _ in 0..<random.below(pending.count) + 1 {
            let (token, message) = pending.removeFirst()
            arrive(message)
            taken.append(token)
        }
    }

    mutating func acknowledge() {
        guard isBrokerRunning, connection != nil, !taken.isEmpty else { return }
        for _ in 0..<random.below(taken.count) + 1 where !taken.isEmpty {
            send(.published(token: taken.removeFirst(), refusal: nil))
        }
    }

    private mutating func arrive(_ message: Message) {
        let json = try? JSON(parsing: String(decoding: message.payload, as: UTF8.self))
        let id = json?["_id"]?.string ?? ""
        if message.isRetained { retained = message.payload.isEmpty ? nil : id }
        let isLocation = json?["_type"]?.string == "location"
        arrived.ids.insert(id)
        if isLocation, let sequence = id.split(separator: "-").last.flatMap({ UInt64($0) }) {
            arrived.locations.insert(sequence)
        }
        arrivals.append(
            Arrival(
                connection: connection ?? connections, topic: message.topic, id: id,
                sequence: isLocation ? id.split(separator: "-").last.flatMap { UInt64($0) } : nil,
                isRetained: message.isRetained))
    }

    // MARK: Time

    mutating func pass(_ seconds: Double) {
        now = now + .seconds(seconds)
        if let wake = machine.nextWake, wake.latest <= now { send(.wake) }
    }

    /// Everything is well, and nothing more happens: until nothing waits.
    mutating func settle() throws {
        isBrokerRunning = true
        isDaemonRunning = true
        connectDaemon()
        for _ in 0..<20_000 {
            answer()
            readOn()
            deliverLive()
            takeMessages()
            acknowledge()
            pass(1)
            if machine.report.waiting == 0, machine.report.waitingEvents == 0, live.isEmpty, connection != nil {
                return
            }
        }
        throw TestFailure("cannot see that nothing waits: \(machine.report)")
    }
}
