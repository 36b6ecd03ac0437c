// SPDX-License-Identifier: Apache-2.0
import Glibc

/// How much later a client of locationd has a fix than a direct client of the same gpsd, which was first to subscribe.
enum LatencyBenchmark {
    private static let epochs = 600

    static func run(programs: String) throws {
        let gpsd = try GPSDUnderTest()
        let direct = try gpsd.subscribe()
        gpsd.acceptReceiver()
        let daemon = try DaemonUnderTest(programs: programs, gpsd: "127.0.0.1:\(gpsd.port)")
        let client = try daemon.connect(#"{"jsonrpc":"2.0","id":1,"method":"startUpdatingLocation"}"#)
        usleep(500_000)

        let (directTimes, clientTimes) = (Arrivals(), Arrivals())
        let readers = [
            Worker { directTimes.collect(direct, key: "\"time\":\"", only: "\"class\":\"TPV\"") },
            Worker { clientTimes.collect(client, key: "\"timestamp\":\"", only: "didUpdateLocations") },
        ]
        gpsd.walk(epochs)
        shutdown(direct, Int32(SHUT_RDWR))
        shutdown(client, Int32(SHUT_RDWR))
        for reader in readers { reader.join() }
        close(direct)
        close(client)
        // The first seconds teach the daemon how the receiver speaks.
        let added = clientTimes.delays(behind: directTimes)
        print("latency added to a direct gpsd client's, real gpsd, \(added.count) epochs, microseconds")
        print("  \(distribution(added))   max \(fixed(percentile(added, 1) / 1000, 1))")
        print("")
    }
}
