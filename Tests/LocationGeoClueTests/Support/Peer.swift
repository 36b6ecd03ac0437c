// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport

/// A connection to the bus in a process of its own, through GLib and libgeoclue: see Programs/peer.py.
final class Peer {
    /// What became of a call.
    struct Answer {
        let values: [JSON]
        let error: String?
    }

    private let home: AnyObject
    private let process: ChildProcess
    private var lastNumber = 0
    private var read = 0
    /// All lines so far.
    private(set) var lines: [JSON] = []

    /// `home`: what is to live as long as this peer does.
    init(_ directory: TemporaryDirectory, uid: UInt32 = 0, in home: AnyObject) throws {
        self.home = home
        // A peer that died is an error of the test that writes to it, not the end of all tests.
        signal(SIGPIPE, SIG_IGN)
        // Where other users can read it.
        let source = "\(try BuildProducts.packageDirectory())/Tests/LocationGeoClueTests/Programs/peer.py"
        let program = directory.file("peer.py")
        if access(program, R_OK) != 0 {
            try directory.write(try readFile(source), to: "peer.py")
            chmod(program, 0o644)
        }
        // Debian's, which Debian's libraries belong to.
        var command = ["/usr/bin/python3", program]
        if uid != 0 {
            command =
                [try requireProgram("setpriv"), "--reuid", "\(uid)", "--regid", "\(uid)", "--clear-groups"] + command
        }
        process = try ChildProcess(
            command[0], Array(command.dropFirst()),
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(directory.file("bus"))", "HOME": "/nonexistent"])
        try wait("a connection") { $0["ready"] }
    }

    /// Ends the process, and with it the connection.
    func leave() throws {
        process.terminate(SIGKILL)
        try process.waitForExit()
    }

    // MARK: Saying

    private func write(_ text: String) throws { try process.write(Array((text + "\n").utf8)) }

    /// Calls a method; the number of the call. `arguments`: a D-Bus signature and a JSON array.
    @discardableResult
    func call(_ path: String, _ interface: String, _ method: String, _ arguments: (String, String) = ("", "[]")) throws
        -> Int
    {
        lastNumber += 1
        try write(
            #"{"number":\#(lastNumber),"call":["\#(path)","\#(interface)","\#(method)","\#(arguments.0)",\#(arguments.1)]}"#
        )
        return lastNumber
    }

    /// Calls a method and waits for its answer.
    func ask(_ path: String, _ interface: String, _ method: String, _ arguments: (String, String) = ("", "[]")) throws
        -> Answer
    {
        try answer(to: try call(path, interface, method, arguments))
    }

    /// Sets a property.
    func set(_ path: String, _ interface: String, _ property: String, _ signature: String, _ value: String) throws
        -> Answer
    {
        lastNumber += 1
        try write(
            #"{"number":\#(lastNumber),"set":["\#(path)","\#(interface)","\#(property)","\#(signature)",\#(value)]}"#)
        return try answer(to: lastNumber)
    }

    /// Waits for the answer to a call.
    func answer(to number: Int) throws -> Answer {
        try wait("an answer") { line in
            guard line["reply"]?.int == number else { return nil }
            return Answer(values: line["values"]?.array ?? [], error: line["error"]?.string)
        }
    }

    /// Reads a property.
    func property(_ path: String, _ interface: String, _ name: String) throws -> JSON? {
        try ask(path, ObjectPaths.properties, "Get", ("ss", #"["\#(interface)","\#(name)"]"#)).values.first
    }

    /// Reads all properties.
    func properties(_ path: String, _ interface: String) throws -> [String: JSON] {
        try ask(path, ObjectPaths.properties, "GetAll", ("s", #"["\#(interface)"]"#)).values.first?.object ?? [:]
    }

    /// Is an agent of its user, registered: gives this answer (nil: none ever) and allows so much at most; again: from now on.
    func beAgent(_ yes: Bool?, _ level: Int = 8, ceiling: Int = 8) throws {
        let isNew = !lines.contains { $0["agent"] != nil }
        let answer = yes.map { "[\($0),\(level)]" } ?? "null"
        try write(#"{"agent":{"answer":\#(answer),"ceiling":\#(ceiling)}}"#)
        guard isNew, !isAgent else { return }
        isAgent = true
        let registered = try ask(ObjectPaths.manager, ObjectPaths.managerInterface, "AddAgent", ("s", #"["test"]"#))
        if let error = registered.error { throw TestFailure("cannot register an agent: \(error)") }
    }
    private var isAgent = false

    /// Starts libgeoclue's own client.
    func beSimple(_ name: String, _ level: Int) throws { try write(#"{"simple":["\#(name)",\#(level)]}"#) }

    /// Makes a client with a desktop id and an accuracy level; its path.
    func client(_ name: String = "org.example.Map", level: Int = 8) throws -> String {
        let made = try ask(ObjectPaths.manager, ObjectPaths.managerInterface, "CreateClient")
        guard let path = made.values.first?.string else { throw TestFailure("cannot make a client: \(made)") }
        _ = try set(path, ObjectPaths.client, "DesktopId", "s", "\"\(name)\"")
        _ = try set(path, ObjectPaths.client, "RequestedAccuracyLevel", "u", "\(level)")
        return path
    }

    /// Starts a client; the name of the refusal, if it was one.
    @discardableResult
    func start(_ client: String) throws -> String? { try ask(client, ObjectPaths.client, "Start").error }

    // MARK: Hearing

    /// Takes in what has come.
    func hear() throws {
        let complete = process.standardOutput.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        for line in complete.dropFirst(read) { lines.append(try JSON(parsing: line)) }
        read = complete.count
    }

    /// Waits for a line, among all that came, from which something can be read.
    @discardableResult
    func wait<Found>(_ what: String, _ find: (JSON) -> Found?) throws -> Found {
        var found: Found?
        try waitUntil("\(what): there is \(lines.suffix(4)); \(process.standardError)") {
            try hear()
            found = lines.lazy.compactMap(find).first
            return found != nil
        }
        guard let found else { throw TestFailure("cannot find \(what)") }
        return found
    }

    /// The old and the new path of each `LocationUpdated` of a client so far.
    func updates(of client: String) throws -> [(old: String, new: String)] {
        try hear()
        return lines.filter { $0["signal"]?.string == "LocationUpdated" && $0["path"]?.string == client }.map { line in
            let paths = line["arguments"]?.array ?? []
            return (paths.first?.string ?? "", paths.last?.string ?? "")
        }
    }

    /// The values that a property of an object was said to have changed to so far.
    func changes(of property: String, at path: String) throws -> [JSON] {
        try hear()
        return lines.compactMap { line in
            guard line["signal"]?.string == "PropertiesChanged", line["path"]?.string == path else { return nil }
            return line["arguments"]?.array.flatMap { $0.count > 1 ? $0[1][property] : nil }
        }
    }
}
