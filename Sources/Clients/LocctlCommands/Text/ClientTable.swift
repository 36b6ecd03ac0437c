// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// The clients in `locctl status`: a line each, and below it what is out of the ordinary.
enum ClientTable {
    static func lines(_ clients: [ManagerStatus], _ style: Style) -> [String] {
        let nameWidth = max(10, style.width - 63)
        let header = row(
            "#", "client", "process", "asks for", "accuracy", "delivered", "filtered", nameWidth: nameWidth)
        return [style.paint(header, .heading)]
            + clients.flatMap { client in
                lines(client, nameWidth)
                    + notes(client).map { note in
                        style.paint(style.wrapped(note, behind: "        "), .aside)
                    }
            }
    }

    /// The table names a client by its unit or application, else by its user: a client may call itself by another's name.
    static func name(_ client: ManagerStatus) -> String {
        let word = client.identity.split(separator: " ").first.map(String.init) ?? client.identity
        for kind in ["unit:", "app:"] where word.hasPrefix(kind) {
            return printable(String(word.dropFirst(kind.count)))
        }
        return shown(client.identity, user: client.user)
    }

    /// The same with what it calls itself and the number of its connection.
    static func fullName(_ client: ManagerStatus) -> String {
        let claim = client.app.map { "calls itself \(claimed($0)), " } ?? ""
        return "\(name(client)) (\(claim)connection \(client.connection))"
    }

    static func word(_ service: ServiceName) -> String {
        switch service {
        case .standard: "standard"
        case .significantChange: "significant"
        case .request: "one location"
        case .heading, .ranging, .visits, .regions, .monitors: service.rawValue
        case .liveUpdates: "live updates"
        }
    }

    // `live updates are denied`: all but the one location are several.
    static func sentence(_ service: ManagerStatus.Service) -> String {
        let isOne = service.service == .request
        let subject =
            switch service.service {
            case .standard: "standard updates"
            case .significantChange: "significant changes"
            case .heading: "headings"
            case .ranging: "ranged beacons"
            case .request, .visits, .regions, .monitors, .liveUpdates: word(service.service)
            }
        let verb = isOne ? "is" : "are"
        let state =
            switch service.state {
            case .running: isOne ? "runs" : "run"
            case .waitingForAuthorization: isOne ? "waits for a decision" : "wait for a decision"
            case .denied: "\(verb) denied"
            case .ignored: "\(verb) ignored"
            case .unavailable: "\(verb) not available"
            case .prompted: "\(verb) asked about"
            case .alreadyDetermined: "\(verb) decided already"
            }
        return "\(subject) \(state)"
    }

    // A text that is too long for its column stands below, whole.
    private static func lines(_ client: ManagerStatus, _ nameWidth: Int) -> [String] {
        let name = name(client)
        let wishes = wishes(client)
        let filtered = client.filtered.map { $0.values.reduce(0, +) }
        let row = row(
            "\(client.connection)", name.count <= nameWidth ? name : "",
            client.pid.flatMap { $0 > 0 ? "\($0)" : nil } ?? "-",
            wishes.count == 1 ? wishes[0] : wishes.isEmpty ? "nothing" : "\(wishes.count) services",
            shortened(Quantities.accuracy(client.properties.desiredAccuracy), to: 13),
            client.delivered.map { Quantities.grouped($0) } ?? "-",
            filtered.map { Quantities.grouped($0) } ?? "-", nameWidth: nameWidth)
        return [row] + (name.count <= nameWidth ? [] : ["      \(name)"])
    }

    static func wishes(_ client: ManagerStatus) -> [String] {
        var services = client.services.map(\.service)
        if client.request != nil { services.append(.request) }
        return services.map { word($0) }
    }

    private static func row(
        _ number: String, _ name: String, _ process: String, _ wishes: String, _ accuracy: String,
        _ delivered: String, _ filtered: String, nameWidth: Int
    ) -> String {
        [
            rightAligned(number, 5), leftAligned(name, nameWidth), rightAligned(process, 7), leftAligned(wishes, 14),
            leftAligned(accuracy, 13), rightAligned(delivered, 9), rightAligned(filtered, 8),
        ].joined(separator: " ")
    }

    private static func notes(_ client: ManagerStatus) -> [String] {
        var notes: [String] = []
        let identity = shown(client.identity, user: client.user)
        if name(client) != identity { notes.append(identity) }
        if let app = client.app { notes.append("calls itself \(claimed(app))") }
        let wishes = wishes(client)
        if wishes.count > 1 { notes.append("asks for \(wishes.joined(separator: ", "))") }
        for service in client.services where service.state != .running {
            let reason = service.reason.map { ": " + printable($0) } ?? ""
            notes.append(sentence(service) + reason)
        }
        if client.services.isEmpty, !isAuthorized(client) { notes.append(AppTable.word(client.authorizationStatus)) }
        if client.accuracyAuthorization == .reduced { notes.append("sees only the reduced view") }
        if client.waitingToRejoin { notes.append("its connection is gone; it may come back and go on") }
        let filter = client.properties.distanceFilter
        if filter > 0 { notes.append("distanceFilter \(Quantities.distance(filter))") }
        if let deferral = client.deferral {
            notes.append(
                "deferral \(deferral.number) holds \(Quantities.counted(deferral.held, "location")) "
                    + StatusText.limits(of: deferral))
        }
        if let request = client.request {
            notes.append("waits at most \(Quantities.time(request.timeLeft)) for one location")
        }
        if let wanted = client.beaconsWanted { notes.append("hears beacons: " + words(wanted)) }
        if let lag = client.lag, lag.bytes > 0 {
            notes.append(
                "does not read: \(Quantities.counted(lag.locations, "location")) (\(Quantities.bytes(lag.bytes))) wait")
        }
        if let dropped = client.dropped, dropped > 0 {
            notes.append("\(Quantities.counted(dropped, "location")) lost because it was slow")
        }
        return notes
    }

    private static func words(_ wanted: WantedBeacons) -> String {
        guard !wanted.isEmpty else { return "nobody wants any" }
        let which = wanted.any ? "all" : "those of " + wanted.uuids.map { printable($0) }.joined(separator: ", ")
        return "\(which) are \(wanted.onlyMonitored ? "monitored" : "ranged")"
    }

    private static func isAuthorized(_ client: ManagerStatus) -> Bool {
        [.authorizedAlways, .authorizedWhenInUse].contains(client.authorizationStatus)
    }
}
