// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport

/// Real programs on a drive, of which at any time one is killed, stopped or cut off, or all lose their power.
struct ChaosDrive {
    /// A power cut, and its price: fixes that were accepted and that neither the history nor the other side had.
    private struct PowerCut {
        var lost: Set<UInt64>
        /// The newest that the witness had heard of.
        var newest: UInt64
        /// The history had all up to here on the disk, said the daemon.
        var synced: UInt64
    }

    /// Fixes that the other side may be behind before none comes any more: it is to be late, and not for ever.
    private static let mostMissing = 2000
    /// Seconds for what is bound to happen, on a slow machine, too.
    private static let patience = 300.0
    /// The directories that are disks of their own, with their kilobytes: the history of an hour has room.
    private static let disks: KeyValuePairs = ["ustate": 64, "state": 65_536]

    var random: SplitMix64
    let bench: UplinkBench
    /// A program that hears each accepted fix, and lives from one power cut to the next.
    private var witness: ChildProcess
    private(set) var account = DriveAccount()
    /// How far the witness's output and the other side's messages are accounted for.
    private var (heardTo, sentTo) = (0, 0)
    private var cuts: [PowerCut] = []
    private(set) var deaths: [String: Int] = [:]

    init(seed: UInt64, isServer: Bool) throws {
        random = SplitMix64(seed: seed)
        let place = Coordinate(latitude: 45, longitude: -30).moved(by: 1000, course: 0)
        bench = try UplinkBench(
            uplink: "[Regions]\nmarket=\(place.latitude),\(place.longitude),200m",
            daemon: "[Limits]\nLogRecords=131072\n[History]\nKeep=300\nSync=1s\n",
            server: isServer ? [] : nil)
        if OwnWorld.isHere {
            for (disk, kilobytes) in ChaosDrive.disks {
                try OwnWorld.mountDisk(at: bench.directory.file(disk), kilobytes: kilobytes)
            }
        }
        try bench.startAll()
        witness = try ChaosDrive.startWitness(bench)
        try bench.fixes(1)
        try witness.waitForOutput(within: ChaosDrive.patience) { $0.contains(#""sequence":1,"#) }
        // One that dies before its first location is to send nothing from before its next one.
        try bench.waitForLocations(1, within: ChaosDrive.patience)
    }

    /// Gives back what the bench's directory does not take with it.
    func end() throws {
        guard OwnWorld.isHere else { return }
        for disk in ChaosDrive.disks.map(\.key) { try OwnWorld.unmountDisk(at: bench.directory.file(disk)) }
    }

    private static func startWitness(_ bench: UplinkBench) throws -> ChildProcess {
        try ChildProcess(
            try BuildProducts.program("locctl"), ["watch", "--json", "--no-pause", "--socket", bench.address.path])
    }

    // MARK: What happens

    mutating func step() throws {
        let program = UplinkBench.Program.allCases[random.below(3)]
        switch random.below(60) {
        case 0:
            note("kill")
            try bench.kill(program)
            try pause(0.5)
            try bench.start(program)
        case 1:
            note("stop")
            bench.signal(program, SIGSTOP)
            try pause(1.5)
            bench.signal(program, SIGCONT)
        case 2 where bench.server == nil:
            note("cut")
            bench.tap.cut(true)
            try pause(0.5)
            bench.tap.cut(false)
        case 3 where bench.server == nil:
            bench.tap.silence(true)
            try pause(1)
            bench.tap.silence(false)
        case 4 where random.chance(0.3): try cutPower()
        case 5 where OwnWorld.isHere:
            note("network")
            let port = bench.server?.port ?? bench.tap.port
            try OwnWorld.cutNetwork(at: port)
            // At times for longer than anybody waits for an answer.
            try pause(random.chance(0.1) ? 45 : 3)
            try OwnWorld.mendNetwork(at: port)
        case 6 where OwnWorld.isHere: try fillDisk()
        default: try pause(0.1)
        }
    }

    private mutating func note(_ what: String) { deaths[what, default: 0] += 1 }

    // Fixes come all the while, some in bursts, as long as the other side keeps up.
    private mutating func pause(_ most: Double) throws {
        let end = Deadline.within(random.uniform(0...most))
        repeat {
            let count = random.chance(0.02) ? 50 : 1
            look()
            if account.missing.count < ChaosDrive.mostMissing { try bench.fixes(count) }
            poll(nil, 0, 10)
        } while !end.hasPassed
    }

    private mutating func fillDisk() throws {
        let (disk, program) = random.chance(0.5) ? ("ustate", UplinkBench.Program.uplink) : ("state", .daemon)
        note("full \(disk)")
        let file = try OwnWorld.fillDisk(at: bench.directory.file(disk))
        try pause(3)
        if random.chance(0.5) {
            try bench.kill(program)
            try bench.start(program)
            try pause(2)
        }
        unlink(file)
    }

    // Everybody dies, and what is in memory is gone, such as the runtime directories.
    private mutating func cutPower() throws {
        note("power")
        let synced = random.chance(0.5) ? try waitForSync() : 0
        let cursor = bench.cursor ?? 0
        witness.terminate(SIGKILL)
        for program in UplinkBench.Program.allCases { try bench.kill(program) }
        try witness.waitForExit()
        look()
        for directory in ["run", "urun"] {
            let remover = try ChildProcess(try requireProgram("rm"), ["-r", bench.directory.file(directory)])
            try remover.waitForExit()
            mkdir(bench.directory.file(directory), 0o700)
        }
        try bench.start(.daemon)
        // Nobody else asks for locations, so that the first is for it.
        (witness, heardTo) = (try ChaosDrive.startWitness(bench), 0)
        try bench.gpsd.waitForWatch(within: ChaosDrive.patience)
        let newest = account.heard.max() ?? 0
        let lost = account.cutPower(cursor: cursor, kept: try keptSequences(after: cursor))
        cuts.append(PowerCut(lost: lost, newest: newest, synced: synced))
        try bench.start(.broker)
        try bench.start(.uplink)
    }

    // Returns the newest fix that no power cut may take any more.
    private func waitForSync() throws -> UInt64 {
        let connection = try connect()
        let newest = try connection.location()?.sequence ?? 0
        try waitUntil("the history has all", within: ChaosDrive.patience) {
            try connection.status().history?.waiting == 0
        }
        return newest
    }

    private func connect() throws -> LocationConnection {
        let connection = try LocationConnection(to: bench.address)
        connection.replyTimeout = .seconds(ChaosDrive.patience)
        return connection
    }

    private func keptSequences(after cursor: UInt64) throws -> Set<UInt64> {
        let connection = try connect()
        var found: Set<UInt64> = []
        var after: UInt64? = cursor
        while let behind = after {
            let page = try connection.history(after: behind)
            found.formUnion(page.locations.map(\.sequence))
            after = page.next
        }
        return found
    }

    // MARK: What became of it

    private mutating func look() {
        for line in witness.newLines(after: &heardTo) { account.hear(line) }
        for identifier in bench.newLocationIdentifiers(after: &sentTo) { account.arrive(identifier) }
    }

    /// Waits until everything is told, for as long as something is: a connection that was silenced may have to be found dead first.
    mutating func settle() throws {
        try bench.gpsd.waitForWatch(within: ChaosDrive.patience)
        try bench.fixes(1)
        var (told, deadline) = (-1, Deadline.within(ChaosDrive.patience))
        while !deadline.hasPassed {
            look()
            if account.missing.isEmpty, invented.isEmpty, bench.isDone { return }
            let count = account.heard.count + account.identifiers.count
            if count > told { (told, deadline) = (count, .within(ChaosDrive.patience)) }
            poll(nil, 0, 50)
        }
        let missing = account.missing.sorted()
        throw TestFailure(
            "cannot see that all arrives: \(missing.count) do not, \(missing.prefix(20)); "
                + "made up: \(invented.sorted().prefix(20)); \(story)")
    }

    /// Fixes that were sent and nobody heard; those that are accepted as the power goes the witness need not have.
    var invented: Set<UInt64> {
        account.unheard.filter { sequence in
            !cuts.contains { cut in
                cut.newest < sequence && !account.heard.contains { $0 > cut.newest && $0 < sequence }
            }
        }
    }

    /// Fixes that the history had on the disk and that a power cut took.
    var brokenPromises: Set<UInt64> {
        cuts.reduce(into: []) { found, cut in found.formUnion(cut.lost.filter { $0 <= cut.synced }) }
    }

    /// The power cuts, for who looks for what was lost.
    var story: String {
        cuts.map { "cut behind \($0.newest), \($0.lost.count) not kept" }.joined(separator: "; ")
            + "; \(bench.status.map { "\($0)" } ?? ""); \(bench.uplink?.standardError.suffix(2000) ?? "")"
    }

    /// Fixes that power cuts have cost.
    var cost: Int { cuts.reduce(0) { $0 + $1.lost.subtracting(account.sent).count } }
}
