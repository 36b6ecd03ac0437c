// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

// What happens to the device: the daemon keeps it until the broker has it.
extension UplinkMachine {
    mutating func crossed(_ crossing: RegionCrossing, isInside: Bool, _ moment: Moment) {
        let name = crossing.region.identifier
        if isInside { inside.insert(name) } else { inside.remove(name) }
        guard isAllowed else { return }
        guard let place = crossing.location ?? UplinkMachine.middle(of: crossing.region, moment) else {
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
        options.writer.identifier(event: event ?? UInt64(max(moment.date.milliseconds, 0)))
    }

    private mutating func add(_ message: Message, event: UInt64?) {
        _ = hold(EventBox.Entry(message: message, event: event, sequence: nil))
    }

    /// False: there is no room, or it is on its way already.
    mutating func hold(_ entry: EventBox.Entry) -> Bool {
        if let event = entry.event, inFlight.values.contains(where: { $0.isEvent(event) }) { return false }
        return events.add(entry)
    }

    /// Where a crossing happened of which no fix is told: somewhere at the border of the circle.
    private static func middle(of region: Region, _ moment: Moment) -> Location? {
        guard case .circle(let center, let radius) = region.shape, radius > 0 else { return nil }
        return Location(coordinate: center, horizontalAccuracy: radius, timestamp: moment.date)
    }
}
