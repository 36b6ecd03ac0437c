// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// What CoreLocation adds to the socket below it: CoreLocationProbe, a program with one CLLocationManager, measured from outside.
enum ClientBenchmark {
    private static let epochs = 600
    private static let burst = 200_000
    private static let dropped = [100, 10_000]

    static func run(programs: String) throws {
        print("CoreLocation")
        try measureLatency(programs)
        try measureBurst(programs)
        try measureChurn(programs)
        print("")
    }

    private static func probe(
        _ programs: String, _ arguments: [String], at socket: String, output: Int32
    ) throws -> Program {
        try Program(
            "\(programs)/CoreLocationProbe", arguments,
            environment: [
                "LOCATIOND_SOCKET": socket, "NSLocationWhenInUseUsageDescription": "To measure what it costs.",
            ], output: output)
    }

    // MARK: Latency and memory

    private static func measureLatency(_ programs: String) throws {
        let gpsd = try GPSDUnderTest()
        let direct = try gpsd.subscribe()
        gpsd.acceptReceiver()
        let daemon = try DaemonUnderTest(programs: programs, gpsd: "127.0.0.1:\(gpsd.port)")
        let client = try daemon.connect(#"{"jsonrpc":"2.0","id":1,"method":"startUpdatingLocation"}"#)
        let pipe = try Pipe()
        var program: Program? = try probe(programs, ["follow"], at: daemon.socketPath, output: pipe.writing)
        pipe.closeWriting()
        usleep(1_000_000)

        let (directTimes, clientTimes, delegateTimes) = (Arrivals(), Arrivals(), Arrivals())
        let readers = [
            Worker { directTimes.collect(direct, key: "\"time\":\"", only: "\"class\":\"TPV\"") },
            Worker { clientTimes.collect(client, key: "\"timestamp\":\"", only: "didUpdateLocations") },
            Worker { delegateTimes.collect(fromProbe: pipe.reading) },
        ]
        gpsd.walk(epochs)
        let memory = program?.memory ?? (resident: 0, anonymous: 0)
        program = nil
        shutdown(direct, Int32(SHUT_RDWR))
        shutdown(client, Int32(SHUT_RDWR))
        for reader in readers { reader.join() }
        close(direct)
        close(client)
        let added = delegateTimes.delays(behind: clientTimes)
        print("  latency behind a direct gpsd client, \(added.count) epochs, microseconds")
        print("    a raw socket               \(distribution(clientTimes.delays(behind: directTimes)))")
        print("    the manager's delegate     \(distribution(delegateTimes.delays(behind: directTimes)))")
        print("    added to the raw socket    \(distribution(added))")
        print("  memory of a program with one manager, after those, KiB")
        print("    resident \(memory.resident)   anonymous \(memory.anonymous)")
    }

    // MARK: A burst

    private static func measureBurst(_ programs: String) throws {
        let source = try PositionSource()
        let daemon = try DaemonUnderTest(programs: programs, gpsd: "127.0.0.1:\(source.port)")
        let server = try BurstServer(inFrontOf: daemon, locations: burst)
        let floor = try server.measureReader()
        let pipe = try Pipe()
        let program = try probe(programs, ["count", "\(burst)"], at: server.path, output: pipe.writing)
        pipe.closeWriting()
        try server.introduceClient()
        let (start, before) = (nanoseconds(), program.cpuNanoseconds)
        let writer = Worker { server.writeLines() }
        let line = pipe.nextLine()
        let (duration, cpu) = (nanoseconds() - start, program.cpuNanoseconds - before)
        writer.join()
        guard line != nil else { throw BenchmarkError("cannot measure a burst: the client has ended") }
        print("  \(burst) locations, a line each, as fast as they are taken")
        print("    a raw socket               \(rate(floor.duration, floor.cpu))")
        print("    the manager's delegate     \(rate(duration, cpu))   resident at most \(program.peakResident) KiB")
    }

    private static func rate(_ duration: Int64, _ cpu: Int64) -> String {
        let perSecond = Double(burst) / Double(duration) * 1e9
        return
            "\(padded(fixed(perSecond, 0), 9)) a second   CPU \(fixed(Double(cpu) / 1000 / Double(burst), 2)) µs each"
    }

    // MARK: Managers made and dropped

    private static func measureChurn(_ programs: String) throws {
        let source = try PositionSource()
        let daemon = try DaemonUnderTest(programs: programs, gpsd: "127.0.0.1:\(source.port)")
        let pipe = try Pipe()
        let program = try probe(
            programs, ["churn"] + dropped.map(String.init), at: daemon.socketPath, output: pipe.writing)
        pipe.closeWriting()
        print("  memory after managers were made and dropped, KiB")
        for _ in dropped {
            guard let line = pipe.nextLine() else {
                throw BenchmarkError("cannot count managers: the client has ended")
            }
            let words = line.split(separator: " ").map(String.init)
            print("    \(padded(words[0], 6)) resident \(words[1])   anonymous \(words[2])")
        }
        withExtendedLifetime(program) {}
    }
}
