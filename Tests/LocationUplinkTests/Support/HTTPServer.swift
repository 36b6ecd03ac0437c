// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport

/// A real server of HTTP, in a process of its own, that answers as the test says. A successor keeps port and orders.
final class HTTPServer {
    /// A request that came whole.
    struct Request {
        let json: JSON
        /// The answer's status; 0: there was none.
        var status: Int { json["status"]?.int.map { Int($0) } ?? 0 }
        var isTaken: Bool { (200...299).contains(status) }
        subscript(name: String) -> JSON? { json["body"]?[name] }
    }

    let port: UInt16
    private let directory: TemporaryDirectory
    private let arguments: [String]
    private(set) var process: ChildProcess
    private var known: [Request] = []
    /// Bytes of the process's output of which the requests are known.
    private var read = 0

    /// `tls`: a certificate, its key, and the authority of clients' certificates if they are to have one.
    init(in directory: TemporaryDirectory, tls: [String] = []) throws {
        self.directory = directory
        try directory.write("", to: "orders")
        arguments = [directory.file("orders")] + tls
        process = try HTTPServer.start(0, arguments)
        port = try JSON(parsing: process.standardOutput)["port"]?.int.flatMap { UInt16(exactly: $0) } ?? 0
    }

    private static func start(_ port: UInt16, _ arguments: [String]) throws -> ChildProcess {
        let program = try BuildProducts.packageDirectory() + "/Tests/LocationUplinkTests/Programs/http-server.py"
        func make() throws -> ChildProcess {
            try ChildProcess("/usr/bin/python3", ["-B", program, "\(port)"] + arguments)
        }
        var process = try make()
        try waitUntil("a server listens at \(port)", within: 60) {
            // A client may have been given the port of the one before for its own end, for as long as it tries.
            if !process.isRunning { process = try make() }
            return process.standardOutput.contains("\n")
        }
        return process
    }

    /// The answers from now on; see the program.
    func order(_ lines: String...) throws {
        // Whole at any time, since the server reads it whenever it likes.
        let draft = try directory.write(lines.joined(separator: "\n"), to: "orders.new")
        guard rename(draft, directory.file("orders")) == 0 else { throw TestFailure("cannot order") }
    }

    /// Starts a successor of one that has ended.
    func restart() throws {
        _ = requests
        process = try HTTPServer.start(port, arguments)
        read = 0
    }

    /// All that came so far.
    var requests: [Request] {
        known += process.newLines(after: &read).compactMap { line in
            (try? JSON(parsing: line)).flatMap { $0["body"] == nil ? nil : Request(json: $0) }
        }
        return known
    }

    /// Those that it said to have.
    var taken: [Request] { requests.filter(\.isTaken) }

    /// Of the messages that it said to have, those of this type.
    func identifiers(of type: String) -> [String] {
        taken.filter { $0["_type"]?.string == type }.compactMap { $0["_id"]?.string }
    }
}
