// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import LocationProtocol
package import TerminalScreen

/// Something that happened between two looks of `locctl top`, in a line for people.
package struct TopHappening: Sendable, Hashable {
    package var date: WallTime
    package var text: String
    package var tone: Screen.Tone

    /// All that happened from one look to the next, in the order in which a reader wants to hear it.
    static func between(_ former: TopReading, _ new: TopReading, except ownProcess: Int?) -> [TopHappening] {
        func happening(_ text: String, _ tone: Screen.Tone = .plain) -> TopHappening {
            TopHappening(date: new.date, text: text, tone: tone)
        }
        guard let now = new.status else {
            return former.status == nil ? [] : [happening("locationd is gone", .bad)]
        }
        // Events that are kept for apps may be older than the first look.
        guard let before = former.status else { return events(former, new) }
        var lines: [(String, Screen.Tone)] = []
        if now.daemon.pid != before.daemon.pid { lines.append(("locationd started anew", .caution)) }
        lines += device(before, now) + clients(before, now, except: ownProcess)
        if new.requests > former.requests { lines.append(("an app waits for a decision", .caution)) }
        return lines.map { happening($0.0, $0.1) } + events(former, new)
    }

    private static func device(_ before: Status, _ now: Status) -> [(String, Screen.Tone)] {
        var lines: [(String, Screen.Tone)] = []
        if now.locationServicesEnabled != before.locationServicesEnabled {
            lines.append(("location services were switched \(now.locationServicesEnabled ? "on" : "off")", .caution))
        }
        if now.gpsd.connected != before.gpsd.connected {
            lines.append(now.gpsd.connected ? ("gpsd is connected", .good) : ("gpsd is not connected", .bad))
        }
        if let power = now.power, let former = before.power, power.on != former.on {
            let reason = power.on || power.nextOn == nil ? printable(power.reason) : "until the next fix is due"
            lines.append(("the receiver went \(power.on ? "on" : "off"): \(reason)", .plain))
        }
        for receiver in now.receivers ?? [] {
            let former = before.receivers?.first { $0.path == receiver.path }
            if former == nil || former?.lost == true && !receiver.lost {
                lines.append(("receiver \(printable(receiver.path)) is there", .good))
            } else if receiver.lost, former?.lost == false {
                lines.append(("receiver \(printable(receiver.path)) is lost", .bad))
            } else if let former, Explanation.hasFix(former) != Explanation.hasFix(receiver) {
                lines.append(Explanation.hasFix(receiver) ? ("there is a fix", .good) : ("the fix is lost", .caution))
            }
        }
        if let device = now.device, let former = before.device, device.stationary != former.stationary {
            lines.append((device.stationary ? "the device rests" : "the device moves", .plain))
        }
        return lines
    }

    private static func clients(
        _ before: Status, _ now: Status, except ownProcess: Int?
    ) -> [(String, Screen.Tone)] {
        guard let former = before.managers, let managers = now.managers else { return [] }
        func others(_ all: [ManagerStatus]) -> [UInt64: ManagerStatus] {
            Dictionary(
                ClientSearch.shown(in: all, except: ownProcess).map { ($0.connection, $0) }, uniquingKeysWith: { $1 })
        }
        let (old, new) = (others(former), others(managers))
        var lines: [(String, Screen.Tone)] = []
        for (number, client) in new.sorted(by: { $0.key < $1.key }) {
            let name = "\(ClientTable.name(client)) #\(number)"
            let wishes = ClientTable.wishes(client)
            guard let earlier = old[number] else {
                lines.append(
                    ("\(name) came" + (wishes.isEmpty ? "" : " for \(wishes.joined(separator: ", "))"), .plain))
                continue
            }
            let formerWishes = ClientTable.wishes(earlier)
            for wish in wishes where !formerWishes.contains(wish) { lines.append(("\(name) asks for \(wish)", .plain)) }
            for wish in formerWishes where !wishes.contains(wish) {
                lines.append(("\(name) asks for \(wish) no longer", .plain))
            }
            if let deferral = earlier.deferral, client.deferral?.number != deferral.number {
                lines.append(("deferral \(deferral.number) of \(name) is over", .plain))
            }
        }
        for (number, client) in old.sorted(by: { $0.key < $1.key }) where new[number] == nil {
            lines.append(("\(ClientTable.name(client)) #\(number) went", .plain))
        }
        return lines
    }

    private static func events(_ former: TopReading, _ new: TopReading) -> [TopHappening] {
        new.events.sorted { $0.key < $1.key }.flatMap { app, events in
            let known = Set((former.events[app] ?? []).map(\.event))
            return events.filter { !known.contains($0.event) }.compactMap { event in
                words(event.notification).map {
                    TopHappening(date: event.date, text: "\(printable(app)): \($0)", tone: .accent)
                }
            }
        }.sorted { $0.date < $1.date }
    }

    /// nil: it is no event of a place.
    private static func words(_ notification: Notification) -> String? {
        switch notification {
        case .didEnterRegion(let crossing): "entered \(printable(crossing.region.identifier))"
        case .didExitRegion(let crossing): "left \(printable(crossing.region.identifier))"
        case .monitorEvent(let event): "\(printable(event.identifier)) is \(EventText.standing(event.content))"
        case .didVisit(let visit, _): visit.departure == nil ? "a visit began" : "a visit ended"
        case .didUpdateLocations: "a significant change"
        default: nil
        }
    }
}
