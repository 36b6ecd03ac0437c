// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

/// An app whose daemon is killed again and again, and what it was promised.
private final class UnluckyApp {
    let uid: UInt32
    private(set) var client: DaemonClient
    /// It has gone by itself.
    private(set) var isAbsent = false
    /// What was told, by number.
    private(set) var told: [Int: String] = [:]
    private var regions: Set<String> = []
    private var doubtfulRegions: Set<String> = []
    private var acknowledged: Set<Int> = []
    private var doubtful: Set<Int> = []
    private var pending: [(id: Int, done: () -> Void)] = []
    private var taken = 0
    private let daemon: DaemonFixture

    init(_ daemon: DaemonFixture, uid: UInt32) throws {
        (self.daemon, self.uid) = (daemon, uid)
        client = try daemon.connect(uid: uid, #","events":true"#)
    }

    func keepRegion(_ name: String, at metres: Double) throws {
        try client.call("startMonitoring", DaemonFixture.region(name, at: metres))
        regions.insert(name)
    }

    /// Adds or removes a region far away, without waiting for the answer.
    func changeRegion(_ name: String) throws {
        guard !doubtfulRegions.contains(name) else { return }
        let isThere = regions.contains(name)
        doubtfulRegions.insert(name)
        let id =
            isThere
            ? try client.send("stopMonitoring", #"{"identifier":"\#(name)"}"#)
            : try client.send("startMonitoring", DaemonFixture.region(name, at: 9000))
        pending.append(
            (
                id,
                { [unowned self] in
                    doubtfulRegions.remove(name)
                    if isThere { regions.remove(name) } else { regions.insert(name) }
                }
            ))
    }

    /// Acknowledges something that was told, without waiting for the answer.
    func acknowledge(_ number: Int) throws {
        doubtful.insert(number)
        let id = try client.send("acknowledge", #"{"event":\#(number)}"#)
        pending.append((id, { [unowned self] in acknowledged.insert(number) }))
    }

    var open: [Int] { told.keys.filter { !acknowledged.contains($0) && !doubtful.contains($0) }.sorted() }

    /// Takes in what has come.
    func collect() {
        pending.removeAll { id, done in
            guard client.hasReply(to: id) else { return false }
            done()
            return true
        }
        for message in client.notifications.dropFirst(taken) {
            guard let number = message["params"]?["event"]?.int else { continue }
            let words =
                "\(message["method"]?.string ?? "") \(message["params"]?["region"]?["identifier"]?.string ?? "")"
            #expect(!acknowledged.contains(number), "\(uid): \(number) was told again after its acknowledgement")
            #expect(told[number] == nil || told[number] == words, "\(uid): \(number) is another event")
            told[number] = words
        }
        taken = client.notifications.count
    }

    /// Goes, having heard what was said.
    func leave() throws {
        try client.settle()
        collect()
        client.close()
        isAbsent = true
    }

    /// The daemon is dead: what it had written still counts.
    func mourn() {
        try? client.readToEnd()
        collect()
        pending.removeAll()
        client.close()
    }

    /// A new daemon is there, and must know what the old one had answered.
    func comeBack() throws {
        client = try daemon.connect(uid: uid, #","events":true"#)
        taken = 0
        isAbsent = false
        try client.settle()
        let again = client.events
        #expect(again == again.sorted(), "\(uid): not the oldest first")
        let missing = open.filter { !again.contains($0) }
        #expect(missing.isEmpty, "\(uid): \(missing) was not told again")
        collect()
        let answer = try client.call("monitoredRegions").array?.compactMap { $0["identifier"]?.string } ?? []
        let found = Set(answer)
        let lost = regions.subtracting(found).subtracting(doubtfulRegions)
        let risen = found.subtracting(regions).subtracting(doubtfulRegions)
        #expect(lost.isEmpty && risen.isEmpty, "\(uid): lost \(lost), back from the dead \(risen)")
        regions = found
        doubtfulRegions = []
        doubtful = doubtful.subtracting(again)
        acknowledged.formUnion(doubtful)
        doubtful = []
    }

    /// What was told of a region, oldest first.
    func history(of name: String) -> [String] {
        told.sorted { $0.key < $1.key }.map(\.value).filter { $0.hasSuffix(" \(name)") }
    }
}

@Suite("Faults of apps", .blocking(minutes: 30), .tellsSeed, .needsOtherUsers)
struct AppFaultTests {
    private static let rules =
        awake + noRejoin + "[Limits]\nChangesPerSecond=10000\n[Authorization]\nAlwaysUsers=root 12001 12002\n"

    private static func pause(upTo milliseconds: Double, _ random: inout SplitMix64) {
        var span = timespec(tv_sec: 0, tv_nsec: Int(random.uniform(0...milliseconds) * 1_000_000))
        nanosleep(&span, nil)
    }

    private static func playAround(_ app: UnluckyApp, _ random: inout SplitMix64) throws {
        for _ in 0..<Int(random.uniform(0...4.99)) {
            if random.chance(0.5), let number = app.open.first {
                try app.acknowledge(number)
            } else {
                try app.changeRegion("x\(Int(random.uniform(1...6.99)))")
            }
        }
    }

    @Test(
        "the daemon is killed at any moment: no region, decision or event is lost, none comes back, and nobody learns what is not for it"
    )
    func killed() throws {
        var random = SplitMix64()
        let daemon = try DaemonFixture(AppFaultTests.rules, step: 1000, manifests: [:])
        let apps = try [12001, 12002].map { try UnluckyApp(daemon, uid: $0) }
        for app in apps {
            try app.keepRegion("home", at: 0)
            try app.keepRegion("away", at: 400)
        }
        try daemon.stay(at: 0)
        try daemon.waitUntilAccepted()
        var (place, moves) = (0.0, 0)
        var decision = "denied"
        try daemon.authorize("uid:12003", decision)
        for _ in 0..<FaultTests.count {
            let outsiders = try [12003, 12004].map { try daemon.connect(uid: $0) }
            for outsider in outsiders {
                try outsider.call("startUpdatingLocation")
                try outsider.call("startLiveUpdates")
                try outsider.call("startMonitoring", DaemonFixture.region("home"))
            }
            for app in apps { try AppFaultTests.playAround(app, &random) }
            if random.chance(0.3) { try apps[1].leave() }
            let destination = random.chance(0.8) ? 400 - place : place
            if destination != place {
                moves += 1
                let way = stride(from: place, to: destination, by: destination < place ? -10 : 10)
                try daemon.fixes(Array(way) + Array(repeating: destination, count: 60))
            }
            AppFaultTests.pause(upTo: 25, &random)
            for app in apps where !app.isAbsent {
                try app.client.readAvailable()
                app.collect()
                try AppFaultTests.playAround(app, &random)
            }
            let judge = try daemon.connect()
            let next = ["denied", "restricted", "authorizedAlways"][Int(random.uniform(0...2.99))]
            // Told before somebody decides otherwise.
            for outsider in outsiders { try outsider.settle() }
            let isSilent = decision != "authorizedAlways"
            for outsider in isSilent ? outsiders : [outsiders[1]] { AppFaultTests.expectNothing(outsider) }
            let verdict = try judge.send(
                "authorize", #"{"app":"uid:12003","authorizationStatus":"\#(next)"}"#)
            AppFaultTests.pause(upTo: 3, &random)
            try daemon.stop()
            for app in apps { app.mourn() }
            try? judge.readToEnd()
            try daemon.start()
            let status = try daemon.app("uid:12003")?["authorizationStatus"]?.string ?? "lost"
            #expect(status == next || !judge.hasReply(to: verdict) && status == decision)
            decision = status
            for app in apps { try app.comeBack() }
            place = destination
            try daemon.stay(at: place)
            try daemon.waitUntilAccepted()
            for app in apps {
                try app.client.settle()
                app.collect()
            }
        }
        for app in apps { AppFaultTests.expectHistory(app, moves) }
    }

    private static func expectNothing(_ outsider: DaemonClient) {
        #expect(outsider.sequences.isEmpty)
        #expect(outsider.heard("didUpdateLocations").isEmpty && outsider.events.isEmpty)
        #expect(outsider.heard("didUpdate").allSatisfy { $0["location"]?.isNull == true })
        #expect(outsider.heard("didDetermineState").isEmpty)
    }

    /// Every way was from one region into the other.
    private static func expectHistory(_ app: UnluckyApp, _ moves: Int) {
        for (name, isFirst) in [("home", true), ("away", false)] {
            let words = isFirst ? ["didExitRegion", "didEnterRegion"] : ["didEnterRegion", "didExitRegion"]
            let expected = (0..<moves).map { "\(words[$0 % 2]) \(name)" }
            #expect(app.history(of: name) == expected, "\(app.uid)")
        }
    }
}
