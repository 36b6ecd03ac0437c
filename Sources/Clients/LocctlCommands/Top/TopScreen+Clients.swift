// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import TerminalScreen

// The track, the receiver, and who asks for what.
extension TopScreen {
    func drawMiddle(into screen: inout Screen, _ row: Int, rows: Int) {
        let trackColumns = min(46, max(30, screen.columns * 3 / 8))
        rule(into: &screen, row - 1, 0, trackColumns - 1, "track of \(state.trackMinutes) min")
        TrackPlot(state.shownTrack, glyphs)
            .draw(into: &screen, row, 0, rows: rows, columns: trackColumns - 1)
        let column = trackColumns + 1
        let columns = screen.columns - column
        rule(into: &screen, row - 1, column, columns, "receiver, and who asks (* holds it)")
        let lines = receiverLines(columns) + clientLines(columns)
        for (index, line) in lines.prefix(rows).enumerated() {
            let isCut = index == rows - 1 && lines.count > rows
            let text = isCut ? "and \(Quantities.counted(lines.count - rows + 1, "more line")) (j)" : line.text
            screen.put(fitted(text, columns), row + index, column, isCut ? .aside : line.tone)
        }
    }

    typealias Line = (text: String, tone: Screen.Tone)

    /// On or off, why, and when it goes on next.
    private func receiverLines(_ columns: Int) -> [Line] {
        guard let status = state.reading.status else { return [] }
        guard let power = status.power else { return [("The receiver is not for this user to see.", .aside)] }
        let text = StatusText.policy(power, isGPSDConnected: status.gpsd.connected)
        let wrapped = Style(width: max(20, columns)).wrapped(text)
        return wrapped.split(separator: "\n").prefix(2).map { (String($0), power.on ? .good : .plain) }
    }

    /// A line for each client, and one below for what is held back for it.
    private func clientLines(_ columns: Int) -> [Line] {
        guard let status = state.reading.status else { return [] }
        guard status.managers != nil else { return [("Who asks is told to administrators.", .aside)] }
        let clients = state.clients
        guard !clients.isEmpty else { return [("Nobody asks.", .aside)] }
        let users = Set((status.power?.demands ?? []).compactMap(\.connection))
        var lines: [Line] = clients.dropFirst(state.firstClient).flatMap { client -> [Line] in
            [(text(of: client, holdsReceiver: users.contains(client.connection)), .plain)] + notes(of: client)
        }
        for demand in status.power?.demands ?? [] where demand.connection == nil {
            let app = printable(demand.app ?? "an app")
            lines.append(("*   - \(app): \(ClientTable.word(demand.service))", .plain))
        }
        return lines
    }

    private func text(of client: ManagerStatus, holdsReceiver: Bool) -> String {
        let wishes = ClientTable.wishes(client)
        let delivered = client.delivered.map { ", got \(Quantities.grouped($0))" } ?? ""
        let asks = wishes.isEmpty ? "nothing" : wishes.joined(separator: ", ")
        let accuracy = wishes.isEmpty ? "" : " (\(Quantities.accuracy(client.properties.desiredAccuracy)))"
        let number = rightAligned("\(client.connection)", 3)
        return "\(holdsReceiver ? "*" : " ") \(number) \(ClientTable.name(client)): \(asks)\(accuracy)\(delivered)"
    }

    private func notes(of client: ManagerStatus) -> [Line] {
        var notes: [Line] = []
        if let deferral = client.deferral {
            let held = Quantities.counted(deferral.held, "location")
            notes.append(("      holds \(held) \(StatusText.limits(of: deferral))", .aside))
        }
        for service in client.services where service.state != .running {
            notes.append(("      " + ClientTable.sentence(service), .caution))
        }
        if client.waitingToRejoin { notes.append(("      is gone, and may come back", .aside)) }
        if let lag = client.lag, lag.bytes > 0 {
            notes.append(("      does not read: \(Quantities.counted(lag.locations, "location")) wait", .caution))
        }
        return notes
    }
}
