// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

/// A session and a daemon, between which anything may happen.
private struct RandomRun {
    var random: SplitMix64
    var machine: SessionMachine
    var daemon = ModelDaemon()
    var now = BootInstant(nanoseconds: 1)
    var told: [SessionEvent] = []
    var isConnected = false
    var wantsConnection = false
    let program: Program
    // What the program wishes.
    var wantsStandard = false
    /// Whose state it asked for.
    var identifiers: [String] = []
    /// How much was told when it requested the location that it waits for.
    var requestedAt: Int?
    var allowed: UInt64 = 0
    var streams: [SessionHandle: LiveConfiguration] = [:]
    var monitors: [SessionHandle: String] = [:]
    var sessions: Set<SessionHandle> = []
    var properties = ManagerProperties()
    var wantsHeading = false
    var lastHandle: UInt64 = 0

    /// What it does beside streams, monitors, sessions and properties.
    enum Program {
        /// Standard updates from beginning to end, with deferrals.
        case updates
        case requests
        /// All of it in any order, and services that start and stop.
        case everything
    }

    init(seed: UInt64, _ program: Program) {
        random = SplitMix64(seed: seed)
        self.program = program
        machine = SessionMachine(
            of: SessionApplication(name: nil, usageDescriptions: UsageDescriptions()), presence: .background)
        var effects: [SessionEffect] = []
        machine.begin(at: now, into: &effects)
        carryOut(effects)
        if program == .updates { perform(.startUpdatingLocation(resumeAfter: nil)) }
    }

    mutating func input(_ input: SessionInput) {
        var effects: [SessionEffect] = []
        machine.handle(input, at: now, into: &effects)
        carryOut(effects)
    }

    mutating func carryOut(_ effects: [SessionEffect]) {
        for effect in effects {
            switch effect {
            case .open: wantsConnection = true
            case .send(let id, let call): daemon.inbox.append((id, call))
            case .deliver(.refused(let command, let error)): Issue.record("refused \(command): \(error)")
            case .deliver(let event): told.append(event)
            case .close, .answer: Issue.record("unexpected \(effect)")
            }
        }
    }

    mutating func perform(_ command: SessionCommand) { input(.command(command)) }

    mutating func perform(_ request: Request) { perform(SessionCommand(request)) }

    mutating func connect() {
        guard wantsConnection else { return }
        wantsConnection = false
        isConnected = true
        input(.opened)
    }

    mutating func lose() {
        guard isConnected else { return }
        while !daemon.inbox.isEmpty, random.chance(0.6) { daemon.carryOutNext() }
        let written = Int(random.uniform(0...Double(daemon.output.count)))
        daemon.lose(written: written, repeating: random.chance(0.5) ? 0 : UInt64(random.uniform(0...3)))
        // What the client sends now reaches nobody.
        while let message = daemon.takeOutput() { input(.received(message)) }
        daemon.inbox = []
        if random.chance(0.3) { daemon.forgetManagers() }
        isConnected = false
        input(.closed(.unreadable(reason: "lost")))
    }

    mutating func wait() {
        now = now + .seconds(random.uniform(0...2))
        while let wake = machine.nextWake, wake <= now { input(.woken) }
    }

    mutating func step() {
        switch random.next() % 12 {
        case 0, 1: wish()
        case 2, 3, 4: if isConnected { daemon.carryOutNext() }
        case 5, 6, 7: if let message = daemon.takeOutput() { input(.received(message)) }
        case 8: daemon.fix()
        case 9: random.chance(0.5) ? daemon.finishDeferral() : daemon.answerRequest()
        case 10: if random.chance(0.4) { lose() }
        default: isConnected ? () : random.chance(0.5) ? connect() : wait()
        }
    }

    /// Until all is carried out, and several fixes have come through.
    mutating func settle() {
        var quiet = 0
        while quiet < 6 {
            if !isConnected, !wantsConnection { wait() }
            if !isConnected { connect() }
            if isConnected { daemon.carryOutNext() }
            if let message = daemon.takeOutput() { input(.received(message)) }
            guard isConnected, daemon.inbox.isEmpty, daemon.output.isEmpty else { continue }
            quiet += 1
            guard quiet < 6 else { return }
            daemon.fix()
            daemon.finishDeferral()
            daemon.answerRequest()
        }
    }

