// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import SystemSupport

// Messages to the broker, and its answers.
extension UplinkMachine {
    mutating func brokerConnected(_ moment: Moment) {
        link.connected(moment, isProven: options.carrier == .broker)
        controls = owedControls
        guard isAllowed else { return }
        controls += retractions(keeping: options.announcements.map(\.topic))
        announce()
        reader.wantsNewest = true
    }

    /// Tells those who look for devices of this one.
    mutating func announce() { controls += options.announcements.map(Control.announce) }

    /// Empty messages have the broker forget how the device is found, but for `topics`.
    func retractions(keeping topics: [String]) -> [Control] {
        (state.announced ?? []).filter { !topics.contains($0) }.map { topic in
            .announce(Message(topic: topic, payload: [], isRetained: true))
        }
    }

    private mutating func announced(_ message: Message) {
        var topics = (state.announced ?? []).filter { $0 != message.topic }
        if !message.payload.isEmpty { topics.append(message.topic) }
        let now = topics.isEmpty ? nil : topics
        guard now != state.announced else { return }
        state.announced = now
        saving.isUrgent = true
    }

    /// The connection is lost: messages in flight count as not taken, and go out again, in their turn.
    mutating func lose(_ trouble: BrokerTrouble, isHopeless: Bool = false, at now: BootInstant) {
        events.putBack(unacknowledgedEvents)
        doubt.end(isHopeless: isHopeless)
        inFlight.removeAll()
        controls.removeAll()
        ahead = nil
        newestOnTopic = max(state.newest, events.newest)
        queue.rewind()
        closeLog()
        link.lost(trouble, jitter: chance(), at: now)
        if link.told.isNew(trouble.reason) { effects.append(.say(trouble.reason)) }
    }

    // MARK: Acknowledgements

    mutating func acknowledged(_ token: UInt64, _ moment: Moment) {
        guard let flight = inFlight.removeValue(forKey: token) else { return }
        link.acknowledged(moment, isInFlight: !inFlight.isEmpty)
        leaveOut(doubt.taken())
        state.acknowledged = moment.date.milliseconds
        saving.isDirty = true
        switch flight {
        case .location(let sequence, let isMain):
            queue.settle(sequence)
            settled(sequence, isMain: isMain)
        case .event(let entry), .forgotten(let entry):
            if let event = entry.event { effects.append(.acknowledge(event: event)) }
            if let sequence = entry.sequence { settled(sequence, isMain: true) }
        case .control(.clear):
            state.retained = nil
            saving.isUrgent = true
        case .control(.announce(let message)): announced(message)
        case .control(.gone): break
        }
        if state.owesClearing { state.owesClearing = state.retained != nil || !isAllowed && state.announced != nil }
        if events.isEmpty, events.hasOverflown, !inFlight.values.contains(where: \.isEvent) {
            events.askedAgain()
            effects.append(.reconnectDaemon)
        }
    }

    private mutating func settled(_ sequence: UInt64, isMain: Bool) {
        state.sent += 1
        guard isMain else { return }
        state.newest = max(state.newest, sequence)
        guard options.carrier == .broker else { return }
        // A program that is killed now must know that there is something to clear.
        saving.isUrgent = saving.isUrgent || state.retained == nil
        state.retained = accuracy
    }

    // The broker does not want this message: to send it again at once would not help.
    mutating func refused(_ token: UInt64, _ reason: String, at now: BootInstant) {
        guard inFlight[token] != nil else { return }
        effects.append(.disconnectBroker)
        lose(BrokerTrouble("cannot publish: the broker refuses: \(reason)", isRefusal: true), at: now)
    }

    // The server does not take this one: if it takes others it is done with.
    mutating func unwanted(_ token: UInt64, _ reason: String, at now: BootInstant) {
        guard let flight = inFlight.removeValue(forKey: token) else { return }
        if let flights = doubt.unwanted(flight, reason) { return leaveOut(flights) }
        effects.append(.disconnectBroker)
        let words = "cannot send: \(reason), to \(Doubt.limit) messages in a row"
        lose(BrokerTrouble(words, isRefusal: true), isHopeless: true, at: now)
    }

