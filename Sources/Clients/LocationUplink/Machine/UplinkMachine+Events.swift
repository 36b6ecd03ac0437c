// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

// Events of the device, which the daemon keeps until the broker has them.
extension UplinkMachine {
    mutating func crossed(_ crossing: RegionCrossing, isInside: Bool, _ moment: Moment) {
        let name = crossing.region.identifier
        if isInside { inside.insert(name) } else { inside.remove(name) }
        guard isAllowed else { return }
        guard let place = crossing.location else {
            // A place and a time for it would be made up.
            effects.append(.say("cannot tell that the border of \(name) was crossed: locationd does not say where"))
            if let event = crossing.event { effects.append(.acknowledge(event: event)) }
            return
        }
        let since = state.regions[name].map { WallTime(milliseconds: $0.since) } ?? moment.date
        let payload = options.writer.transition(
            into: isInside, region: name, since: since, at: place,
            id: identifier(crossing.event, moment), made: moment.date)
        add(Message(topic: options.topics.event, payload: payload), event: crossing.event)
    }

    mutating func visited(_ visit: Visit, _ event: UInt64?, _ moment: Moment) {
        guard isAllowed else { return }
        guard options.mode != .manual,
            let payload = options.writer.visit(visit, id: identifier(event, moment), made: moment.date)
        else {
            if let event { effects.append(.acknowledge(event: event)) }
            return
        }
        // Not retained: it tells of an earlier time than the location that the broker has.
        add(Message(topic: options.topics.location, payload: payload), event: event)
    }

    // An event that the daemon does not keep is told once, so the moment names it.
    private func identifier(_ event: UInt64?, _ moment: Moment) -> String {
        options.writer.identifier(
            event: event ?? UInt64(max(moment.date.milliseconds, 0)), generation: state.generation)
    }

    private mutating func add(_ message: Message, event: UInt64?) {
        _ = hold(EventBox.Entry(message: message, event: event, sequence: nil))
    }

    /// False: there is no room, or it is on its way already.
    mutating func hold(_ entry: EventBox.Entry) -> Bool {
        if let event = entry.event, isOnItsWay({ $0.isEvent(event) }) { return false }
        var entry = entry
        entry.accuracy = accuracy
        guard events.add(entry) else { return false }
        guard entry.event == nil else { return true }
        saving.isDirty = true
        saving.isUrgent = true
        let lost = events.takeLost()
        if lost > 0 {
            state.lost += lost
            effects.append(.say("\(lost) messages are lost: \(events.ownCount) wait already"))
        }
        return true
    }

    /// The broker has not acknowledged these, which were sent in this order.
    var unacknowledgedEvents: [EventBox.Entry] {
        (doubt.flights + inFlight.sorted { $0.key < $1.key }.map(\.value)).compactMap { flight in
            if case .event(let entry) = flight { entry } else { nil }
        }
    }

    /// Whether such a one was sent and is not acknowledged.
    func isOnItsWay(_ isSuch: (Flight) -> Bool) -> Bool {
        inFlight.values.contains(where: isSuch) || doubt.flights.contains(where: isSuch)
    }

    /// The broker has not acknowledged these, and nobody else keeps them; oldest first.
    var keptMessages: [UplinkState.KeptMessage] {
        (unacknowledgedEvents + events.entries).filter { $0.event == nil }.map { entry in
            UplinkState.KeptMessage(
                isEvent: entry.message.topic == options.topics.event,
                payload: String(decoding: entry.message.payload, as: UTF8.self), sequence: entry.sequence,
                accuracy: entry.accuracy)
        }
    }

    /// Takes up what a former process had not delivered.
    mutating func takeUp(_ kept: [UplinkState.KeptMessage]) {
        for message in kept {
            let topic = message.isEvent ? options.topics.event : options.topics.location
            // An older location does not take the place of the one that the broker retains.
            let isRetained = message.sequence.map { $0 >= state.newest } ?? false
            _ = events.add(
                EventBox.Entry(
                    message: Message(topic: topic, payload: Array(message.payload.utf8), isRetained: isRetained),
                    event: nil, sequence: message.sequence, accuracy: message.accuracy ?? .full))
        }
        newestOnTopic = max(newestOnTopic, events.newest)
    }
}
