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
        /// Fixes in the seconds that it may cost.
        var most: Int
    }

    /// Seconds that a power cut may cost, of `Sync=` and of a slow machine.
    private static let (sync, patience) = (1, 10.0)

    var random: SplitMix64
    let bench: UplinkBench
    /// A program that hears each accepted fix, and lives from one power cut to the next.
    private var witness: ChildProcess
    private var formerlyHeard: Set<UInt64> = []
    private var cuts: [PowerCut] = []
    /// When so many fixes had come.
    private var pushed: [(Deadline, Int)] = []
    private(set) var deaths: [String: Int] = [:]

    init(seed: UInt64, isServer: Bool) throws {
        random = SplitMix64(seed: seed)
        let place = Coordinate(latitude: 45, longitude: -30).moved(by: 1000, course: 0)
        bench = try UplinkBench(
            uplink: "[Regions]\nmarket=\(place.latitude),\(place.longitude),200m",
            daemon: "[Limits]\nLogRecords=131072\n[History]\nKeep=300\nSync=\(ChaosDrive.sync)s\n",
            server: isServer ? [] : nil)
        if OwnWorld.isHere { try OwnWorld.mountDisk(at: bench.directory.file("ustate"), kilobytes: 64) }
        try bench.startAll()
        witness = try ChaosDrive.startWitness(bench)
        try bench.fixes(1)
        _ = try witness.waitForOutput { $0.contains(#""sequence":1,"#) }
    }

    /// Gives back what the bench's directory does not take with it.
    func end() throws {
        if OwnWorld.isHere { try OwnWorld.unmountDisk(at: bench.directory.file("ustate")) }
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

    // Fixes come all the while, some in bursts.
    private mutating func pause(_ most: Double) throws {
        let end = Deadline.within(random.uniform(0...most))
        repeat {
            let count = random.chance(0.02) ? 50 : 1
            try bench.fixes(count)
            pushed.removeAll { $0.0.hasPassed }
            pushed.append((.within(Double(ChaosDrive.sync) + ChaosDrive.patience), count))
            poll(nil, 0, 10)
        } while !end.hasPassed
    }

    private mutating func fillDisk() throws {
        note("disk")
        let file = try OwnWorld.fillDisk(at: bench.directory.file("ustate"))
        try pause(3)
        if random.chance(0.5) {
            try bench.kill(.uplink)
            try bench.start(.uplink)
            try pause(2)
        }
        unlink(file)
    }

    // Everybody dies, and what is in memory is gone, such as the runtime directories.
    private mutating func cutPower() throws {
        note("power")
        let cursor = bench.cursor ?? 0
        witness.terminate(SIGKILL)
        for program in UplinkBench.Program.allCases { try bench.kill(program) }
        try witness.waitForExit()
        let heard = heardOfWitness
        formerlyHeard.formUnion(heard)
        for directory in ["run", "urun"] {
            let remover = try ChildProcess(try requireProgram("rm"), ["-r", bench.directory.file(directory)])
            try remover.waitForExit()
            mkdir(bench.directory.file(directory), 0o700)
        }
        try bench.start(.daemon)
        // Nobody else asks for locations, so that the first is for it.
        witness = try ChaosDrive.startWitness(bench)
        try bench.gpsd.waitForWatch()
        let kept = try keptSequences(after: cursor)
        cuts.append(
            PowerCut(
                lost: heard.filter { $0 > cursor && !kept.contains($0) }, newest: formerlyHeard.max() ?? 0,
                most: pushed.reduce(0) { $0 + $1.1 }))
        try bench.start(.broker)
        try bench.start(.uplink)
    }

    private func keptSequences(after cursor: UInt64) throws -> Set<UInt64> {
        let connection = try LocationConnection(to: bench.address)
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

    private var heardOfWitness: Set<UInt64> {
        var found: Set<UInt64> = []
        for line in witness.outputLines where line.contains("didUpdateLocations") {
            for location in (try? JSON(parsing: line))?["params"]?["locations"]?.array ?? [] {
                if let sequence = location["sequence"]?.int { found.insert(UInt64(sequence)) }
            }
        }
        return found
    }

    var heard: Set<UInt64> { formerlyHeard.union(heardOfWitness) }

    /// Fixes that are not among the `sent` and should be.
    func missing(from sent: Set<UInt64>, heard: Set<UInt64>) -> Set<UInt64> {
        cuts.reduce(heard.subtracting(sent)) { $0.subtracting($1.lost) }
    }

    /// Fixes that were `sent` and nobody heard; those that are accepted as the power goes the witness need not have.
    func invented(in sent: Set<UInt64>, heard: Set<UInt64>) -> Set<UInt64> {
        sent.subtracting(heard).filter { sequence in
            !cuts.contains { cut in cut.newest < sequence && !heard.contains { $0 > cut.newest && $0 < sequence } }
        }
    }

    /// Power cuts that cost more than they may.
    func dearCuts(_ sent: Set<UInt64>) -> [String] {
        cuts.compactMap { cut in
            let lost = cut.lost.subtracting(sent).count
            return lost > cut.most ? "\(lost) of \(cut.most)" : nil
        }
    }

    /// The power cuts, for who looks for what was lost.
    var story: String {
        cuts.map { "cut behind \($0.newest), \($0.lost.count) not kept" }.joined(separator: "; ")
            + "; \(bench.status.map { "\($0)" } ?? ""); \(bench.uplink?.standardError.suffix(2000) ?? "")"
    }

    /// Fixes that power cuts have cost.
    func cost(_ sent: Set<UInt64>) -> Int { cuts.reduce(0) { $0 + $1.lost.subtracting(sent).count } }
}