    private mutating func leaveOut(_ flights: [Flight]) {
        for flight in flights {
            switch flight {
            case .location(let sequence, _): queue.settle(sequence)
            case .event(let entry), .forgotten(let entry):
                if let event = entry.event { effects.append(.acknowledge(event: event)) }
            case .control: continue
            }
            state.refused = (state.refused ?? 0) + 1
            saving.isDirty = true
            // Seldom enough for a journal, however many they become.
            guard let count = state.refused, count.nonzeroBitCount == 1 else { continue }
            effects.append(
                .say("\(count) messages in all are left out: \(doubt.reason), and takes others"))
        }
    }

    // MARK: Sending

    /// Hands over what may be in flight: first what is owed, then events, then the newest location, then the others in order.
    mutating func pump(_ moment: Moment) {
        guard link.isConnected else { return }
        while inFlight.count < options.carrier.window, let (flight, message) = next(moment) {
            if inFlight.isEmpty { link.progress = moment.now }
            let token = nextToken()
            inFlight[token] = flight
            effects.append(.publish(token: token, message))
        }
    }

    private mutating func next(_ moment: Moment) -> (Flight, Message)? {
        if !controls.isEmpty {
            let control = controls.removeFirst()
            return (.control(control), message(of: control, moment))
        }
        guard isAllowed else { return nil }
        // Else twenty events that a server does not take would keep every location from it.
        if doubt.isUnproven, let location = nextLocation(moment) { return location }
        if let entry = events.removeFirst() { return (.event(entry), entry.message) }
        return nextLocation(moment)
    }

    private mutating func nextLocation(_ moment: Moment) -> (Flight, Message)? {
        if let newest = ahead {
            ahead = nil
            if newest.sequence > newestOnTopic { return sending(newest, isMain: true, isLast: true, moment) }
        }
        while let location = queue.removeFirst() {
            // It went ahead.
            if queue.settled.contains(location.sequence) { continue }
            if isOnItsWay({ $0.isLocation(location.sequence) }) { continue }
            // A location that is older than the newest on the topic is late.
            let isMain = options.backlog == .same || location.sequence > newestOnTopic
            guard isMain || options.backlog == .topic else {
                queue.settle(location.sequence)
                state.leftOut += 1
                saving.isDirty = true
                continue
            }
            // Only what nothing newer follows is retained: else the broker would write each to its disk.
            return sending(location, isMain: isMain, isLast: queue.first == nil, moment)
        }
        return nil
    }

    private mutating func sending(
        _ location: Location, isMain: Bool, isLast: Bool, _ moment: Moment
    ) -> (Flight, Message) {
        let isNewest = location.sequence > newestOnTopic
        if isNewest { newestOnTopic = location.sequence }
        // In which regions the device was when a late location was taken, nobody knows any more.
        let circumstances = OwnTracks.Circumstances(made: moment.date, regions: isNewest ? inside.sorted() : nil)
        let payload = options.writer.location(
            location, id: options.writer.identifier(location.sequence, generation: state.generation), circumstances)
        let topics = options.topics
        return (
            .location(location.sequence, isMain: isMain),
            Message(
                topic: isMain ? topics.location : topics.backlog, payload: payload,
                isRetained: isNewest && isLast)
        )
    }

    private func message(of control: Control, _ moment: Moment) -> Message {
        switch control {
        case .clear: Message(topic: options.topics.location, payload: [], isRetained: true)
        case .gone:
            Message(
                topic: options.topics.lastWill,
                payload: OwnTracks.lastWill(connected: link.connectedSince ?? moment.date))
        case .announce(let message): message
        }
    }
}

extension UplinkMachine.Flight {
    fileprivate var isEvent: Bool { if case .event = self { true } else { false } }

    /// Whether it is the daemon's event of this number.
    func isEvent(_ number: UInt64) -> Bool {
        switch self {
        case .event(let entry), .forgotten(let entry): entry.event == number
        case .location, .control: false
        }
    }

    /// Whether it stays at the broker on the location's topic, or may.
    var isRetained: Bool {
        switch self {
        case .location(_, let isMain): isMain
        case .event(let entry), .forgotten(let entry): entry.message.isRetained
        case .control: false
        }
    }

    fileprivate func isLocation(_ sequence: UInt64) -> Bool {
        if case .location(sequence, _) = self { true } else { false }
    }
}
