// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport

/// A session's machine, driven step by step, with all that it did.
struct MachineRun {
    private(set) var machine: SessionMachine
    var now = BootInstant(nanoseconds: 1_000_000_000)
    /// What the program was told.
    var told: [SessionEvent] = []
    /// What the daemon was asked and has not answered.
    private(set) var asked: [(id: RequestID, call: Call)] = []
    /// The answers to queries: whether each was one.
    private(set) var answers: [UInt64: Bool] = [:]
    private(set) var opens = 0
    private(set) var closes = 0

    init(isWatched: Bool = true, isNameAssumed: Bool = false) {
        let application = SessionApplication(
            name: "tests", usageDescriptions: UsageDescriptions(), isNameAssumed: isNameAssumed)
        machine = SessionMachine(of: application, presence: .background)
        var effects: [SessionEffect] = []
        machine.begin(at: now, isWatched: isWatched, into: &effects)
        note(effects)
    }

    /// A run whose session is connected, and has told nothing yet.
    static func connected() throws -> MachineRun {
        var run = MachineRun()
        try run.connect()
        run.told = []
        return run
    }

    private mutating func note(_ effects: [SessionEffect]) {
        for effect in effects {
            switch effect {
            case .open:
                opens += 1
                // Nobody answers what was asked over another connection.
                asked = []
            case .close: closes += 1
            case .send(let id, let call): asked.append((id, call))
            case .deliver(let event): told.append(event)
            case .answer(let number, let result): answers[number] = (try? result.get()) != nil
            }
        }
    }

    mutating func input(_ input: SessionInput) {
        var effects: [SessionEffect] = []
        machine.handle(input, at: now, into: &effects)
        note(effects)
    }

    mutating func perform(_ commands: SessionCommand...) {
        for command in commands { input(.command(command)) }
    }

    mutating func perform(_ requests: Request...) {
        for request in requests { input(.command(SessionCommand(request))) }
    }

    mutating func end() {
        var effects: [SessionEffect] = []
        machine.end(into: &effects)
        note(effects)
    }

    mutating func leave() {
        var effects: [SessionEffect] = []
        machine.leave(into: &effects)
        note(effects)
    }

    /// Lets time pass, waking the machine whenever it wants to.
    mutating func wait(_ seconds: Double) {
        let end = now + .seconds(seconds)
        while let wake = machine.nextWake, wake <= end {
            now = max(now, wake)
            input(.woken)
        }
        now = end
    }

    // MARK: The daemon

    mutating func connect(_ token: UInt64 = 1, rejoined: Bool = false, protocolVersion: Int = 1) throws {
        input(.opened)
        var greeting = HelloResult.greeting(token, rejoined: rejoined)
        greeting.protocolVersion = protocolVersion
        try answer(greeting)
    }

    /// Connects as soon as the session tries again after a loss.
    mutating func reconnect(_ token: UInt64) throws {
        wait(1)
        try connect(token)
    }

    mutating func lose() {
        asked = []
        input(.closed(.unreadable(reason: "lost")))
    }

    private mutating func next() throws -> RequestID {
        guard !asked.isEmpty else { throw TestFailure("cannot answer: nothing is asked") }
        return asked.removeFirst().id
    }

    private mutating func reply(_ line: [UInt8]) throws { input(.received(try ServerMessage.decode(line.dropLast()))) }

    /// Answers the oldest question.
    mutating func answer(_ result: some Encodable) throws { try reply(ReplyWriter.result(try next(), result)) }

    mutating func answer() throws { try reply(ReplyWriter.empty(try next())) }

    mutating func refuse(_ code: RPCErrorCode) throws {
        try reply(ReplyWriter.refusal(try next(), RPCError(code, "no")))
    }

    /// Somebody writes `line`, whatever it is.
    mutating func hear(_ line: String) {
        do {
            input(.received(try ServerMessage.decode(Array(line.utf8))))
        } catch {
            input(.unreadable(error))
        }
    }

    /// Refuses the connection.
    mutating func refuseConnection(_ code: RPCErrorCode) throws {
        try reply(ReplyWriter.refusal(nil, RPCError(code, "no")))
    }

    mutating func tell(_ notification: Notification) { input(.received(.notification(notification, sequence: 1))) }

    mutating func update(_ sequences: UInt64..., cached: Bool = false, source: LocationSource = .standard) {
        tell(
            .didUpdateLocations(
                LocationUpdate(locations: sequences.map { Lines.location($0) }, source: source, isCached: cached)))
    }

    var calls: [Call] { asked.map(\.call) }
    /// The same; nil: no request of the manager.
    var requests: [Request?] { calls.map(\.request) }
    var words: [String] { told.flatMap(\.words) }
}