    mutating func wish() {
        lastHandle += 1
        let handle = SessionHandle(lastHandle)
        switch random.next() % 11 {
        case 0:
            streams[handle] = random.chance(0.5) ? .fitness : .default
            perform(SessionCommand(.startLiveUpdates(streams[handle] ?? .default), opening: handle))
        case 1:
            guard let old = streams.keys.sorted(by: { $0.number < $1.number }).first else { return }
            streams[old] = nil
            perform(SessionCommand(.stopLiveUpdates(updates: old.number)))
        case 2:
            monitors[handle] = "m\(lastHandle)"
            perform(SessionCommand(.openMonitor(name: "m\(lastHandle)"), opening: handle))
        case 3:
            guard let old = monitors.keys.sorted(by: { $0.number < $1.number }).first else { return }
            monitors[old] = nil
            perform(SessionCommand(.closeMonitor(monitor: old.number)))
        case 4:
            sessions.insert(handle)
            perform(
                SessionCommand(
                    .startServiceSession(
                        ServiceSessionParameters(requirement: .whenInUse, fullAccuracyPurposeKey: nil)), opening: handle
                ))
        case 5:
            guard let old = sessions.sorted(by: { $0.number < $1.number }).first else { return }
            sessions.remove(old)
            perform(SessionCommand(.invalidateServiceSession(session: old.number)))
        case 6:
            let patch = PropertiesPatch(headingFilter: Double(lastHandle))
            properties = patch.apply(to: properties)
            perform(.setProperties(patch))
        case 7:
            wantsHeading.toggle()
            perform(wantsHeading ? .startUpdatingHeading : .stopUpdatingHeading)
        case 8 where program == .updates: allow()
        case 9 where program == .updates: perform(.disallowDeferredLocationUpdates)
        default:
            switch program {
            case .updates: break
            case .requests: perform(.requestLocation(timeout: nil))
            case .everything: wishOfLocations()
            }
        }
    }

    private mutating func allow() {
        allowed += 1
        requestedAt = nil
        perform(.allowDeferredLocationUpdates(DeferralParameters(untilTraveled: nil, timeout: nil)))
    }

    private mutating func wishOfLocations() {
        switch random.next() % 8 {
        case 0, 1:
            (wantsStandard, requestedAt) = (true, nil)
            perform(.startUpdatingLocation(resumeAfter: nil))
        case 2:
            (wantsStandard, requestedAt) = (false, nil)
            perform(.stopUpdatingLocation)
        case 3: allow()
        case 4: perform(.disallowDeferredLocationUpdates)
        case 5:
            identifiers.append("r\(lastHandle)")
            perform(.requestState(identifier: "r\(lastHandle)"))
        case 6: perform(.requestWhenInUseAuthorization)
        default:
            if !wantsStandard { requestedAt = told.count }
            perform(.requestLocation(timeout: nil))
        }
    }
}

/// What a program was told, sorted.
private struct Outcome {
    /// Of the standard service's locations.
    var sequences: [UInt64] = []
    /// How many updates told what the program had.
    var repeats = 0
    /// Those since the program heard last that the service starts.
    var sinceStart: [UInt64] = []
    var finishes: [UInt64] = []
    var answers: [UInt64] = []
    var identifiers: Set<String> = []

    init(of told: [SessionEvent]) {
        for event in told {
            switch event {
            case .answered(let command, _) where command.method == .startUpdatingLocation: sinceStart = []
            case .told(let notification): note(notification)
            default: break
            }
        }
    }

    private mutating func note(_ notification: LocationProtocol.Notification) {
        switch notification {
        case .didUpdateLocations(let update) where update.source == .standard:
            let numbers = update.locations.map(\.sequence)
            // A start is answered with what is stored, also a second time.
            let last = sequences.last ?? 0
            let floor = update.isCached && numbers.first == last ? last - 1 : last
            if zip([floor] + numbers, numbers).contains(where: { $0 >= $1 }) { repeats += 1 }
            sequences += numbers
            sinceStart += update.locations.map(\.sequence)
        case .didUpdateLocations(let update): answers.append(update.request ?? 0)
        case .didFailWithError(_, _, let request): answers.append(request ?? 0)
        case .didFinishDeferredUpdates(let ordinal, _): finishes.append(ordinal)
        case .didDetermineState(let region, _): identifiers.insert(region.identifier)
        default: break
        }
    }
}

