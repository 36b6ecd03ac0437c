// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// What the daemon takes with clients that wait, and with clients that are served.
enum MemoryBenchmark {
    static func run(programs: String) throws {
        clinux_raise_file_limit()
        print("memory, KiB")
        print("  clients            resident   anonymous   anonymous a client, bytes")
        let source = try PositionSource()
        let daemon = try DaemonUnderTest(programs: programs, gpsd: "127.0.0.1:\(source.port)")
        usleep(300_000)
        let empty = daemon.program.memory
        row("0", empty, perClient: nil)
        let readers = try Readers()
        defer { readers.closeAll() }
        for _ in 0..<20 {
            readers.add(try daemon.connect(#"{"jsonrpc":"2.0","id":1,"method":"startUpdatingLocation"}"#))
        }
        source.accept()
        readers.drain(untilQuietFor: 500)
        let served = daemon.program.memory
        row("20 served", served, perClient: (served, empty, 20))
        for count in [1_000, 10_000] {
            var before = daemon.program.memory
            for _ in 0..<count {
                readers.add(try daemon.connect(#"{"jsonrpc":"2.0","id":1,"method":"getProperties"}"#))
            }
            readers.drain(untilQuietFor: 500)
            let after = daemon.program.memory
            row("\(count) more, idle", after, perClient: (after, before, count))
            before = after
        }
        print("")
    }

    private typealias Memory = (resident: Int, anonymous: Int)

    private static func row(_ name: String, _ memory: Memory, perClient: (Memory, Memory, Int)?) {
        let each = perClient.map { Double($0.0.anonymous - $0.1.anonymous) * 1024 / Double($0.2) }
        print(
            "  \(padded(name, 18)) \(padded("\(memory.resident)", 10)) \(padded("\(memory.anonymous)", 11)) \(each.map { fixed($0, 0) } ?? "")"
        )
    }
}
