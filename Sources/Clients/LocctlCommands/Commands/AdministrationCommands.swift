// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

extension Session {
    /// The commands of admins and agents.
    func administer(_ action: Invocation.Action) throws(LocctlError) -> ExitCode {
        switch action {
        case .agent(let answer):
            var agent = Agent(session: self, answer: answer)
            return try agent.run()
        case .desktopAgent: throw DesktopAgent.run(address)
        case .requests:
            try printResult(of: .pendingRequests, on: try connect()) { (requests: [AuthorizationRequest]) in
                RequestText.list(requests, now: console.now, console.style)
            }
        case .answerRequest(let number, let answer):
            try order(decision: .answerRequest(request: number, answer), on: try connect())
        case .apps:
            let connection = try connect()
            try printResult(of: .apps, on: connection) { (apps: [AppStatus]) in
                AppTable.text(apps, now: console.now, console.style)
            }
            guard !json, let status = try? connection.status(.all) else { break }
            for note in [StatusText.switchedOff(status), StatusText.openness(status.gpsd)].compactMap({ $0 }) {
                console.print("\n" + console.style.wrapped(note.prefix(1).uppercased() + note.dropFirst()) + ".\n")
            }
        case .authorize(let decision): try order(decision: .authorize(decision), on: try connect())
        case .resetAuthorization(let app): try order(decision: .resetAuthorization(app: app), on: try connect())
        case .forget(let app):
            try printResult(of: .forgetApp(app: app), on: try connect()) { AppTable.forgotten($0) }
        case .services: try printServices()
        case .setServices(let isEnabled): try order(decision: .setLocationServicesEnabled(isEnabled), on: try connect())
        case .close(let number): try order(.closeConnection(number), on: try connect())
        case .reload: try reload()
        case .setPlace(let place): try order(.setPlace(place), on: try connect())
        case .clearPlace: try order(.clearPlace, on: try connect())
        case .events(let app):
            try printResult(of: .events(app: app), on: try connect()) { (events: [StoredEvent]) in
                self.text(events, of: app)
            }
        default: break
        }
        return .done
    }

    /// A configuration that cannot be used is refused; a manifest that cannot be used counts for nothing, which the status tells.
    private func reload() throws(LocctlError) {
        let connection = try connect()
        try order(.reload, on: connection)
        for problem in (try? connection.status(.all).daemon.stateProblems) ?? [] { console.tell(printable(problem)) }
    }

    private func printServices() throws(LocctlError) {
        let reply = try wholeStatus()
        let status = try asking { () throws(LocationClientError) in try reply.result(Status.self) }
        guard json else {
            let word = status.locationServicesEnabled ? "on" : "off"
            return console.print("location services are \(word)\n")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("enabled")
        writer.bool(status.locationServicesEnabled)
        writer.endObject()
        console.print(line: writer.bytes[...])
    }

    private func text(_ events: [StoredEvent], of app: String) -> String {
        guard !events.isEmpty else { return "nothing is kept for \(printable(app))\n" }
        return events.map { event in
            let lines = NotificationText.lines(event.notification, now: console.now, console.calendar, console.style)
            let label = event.label.map { " (\(printable($0)))" } ?? ""
            return "\(rightAligned("\(event.event)", 5))  \(lines.joined(separator: " "))\(label)\n"
        }
        .joined()
    }
}