@Suite("A session whose connection breaks at any moment")
struct RandomSessionTests {
    @Test(
        "loses and repeats no location, finishes each deferral once and in order, and wants in the end what is wished",
        .tellsSeed)
    func updates() throws {
        for seed in SplitMix64.seeds(300) {
            var run = RandomRun(seed: seed, .updates)
            for _ in 0..<400 { run.step() }
            run.settle()
            check(run, "run \(seed)")
            var sequences: [UInt64] = []
            var finishes: [UInt64] = []
            for case .told(let notification) in run.told {
                switch notification {
                case .didUpdateLocations(let update): sequences += update.locations.map(\.sequence)
                case .didFinishDeferredUpdates(let ordinal, _): finishes.append(ordinal)
                default: break
                }
            }
            if let first = sequences.first {
                #expect(sequences == Array(first...run.daemon.newest), "run \(seed)")
            }
            #expect(finishes == Array(0..<run.allowed).map { $0 + 1 }, "run \(seed)")
        }
    }

    @Test("answers each one-shot request once", .tellsSeed)
    func requests() throws {
        var total = 0
        for seed in SplitMix64.seeds(300) {
            var run = RandomRun(seed: seed, .requests)
            for _ in 0..<400 { run.step() }
            run.settle()
            check(run, "run \(seed)")
            var answers: [UInt64] = []
            for case .told(let notification) in run.told {
                switch notification {
                case .didUpdateLocations(let update): answers += [update.request ?? 0]
                case .didFailWithError(_, _, let request): answers.append(request ?? 0)
                default: break
                }
            }
            #expect(answers == Array(0..<UInt64(answers.count)).map { $0 + 1 }, "run \(seed)")
            #expect(run.daemon.manager?.request == nil, "run \(seed)")
            total += answers.count
        }
        #expect(total > 300)
    }

    @Test("mixes starts, stops, requests and deferrals in any order, and owes nothing in the end", .tellsSeed)
    func everything() throws {
        for seed in SplitMix64.seeds(300) {
            var run = RandomRun(seed: seed, .everything)
            for _ in 0..<600 { run.step() }
            run.settle()
            check(run, "run \(seed)")
            check(Outcome(of: run.told), of: run, "run \(seed)")
        }
    }

    private func check(_ outcome: Outcome, of run: RandomRun, _ name: String) {
        #expect(outcome.repeats == 0, "\(name): a location came twice")
        #expect(run.daemon.manager?.wantsStandard == run.wantsStandard, "\(name)")
        // From the last start on, nothing is missing.
        if run.wantsStandard, let first = outcome.sinceStart.first {
            #expect(outcome.sinceStart == Array(first...run.daemon.newest), "\(name)")
        }
        #expect(!run.wantsStandard || !outcome.sinceStart.isEmpty, "\(name): the service is silent")
        #expect(outcome.finishes == Array(0..<run.allowed).map { $0 + 1 }, "\(name)")
        #expect(zip(outcome.answers, outcome.answers.dropFirst()).allSatisfy(<), "\(name): a request has two answers")
        #expect(run.daemon.manager?.request == nil, "\(name)")
        if let index = run.requestedAt {
            #expect(!Outcome(of: Array(run.told[index...])).answers.isEmpty, "\(name): a request has no answer")
        }
        #expect(Set(run.identifiers).isSubset(of: outcome.identifiers), "\(name)")
    }

    private func check(_ run: RandomRun, _ name: String) {
        let manager = run.daemon.manager
        let configurations = run.streams.values.map(\.rawValue).sorted()
        #expect(manager?.streams.values.map(\.rawValue).sorted() == configurations, "\(name)")
        #expect(manager?.monitors.values.sorted() == run.monitors.values.sorted(), "\(name)")
        #expect(manager?.sessions.count == run.sessions.count, "\(name)")
        #expect(manager?.properties == run.properties, "\(name)")
        #expect(manager?.wantsHeading == run.wantsHeading, "\(name)")
    }
}
