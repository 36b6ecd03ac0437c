// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// How much later a client of locationd has a fix than a direct client of the same gpsd, which was first to subscribe; beside a relay that only
/// hands on what it reads, since two processes must be woken after another, whatever the second one does.
enum LatencyBenchmark {
    private static let epochs = 600

    static func run(programs: String) throws {
        print("latency added to a direct gpsd client's, real gpsd, \(epochs) epochs, microseconds")
        let daemon = try measure { gpsd in
            let daemon = try DaemonUnderTest(programs: programs, gpsd: "127.0.0.1:\(gpsd.port)")
            let client = try daemon.connect(#"{"jsonrpc":"2.0","id":1,"method":"startUpdatingLocation"}"#)
            return Follower(
                connection: client, key: "\"timestamp\":\"", kind: "didUpdateLocations", program: daemon)
        }
        let relay = try measure { gpsd in
            let path = "/tmp/locationd-bench.\(getpid()).relay"
            defer { unlink(path) }
            let program = try Program(CommandLine.arguments[0], [BareRelay.argument, path, "\(gpsd.port)"])
            try awaitSocket(path)
            let client = clinux_connect_unix(path)
            guard client >= 0 else { throw BenchmarkError(cannot: "connect to the bare relay") }
            return Follower(connection: client, key: "\"time\":\"", kind: "\"class\":\"TPV\"", program: program)
        }
        print("  locationd   \(distribution(daemon))   max \(fixed(percentile(daemon, 1) / 1000, 1))")
        print("  bare relay  \(distribution(relay))   max \(fixed(percentile(relay, 1) / 1000, 1))")
        print("")
    }

    /// Whoever is measured beside the direct client.
    private struct Follower {
        let connection: Int32
        /// Before the date in its lines of a kind.
        let key: String
        let kind: String
        /// Ends when it is let go of.
        let program: AnyObject
    }

    private static func measure(_ start: (GPSDUnderTest) throws -> Follower) throws -> [Int64] {
        let gpsd = try GPSDUnderTest()
        let direct = try gpsd.subscribe()
        gpsd.acceptReceiver()
        let follower = try start(gpsd)
        usleep(500_000)
        let (directTimes, times) = (Arrivals(), Arrivals())
        let readers = [
            Worker { directTimes.collect(direct, key: "\"time\":\"", only: "\"class\":\"TPV\"") },
            Worker { times.collect(follower.connection, key: follower.key, only: follower.kind) },
        ]
        gpsd.walk(epochs)
        shutdown(direct, Int32(SHUT_RDWR))
        shutdown(follower.connection, Int32(SHUT_RDWR))
        for reader in readers { reader.join() }
        close(direct)
        close(follower.connection)
        return withExtendedLifetime(follower.program) { times.delays(behind: directTimes) }
    }
}
