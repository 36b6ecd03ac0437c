// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

/// A client of the daemon that keeps a transcript of all that it was sent, and checks what holds for every line.
final class DaemonClient {
    /// The socket, for tests of the transport.
    let connection: JSONLineConnection
    /// Notifications in the order of their arrival.
    private(set) var notifications: [JSON] = []
    /// Every line in a word or two, in the order of arrival: see `label`.
    private(set) var transcript: [String] = []
    private var methods: [Int: String] = [:]
    private var replies: [Int: JSON] = [:]
    private var lastID = 0
    private var readUpTo = 0
    private var tracedUpTo = 0
    private var heardOf: [String: Int] = [:]

    /// Connects, as the user `uid` if that is given.
    init(path: String, uid: UInt32 = getuid(), gid: UInt32? = nil) throws {
        connection = try OtherUser.run(as: uid, group: gid) { try JSONLineConnection(path: path) }
    }

    // MARK: Asking

    /// A request line; returns its id.
    @discardableResult
    func send(_ method: String, _ params: String? = nil) throws -> Int {
        let (id, line) = request(method, params)
        try connection.send(line)
        return id
    }

    /// A request line that is not sent yet, and its id.
    func request(_ method: String, _ params: String? = nil) -> (id: Int, line: String) {
        lastID += 1
        methods[lastID] = method
        let members = params.map { #","params":\#($0)"# } ?? ""
        return (lastID, #"{"jsonrpc":"2.0","id":\#(lastID),"method":"\#(method)"\#(members)}"#)
    }

    /// Waits for the whole reply to a request.
    func reply(to id: Int) throws -> JSON {
        while replies[id] == nil { try receive() }
        return replies[id] ?? .null
    }

    /// Whether a result has come; does not wait.
    func hasReply(to id: Int) -> Bool { replies[id]?["result"] != nil }

    /// Asks, and returns the result; a refusal is an error.
    @discardableResult
    func call(_ method: String, _ params: String? = nil) throws -> JSON {
        let reply = try reply(to: try send(method, params))
        guard let result = reply["result"] else { throw TestFailure("cannot \(method): it was refused: \(reply)") }
        return result
    }

    /// Asks, and returns the refusal's code, name and message.
    func refusal(_ method: String, _ params: String? = nil) throws -> (code: Int, name: String, message: String) {
        let reply = try reply(to: try send(method, params))
        guard let error = reply["error"] else { throw TestFailure("cannot see a refusal of \(method): \(reply)") }
        return (error["code"]?.int ?? 0, error["data"]?["name"]?.string ?? "", error["message"]?.string ?? "")
    }

    // MARK: Hearing

    /// The next notification that was not handed out yet.
    func next() throws -> JSON {
        while readUpTo == notifications.count { try receive() }
        readUpTo += 1
        return notifications[readUpTo - 1]
    }

    /// Reads until a line has this label; those before it stay in the transcript.
    func wait(for label: String) throws {
        try wait("a line \"\(label)\"") { transcript[tracedUpTo...].contains(label) }
    }

    /// Reads lines until a fact holds.
    func wait(_ what: String, until condition: () -> Bool) throws {
        let deadline = Deadline.within(patience)
        while !condition() {
            do {
                try receive(within: Double(deadline.milliseconds) / 1000)
            } catch {
                throw TestFailure("cannot see \(what): \(error); the transcript ends \(transcript.suffix(12))")
            }
        }
    }

    /// Reads until so many standard locations came, the cached ones not counted.
    func waitForStandard(_ count: Int) throws {
        try wait("\(count) standard locations, only \(sequences.count)") { sequences.count >= count }
    }

    /// The `params` of all notifications of a method so far, in order.
    func heard(_ method: String) -> [JSON] {
        notifications.filter { $0["method"]?.string == method }.map { $0["params"] ?? .null }
    }

    /// Waits for a notification of a method that was not waited for yet, and returns its `params`.
    @discardableResult
    func hear(_ method: String) throws -> JSON {
        let number = heardOf[method, default: 0]
        try wait("\(method) number \(number + 1)") { heard(method).count > number }
        heardOf[method] = number + 1
        return heard(method)[number]
    }

    /// The numbers of all stored events that were told so far, in the order of their arrival.
    var events: [Int] { notifications.compactMap { $0["params"]?["event"]?.int } }

    /// Waits until the daemon has dealt with all that was sent, and takes in all that it had sent until then.
    ///
    /// This is a request: it confirms finishes.
    func settle() throws {
        let id = try send("getProperties")
        methods[id] = nil
        _ = try reply(to: id)
    }

    /// Takes in what has arrived, without waiting.
    func readAvailable() throws { for line in connection.linesSoFar() { try take(line) } }

    /// Reads until the daemon closes.
    func readToEnd() throws { for line in try connection.remainingLines() { try take(line) } }

    /// The labels of all lines since the last call.
    func trace() -> [String] {
        defer { tracedUpTo = transcript.count }
        return Array(transcript[tracedUpTo...])
    }

    func close() { connection.close() }

    /// The sequences of all standard locations that came, the cached ones excepted.
    private(set) var sequences: [Int] = []
    /// Their times.
    private(set) var times: [String] = []

    // MARK: Lines

    func receive(within seconds: Double = patience) throws { try take(try connection.nextLine(within: seconds)) }

    private func take(_ line: String) throws {
        let message = try JSON(parsing: line)
        #expect(message["jsonrpc"]?.string == "2.0", "\(line)")
        #expect(!line.hasSuffix("\r"))
        guard let method = message["method"]?.string else { return takeReply(message) }
        #expect(line.utf8.count < 60 * 1024, "a notification of \(line.utf8.count) bytes")
        let params = message["params"] ?? .null
        notifications.append(message)
        #expect(params["seq"]?.int == notifications.count, "\(line)")
        if method == "didUpdateLocations" { takeLocations(params) }
        transcript.append(DaemonClient.label(method, params))
    }

    private func takeReply(_ message: JSON) {
        guard let id = message["id"]?.int else {
            transcript.append("-> refused \(message["error"]?["code"]?.int ?? 0)")
            return
        }
        replies[id] = message
        guard let method = methods[id] else { return }
        if let error = message["error"] {
            transcript.append("-> \(method) \(error["code"]?.int ?? 0)")
        } else if let state = message["result"]?["state"]?.string {
            transcript.append("-> \(method) \(state)")
        } else {
            transcript.append("-> \(method)")
        }
    }

    private func takeLocations(_ params: JSON) {
        let locations = params["locations"]?.array ?? []
        #expect(!locations.isEmpty, "a notification without a location")
        let isStream = params["source"]?.string == "standard" && params["cached"] == nil
        if !isStream { #expect(locations.count == 1) }
        for location in locations {
            #expect((location["horizontalAccuracy"]?.double ?? 0) > 0)
            guard isStream else { continue }
            sequences.append(location["sequence"]?.int ?? -1)
            times.append(location["timestamp"]?.string ?? "")
        }
    }

    /// `standard 3 deferral=1`, `finish 1 15`, `fail 0 standard`, `cancel 1 by stopUpdatingLocation`, `authorization denied full`;
    /// replies are `-> method state` or `-> method code`.
    private static func label(_ method: String, _ params: JSON) -> String {
        func word(_ name: String) -> String { params[name]?.string ?? "null" }
        func number(_ name: String) -> String { params[name]?.int.map(String.init) ?? "null" }
        switch method {
        case "didUpdateLocations":
            var text = "\(word("source")) \(params["locations"]?.array?.count ?? 0)"
            for flag in ["cached", "early", "more", "gap"] where params[flag]?.bool == true { text += " \(flag)" }
            for name in ["deferral", "dropped", "request"] where params[name] != nil {
                text += " \(name)=\(number(name))"
            }
            return text
        case "didFailWithError":
            let request = params["request"] == nil ? "" : " request=\(number("request"))"
            return "fail \(params["error"]?["code"]?.int ?? -1) \(word("source"))\(request)"
        case "didCancelRequest": return "cancel \(number("request")) by \(word("by"))"
        case "didFinishDeferredUpdates":
            return "finish \(number("deferral")) \(params["error"]?["code"]?.int.map(String.init) ?? "null")"
        case "didChangeAuthorization":
            let initial = params["initial"]?.bool == true ? " initial" : ""
            return "authorization \(word("authorizationStatus")) \(word("accuracyAuthorization"))\(initial)"
        default: return method
        }
    }
}
