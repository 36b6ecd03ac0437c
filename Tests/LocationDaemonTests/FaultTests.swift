// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

/// A client that wants every fix once although connection, daemon and gpsd come and go.
///
/// It keeps its token and its last sequence. A daemon that is killed between writing a line and noting that it did writes that line
/// again; whoever wants each location once drops what is not newer than the newest it has. Nothing else may be repeated.
private final class PersistentClient {
    private(set) var sequences: [Int] = []
    private(set) var times: [String] = []
    /// Locations that came again, right after a rejoin.
    private(set) var repeated = 0
    private(set) var allowed = 0
    private(set) var finished: [Int] = []
    private var connection: DaemonClient
    private let token: String
    private let daemon: DaemonFixture
    private var taken = 0
    private var isRejoined = false

    init(_ daemon: DaemonFixture) throws {
        self.daemon = daemon
        (connection, token) = try daemon.connectWithToken()
        try connection.call("startUpdatingLocation")
    }

    /// The deferral that runs, 0 if none does.
    var deferral: Int { finished.contains(allowed) ? 0 : allowed }

    /// Whether the daemon could be asked.
    func allow(_ params: String) -> Bool {
        do {
            let result = try connection.call("allowDeferredLocationUpdates", params)
            allowed = max(allowed, result["deferral"]?.int ?? 0)
            take()
            return true
        } catch {
            return false
        }
    }

    func readAvailable() {
        try? connection.readAvailable()
        take()
    }

    /// Takes what the dead daemon had written, and finds the living one.
    func rejoin() throws {
        try? connection.readToEnd()
        take()
        let (back, rejoined) = try daemon.rejoin(token)
        #expect(rejoined, "\(daemon.journal)")
        connection = back
        taken = 0
        isRejoined = true
    }

    /// Waits until it has everything.
    func wait(for sequence: Int) throws {
        try connection.call("disallowDeferredLocationUpdates")
        try connection.settle()
        take()
        while (sequences.last ?? 0) < sequence {
            try connection.receive()
            take()
        }
    }

    private func take() {
        for message in connection.notifications.dropFirst(taken) {
            let params = message["params"] ?? .null
            switch message["method"]?.string {
            case "didUpdateLocations": takeLocations(params)
            case "didFinishDeferredUpdates":
                let number = params["deferral"]?.int ?? 0
                // A finish that may not have been seen comes again under its number; a deferral whose reply was lost is known by it.
                allowed = max(allowed, number)
                if !finished.contains(number) { finished.append(number) }
            case "didFailWithError": break
            case "didChangeAuthorization": #expect(params["initial"]?.bool == true)
            default: Issue.record("an unexpected \(message)")
            }
        }
        taken = connection.notifications.count
    }

    private func takeLocations(_ params: JSON) {
        #expect(params["gap"] == nil && params["dropped"] == nil, "\(params)")
        for location in params["locations"]?.array ?? [] {
            let sequence = location["sequence"]?.int ?? 0
            guard sequence > sequences.last ?? 0 else {
                #expect(isRejoined, "\(sequence) came again without a rejoin, after \(sequences.last ?? 0)")
                repeated += 1
                continue
            }
            isRejoined = false
            sequences.append(sequence)
            times.append(location["timestamp"]?.string ?? "")
        }
    }
}

@Suite("Faults", .blocking(minutes: 30), .tellsSeed)
struct FaultTests {
    /// `LOCATIOND_FAULTS` of the environment asks for a long run.
    static let count = getenv("LOCATIOND_FAULTS").flatMap { Int(String(cString: $0)) } ?? 12

    /// A moment that is not the same every time: nothing happens meanwhile.
    private static func pause(upTo milliseconds: Double, _ random: inout SplitMix64) {
        var span = timespec(tv_sec: 0, tv_nsec: Int(random.uniform(0...milliseconds) * 1_000_000))
        nanosleep(&span, nil)
    }

    private static let conditions = [
        #"{"untilTraveled":30}"#, #"{"untilTraveled":200}"#, #"{"timeout":0.05}"#, #"{"timeout":600}"#, "{}",
        #"{"timeout":0}"#,
    ]

