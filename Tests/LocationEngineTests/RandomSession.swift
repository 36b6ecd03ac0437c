// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTestSupport

/// Two clients of one app over the same random way: one defers, loses its connection and comes back as chance has it, the other
/// only listens.
struct RandomSession {
    struct Options {
        var filter = -1.0
        var canDetach = false
        var canKill = false
        var canChangeFilter = false
        var hasOutages = true
        var logCapacity = 16_384
    }

    /// One `allow`, and what it asked for.
    struct Allowance {
        var at: BootInstant
        var travelled: Double
        var metres: Double
        var seconds: Double
    }

    var bench: EngineBench
    let deferring: ManagerID
    let plain: ManagerID
    private(set) var allowances: [Allowance] = []
    private var random: SplitMix64
    private let options: Options
    private var place = 0.0

    init(seed: UInt64, _ options: Options, isRecording: Bool = false) {
        self.options = options
        random = SplitMix64(seed: seed)
        bench = EngineBench(.with(\.logCapacity, options.logCapacity), isRecording: isRecording)
        bench.wakeMoment = random.chance(0.5) ? .earliest : .latest
        deferring = bench.open()
        plain = bench.open()
        for client in [deferring, plain] { bench.ask(client, .properties(filter: options.filter)) }
        for client in [deferring, plain] { bench.ask(client, .start) }
    }

    /// `restarting`: the process is another one after each so many steps.
    mutating func run(steps: Int, restarting period: Int = .max) {
        for number in 1...steps {
            step()
            if number.isMultiple(of: period) { bench.restart() }
        }
        comeBack()
        bench.ask(deferring, .disallow)
    }

    private var isThere: Bool { bench.connections[deferring]?.isThere ?? false }

    private mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<60: move()
        case 60..<70: allow()
        case 70..<75: if isThere { bench.ask(deferring, .disallow) }
        case 75..<83: if isThere { bench.ask(deferring, random.chance(0.5) ? .foreground : .background) }
        case 83..<86: if isThere { bench.ask(deferring, .start) }
        case 86..<88: if options.hasOutages { bench.advance(by: random.uniform(5...45)) }
        case 88..<91: if options.canChangeFilter { changeFilter() }
        case 91..<96: if options.canDetach { leaveOrComeBack() }
        case 96..<98: if options.canKill { kill() }
        default: bench.handle(.woke)
        }
    }

    private mutating func move() {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            bench.advance(by: random.uniform(0.2...2))
            place += random.chance(0.3) ? random.gaussian() : random.uniform(-10...30)
            bench.fix(at: place, accuracy: random.uniform(3...15))
        }
    }

    private mutating func allow() {
        guard isThere else { return }
        let metres = random.chance(0.3) ? .infinity : random.uniform(-5...200)
        let seconds = random.chance(0.3) ? .infinity : random.uniform(-1...40)
        bench.ask(deferring, .allow(metres: metres, seconds: seconds))
        allowances.append(
            Allowance(
                at: bench.now, travelled: bench.log.entries.last?.fix.odometer ?? 0, metres: metres, seconds: seconds))
    }

    private mutating func changeFilter() {
        guard isThere else { return }
        let filter = random.chance(0.5) ? -1 : random.uniform(1...60)
        for client in [deferring, plain] { bench.ask(client, .properties(filter: filter)) }
    }

    private mutating func leaveOrComeBack() {
        guard isThere else { return comeBack() }
        bench.detach(deferring, unwritten: Int.random(in: 0...6, using: &random))
        // Back before the rejoin time is over.
        for _ in 0..<Int.random(in: 0...3, using: &random) { move() }
        comeBack()
    }

    private mutating func comeBack() {
        guard !isThere else { return }
        bench.attach(deferring, presence: random.chance(0.7) ? .background : .foreground)
    }

    private mutating func kill() {
        let skipped = ([0, 0, 3, 1000] as [UInt64]).randomElement(using: &random) ?? 0
        bench.kill(unwritten: [deferring: Int.random(in: 0...6, using: &random)], skipping: skipped)
        bench.attach(plain)
        for _ in 0..<Int.random(in: 0...2, using: &random) { move() }
        comeBack()
    }
}
