// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationTestSupport
import Synchronization
import Testing

@Suite("A client that asks faster than it is answered", .blocking)
struct FloodTests {
    private static let request = #"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#

    /// Asks often at once, and reads the answers as fast as they come.
    private final class Flood: Sendable {
        private let bytesLeft: Atomic<Int>
        private let hasEnded = Atomic(false)

        /// `bytes`: of all answers.
        init(_ path: String, requests: Int, bytes: Int) throws {
            bytesLeft = Atomic(bytes)
            let socket = clinux_connect_unix(path)
            guard socket >= 0 else { throw TestFailure("cannot connect: errno \(errno)") }
            let all = Array(String(repeating: FloodTests.request + "\n", count: requests).utf8)
            guard write(socket, all, all.count) == all.count else { throw TestFailure("cannot ask all at once") }
            try startThread { [self] in
                var buffer = [UInt8](repeating: 0, count: 1 << 18)
                while !isAnswered, case let count = read(socket, &buffer, buffer.count), count > 0 {
                    bytesLeft.subtract(count, ordering: .relaxed)
                }
                close(socket)
                hasEnded.store(true, ordering: .releasing)
            }
        }

        var isAnswered: Bool { bytesLeft.load(ordering: .relaxed) <= 0 }
        func waitForEnd() throws { try waitUntil("all is answered") { hasEnded.load(ordering: .acquiring) } }
    }

    @Test("is named in the journal, once in a minute, with what an administrator can do about it")
    func journalled() throws {
        let daemon = try DaemonFixture()
        let other = try daemon.connect()
        try other.connection.send(FloodTests.request)
        let answer = try other.connection.nextLine().utf8.count + 1
        func lines() -> [Substring] {
            daemon.journal.split(separator: "\n").filter { $0.contains("asks for more than its share") }
        }
        // Until one of them was as long as it takes, however fast the machine is.
        let deadline = Deadline.within(patience)
        while lines().isEmpty, !deadline.hasPassed {
            let floods = try (1...12).map { _ in try Flood(daemon.socket, requests: 1300, bytes: 1300 * answer) }
            for flood in floods { try flood.waitForEnd() }
        }
        let line = try #require(lines().first)
        #expect(
            line.contains("user \(getuid()) asks for more") && line.contains("'locctl close' closes one"), "\(line)")
        #expect(lines().count <= 2)
    }

    @Test("gets its answers in turn with the others")
    func turns() throws {
        let daemon = try DaemonFixture()
        let other = try daemon.connect()
        try other.connection.send(FloodTests.request)
        let answer = try other.connection.nextLine().utf8.count + 1
        let floods = try (1...6).map { _ in try Flood(daemon.socket, requests: 1300, bytes: 1300 * answer) }
        let requests = (1...160).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"getProperties"}"# + "\n" }
        try other.connection.send(bytes: Array(requests.joined().utf8))
        for _ in requests { _ = try other.connection.nextLine() }
        let isAnswered = floods.contains { $0.isAnswered }
        #expect(!isAnswered, "ten turns of one were eighty of the others")
        for flood in floods { try flood.waitForEnd() }
    }
}