    private static func expectEverything(_ client: PersistentClient, _ daemon: DaemonFixture) throws {
        try daemon.fix(at: 0)
        try daemon.waitUntilAccepted()
        let newest = try daemon.newestSequence()
        try client.wait(for: newest)
        // The log outlives every kill, so that each number was given to an accepted fix, and every one must be there.
        let first = client.sequences.first ?? 0
        #expect(client.sequences == Array(first..<first + client.sequences.count))
        #expect(client.sequences.last == newest)
        for (earlier, later) in zip(client.times, client.times.dropFirst()) { #expect(earlier < later) }
        #expect(client.finished == (client.allowed == 0 ? [] : Array(1...client.allowed)))
    }

    @Test(
        "the daemon is killed at any moment of a deferral: every fix comes once, in order, and every call has one finish"
    )
    func killedDaemon() throws {
        var random = SplitMix64()
        let daemon = try DaemonFixture()
        let client = try PersistentClient(daemon)
        var place = 0.0
        for _ in 0..<FaultTests.count {
            try daemon.waitForWatch()
            let kill = Int(random.uniform(1...11.99))
            for step in 0..<12 {
                if random.chance(0.25) || (client.deferral == 0 && random.chance(0.7)) {
                    guard client.allow(FaultTests.conditions[Int(random.uniform(0...5.99))]) else { break }
                }
                if random.chance(0.8) {
                    place += 10
                    // The daemon may be dead already.
                    try? daemon.fixes((0...Int(random.uniform(0...8))).map { place + Double($0) })
                }
                if step == kill {
                    FaultTests.pause(upTo: 2, &random)
                    daemon.process.terminate(SIGKILL)
                    break
                }
                client.readAvailable()
            }
            try daemon.stop()
            try daemon.start()
            if random.chance(0.5) { try daemon.fixes(count: 3) }
            FaultTests.pause(upTo: 4, &random)
            try client.rejoin()
        }
        try FaultTests.expectEverything(client, daemon)
        #expect(client.repeated <= client.sequences.count / 4, "too much came again: \(client.repeated)")
    }

    @Test("the daemon is stopped in order at any moment, and the machine boots in between")
    func stoppedDaemon() throws {
        var random = SplitMix64()
        let daemon = try DaemonFixture()
        let client = try PersistentClient(daemon)
        for _ in 0..<max(FaultTests.count / 2, 3) {
            for _ in 0..<Int(random.uniform(1...6)) {
                if client.deferral == 0 { _ = client.allow(FaultTests.conditions[Int(random.uniform(0...5.99))]) }
                try daemon.fixes(count: Int(random.uniform(0...20)))
                client.readAvailable()
            }
            FaultTests.pause(upTo: 3, &random)
            #expect(try daemon.stop(SIGTERM) == .exited(0))
            try daemon.emptyRuntimeDirectory()
            try daemon.start()
            try client.rejoin()
        }
        try FaultTests.expectEverything(client, daemon)
        #expect(client.repeated == 0)
    }

    @Test("connections break at any moment: every fix comes once, in order")
    func brokenConnections() throws {
        var random = SplitMix64()
        let daemon = try DaemonFixture()
        let witness = try daemon.startUpdating()
        let (first, token) = try daemon.connectWithToken()
        var client = first
        try client.call("startUpdatingLocation")
        var sequences: [Int] = []
        for _ in 0..<FaultTests.count * 3 {
            try daemon.fixes(count: Int(random.uniform(0...10)))
            if random.chance(0.5) { try client.settle() }
            // What was written and not read is lost with a connection; here all of it is read.
            try daemon.freeze()
            try client.readAvailable()
            client.close()
            daemon.thaw()
            sequences += client.sequences
            try witness.readAvailable()
            try daemon.waitForAbsent()
            let result = try daemon.rejoin(token)
            #expect(result.rejoined)
            client = result.client
        }
        try daemon.fix()
        try daemon.waitUntilAccepted()
        try witness.settle()
        try client.wait("the newest") { client.sequences.last == witness.sequences.last }
        sequences += client.sequences
        #expect(sequences == witness.sequences)
    }

    @Test("gpsd is killed at any moment: what the daemon heard comes once, in order, deferred or not")
    func killedGPSD() throws {
        var random = SplitMix64()
        let daemon = try DaemonFixture("[GPSD]\nReconnectMinSec=50ms\n")
        let witness = try daemon.startUpdating()
        let client = try PersistentClient(daemon)
        for _ in 0..<max(FaultTests.count / 3, 3) {
            for _ in 0..<Int(random.uniform(1...8)) {
                if client.deferral == 0 { _ = client.allow(FaultTests.conditions[Int(random.uniform(0...5.99))]) }
                try daemon.fixes(count: Int(random.uniform(0...20)))
                client.readAvailable()
                try witness.readAvailable()
            }
            let watches = daemon.gpsd.commands.count { $0.contains(#""enable":true"#) }
            daemon.gpsd.shutDown()
            try daemon.gpsd.waitForConnections(0)
            try daemon.gpsd.reopen()
            try waitUntil("locationd watches again") {
                daemon.gpsd.commands.count { $0.contains(#""enable":true"#) } > watches
                    && daemon.gpsd.openConnections == 1
            }
        }
        // What was on its way when gpsd died was never heard; the newest is what the daemon says.
        try daemon.fix()
        try witness.wait("the newest") { witness.times.last == daemon.simulation.time(of: daemon.simulation.count - 1) }
        try client.wait(for: witness.sequences.last ?? 0)
        #expect(client.sequences == witness.sequences)
        #expect(client.finished == Array(1...client.allowed))
        #expect(client.repeated == 0)
    }
}
