// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The one connection to gpsd, as a machine without sockets and clocks: told what happened, it says what to do.
///
/// It connects once at the start to learn whether gpsd is there, and after that only while fixes are wanted. Without
/// demand it does not wake at all. `nextWake` has to be read again after every call.
package struct GPSDConnectionMachine {
    static let connectLimit = TimeSpan.seconds(10)
    static let confirmationLimit = TimeSpan.seconds(5)
    // A connection that is lost is replaced at once, but not one after another without end.
    static let immediateRetryInterval = TimeSpan.seconds(10)

    /// The status for people.
    package private(set) var status: GPSDConnectionStatus
    /// Lines that could not be used so far: too long, not whole, of too many receivers.
    package var unusableLines: Int { framer.skippedLines + decoder.malformedLines + decoder.droppedReports }

    private let decoder = GPSDDecoder()
    private var framer = GPSDLineFramer()
    private var gatherer: EpochGatherer
    private var silence = SilenceWatch()
    private var backoff: ConnectBackoff
    private var isWanted = false
    // When the state must be left: a connection made, a subscription confirmed, the next attempt.
    private var stateDeadline: BootInstant?
    private var wasUseful = false
    // There is a connection to what may be gpsd, and in the state `connecting` it has not spoken yet.
    private var hasConnection = false
    private var lastImmediateRetry: BootInstant?
    private var scratch: [Fix] = []
    private var sky = KeptSky()
    /// Satellites that a receiver heard at once since there is no fix, the most of them; nil: there is one, and nobody counts.
    private var heardSatellites: Int?

    /// A machine at rest, for the gpsd at `address` (words only, as people gave it).
    ///
    /// - Parameters:
    ///   - jitterSeed: spreads the attempts to connect.
    ///   - waits: between attempts to connect, from the first to the longest.
    ///   - longestGathering: no epoch is held back longer for what is still to come.
    package init(
        address: String, jitterSeed: UInt64, factors: AccuracyFactors = AccuracyFactors(),
        waits: ClosedRange<TimeSpan> = .milliseconds(500) ... .seconds(30),
        longestGathering: TimeSpan = .milliseconds(150)
    ) {
        status = GPSDConnectionStatus(address: address, state: .disconnected, since: BootInstant(nanoseconds: 0))
        gatherer = EpochGatherer(factors: factors, longestGathering: longestGathering)
        backoff = ConnectBackoff(seed: jitterSeed, shortest: waits.lowerBound, longest: waits.upperBound)
        scratch.reserveCapacity(8)
    }

    /// The receivers ever heard.
    package var receivers: [ReceiverState] {
        gatherer.receiverStates(paths: decoder.paths).map { state in
            guard let line = sky.newest(of: state.receiver) else { return state }
            var counted = state
            let count = line.bytes.withUnsafeBytes { decoder.countSatellites(in: $0) }
            (counted.satellitesSeen, counted.satellitesUsed) = (count?.seen, count?.used)
            return counted
        }
    }

    /// gpsd's name of a receiver; nil: it was never heard.
    package func path(of receiver: ReceiverID) -> String? {
        let index = Int(receiver.rawValue)
        return decoder.paths.indices.contains(index) ? decoder.paths[index] : nil
    }

    /// The satellites that `receiver` heard last, nil for it: those that any did; nil: none did for long, or nobody needs the receivers.
    package func satellites(of receiver: ReceiverID?, at now: BootInstant) -> KeptSky.Heard? {
        guard isWanted, hasConnection, let line = sky.newest(of: receiver), now - line.at <= KeptSky.lifetime else {
            return nil
        }
        return KeptSky.Heard(receiver: line.receiver, satellites: decoder.satellites(in: line.bytes), at: line.at)
    }

    // MARK: - What happens

    /// The service begins.
    package mutating func started(at now: BootInstant, into commands: inout [GPSDCommand]) {
        guard status.state == .disconnected else { return }
        connect(at: now, into: &commands)
    }

    /// Fixes are wanted from now on, or no longer.
    package mutating func demandChanged(isWanted: Bool, at now: BootInstant, into commands: inout [GPSDCommand]) {
        guard isWanted != self.isWanted else { return }
        self.isWanted = isWanted
        switch (status.state, isWanted) {
        case (.disconnected, true): connect(at: now, into: &commands)
        case (.connected, true): subscribe(at: now, into: &commands)
        case (.connecting, true) where hasConnection: subscribe(at: now, into: &commands)
        case (.subscribing, false), (.watching, false): unsubscribe(at: now, into: &commands)
        case (.waiting, false): enter(.disconnected, at: now, into: &commands)
        default: break
        }
    }

    /// The connection that was asked for is there.
    package mutating func connected(at now: BootInstant, into commands: inout [GPSDCommand]) {
        guard status.state == .connecting, !hasConnection else { return }
        framer.reset()
        wasUseful = false
        hasConnection = true
        if isWanted {
            subscribe(at: now, into: &commands)
        } else {
            stateDeadline = now + Self.confirmationLimit
        }
    }

    /// The connection that was asked for could not be made; `reason` as the system words it.
    package mutating func connectFailed(reason: String, at now: BootInstant, into commands: inout [GPSDCommand]) {
        guard status.state == .connecting, !hasConnection else { return }
        status.lastError = "cannot connect to \(status.address): \(reason)"
        retryLater(at: now, into: &commands)
    }

    /// The connection ended; `reason` as the system words it, nil if gpsd closed it in order.
    package mutating func closed(reason: String? = nil, at now: BootInstant, into commands: inout [GPSDCommand]) {
        guard hasConnection else { return }
        let words = reason ?? "gpsd closed the connection"
        status.lastError = "cannot read from \(status.address): \(words)"
        let mayRetryAtOnce =
            wasUseful && isWanted && lastImmediateRetry.map { now - $0 >= Self.immediateRetryInterval } ?? true
        leaveConnection(into: &commands)
        guard mayRetryAtOnce else { return retryLater(at: now, into: &commands) }
        lastImmediateRetry = now
        backoff.reset()
        connect(at: now, into: &commands)
    }

    /// Bytes came from gpsd, split anyhow.
    package mutating func received(
        _ bytes: UnsafeRawBufferPointer, at now: BootInstant, hostTime: WallTime, into commands: inout [GPSDCommand]
    ) {
        guard hasConnection else { return }
        var framer = GPSDLineFramer()
        swap(&framer, &self.framer)
        framer.receive(bytes) { line in
            guard hasConnection else { return }
            guard let report = decoder.decode(line) else {
                if !status.hasSpoken { failAsNoGPSD(at: now, into: &commands) }
                return
            }
            noteGPSD(report, at: now, into: &commands)
            handle(report, at: now, hostTime: hostTime, into: &commands)
            if case .sky(let report) = report, report.listsSatellites, isWanted {
                sky.keep(line, of: report.receiver, at: now)
                if let most = heardSatellites, let count = decoder.countSatellites(in: line) {
                    heardSatellites = max(most, count.heard)
                }
            }
        }
        swap(&framer, &self.framer)
        guard hasConnection else { return }
        silence.heardGPSD()
        settleSilence(at: now)
    }

    /// The time that `nextWake` named has come; being early does no harm.
    package mutating func woke(at now: BootInstant, into commands: inout [GPSDCommand]) {
        gatherer.expire(at: now, into: &scratch)
        flush(into: &commands)
        if let stateDeadline, stateDeadline <= now {
            switch status.state {
            case .waiting: connect(at: now, into: &commands)
            case .connecting where hasConnection: failAsNoGPSD(at: now, into: &commands)
            case .subscribing where !status.hasSpoken: failAsNoGPSD(at: now, into: &commands)
            case .connecting: fail("cannot connect to \(status.address): no answer", at: now, into: &commands)
            case .subscribing:
                fail(
                    "cannot watch \(status.address): gpsd did not confirm within \(Int(Self.confirmationLimit.seconds)) s",
                    at: now, into: &commands)
            default: break
            }
        }
        guard status.state == .watching else { return }
        if let giveUpAt = silence.giveUpAt, giveUpAt <= now {
            let limit = Int(SilenceWatch.answerLimit.seconds)
            return fail(
                "cannot read from \(status.address): gpsd did not answer for \(limit) s", at: now, into: &commands)
        }
        if let question = nextQuestion, question <= now {
            silence.asked(at: now)
            commands.append(.send(.devices))
        }
    }

    /// When `woke` is due; nil if nothing has to happen, which is so whenever nobody wants fixes.
    package var nextWake: WakeWindow? {
        var window: WakeWindow?
        func add(_ instant: BootInstant?, slack: TimeSpan) {
            guard let instant else { return }
            let next = WakeWindow(earliest: instant, latest: instant + slack)
            window = window?.merged(with: next) ?? next
        }
        add(gatherer.nextDeadline, slack: .milliseconds(5))
        add(stateDeadline, slack: .milliseconds(100))
        if status.state == .watching {
            add(nextQuestion, slack: .milliseconds(500))
            add(silence.giveUpAt, slack: .seconds(1))
        }
        return window
    }
}

// MARK: - States

extension GPSDConnectionMachine {
    private mutating func enter(
        _ state: GPSDConnectionState, until deadline: BootInstant? = nil, at now: BootInstant,
        into commands: inout [GPSDCommand]
    ) {
        stateDeadline = deadline
        guard status.state != state else { return }
        status.state = state
        status.since = now
        commands.append(.stateChanged(state))
    }

    private mutating func connect(at now: BootInstant, into commands: inout [GPSDCommand]) {
        enter(.connecting, until: now + Self.connectLimit, at: now, into: &commands)
        commands.append(.connect)
    }

    private mutating func subscribe(at now: BootInstant, into commands: inout [GPSDCommand]) {
        silence = SilenceWatch()
        heardSatellites = 0
        commands.append(.send(.watch))
        enter(.subscribing, until: now + Self.confirmationLimit, at: now, into: &commands)
    }

    private mutating func unsubscribe(at now: BootInstant, into commands: inout [GPSDCommand]) {
        gatherer.finish(into: &scratch)
        flush(into: &commands)
        commands.append(.send(.unwatch))
        guard status.hasSpoken else {
            return enter(.connecting, until: now + Self.confirmationLimit, at: now, into: &commands)
        }
        enter(.connected, at: now, into: &commands)
    }

    private mutating func confirmed(at now: BootInstant, into commands: inout [GPSDCommand]) {
        wasUseful = true
        backoff.reset()
        status.lastError = nil
        enter(.watching, at: now, into: &commands)
    }

    private mutating func failAsNoGPSD(at now: BootInstant, into commands: inout [GPSDCommand]) {
        fail("\(status.address) does not speak gpsd's protocol", at: now, into: &commands)
    }

    // gpsd says its version before all else; of one that does not, any report that only gpsd makes will do.
    private mutating func noteGPSD(_ report: GPSDReport, at now: BootInstant, into commands: inout [GPSDCommand]) {
        if case .other = report { return }
        guard !status.hasSpoken else { return }
        status.hasSpoken = true
        if status.state == .connecting { enter(.connected, at: now, into: &commands) }
    }

    private mutating func fail(_ words: String, at now: BootInstant, into commands: inout [GPSDCommand]) {
        status.lastError = words
        commands.append(.disconnect)
        leaveConnection(into: &commands)
        retryLater(at: now, into: &commands)
    }

    private mutating func leaveConnection(into commands: inout [GPSDCommand]) {
        gatherer.disconnected(into: &scratch)
        flush(into: &commands)
        hasConnection = false
        status.hasSpoken = false
        status.release = nil
        status.protocolVersion = nil
    }

    private mutating func retryLater(at now: BootInstant, into commands: inout [GPSDCommand]) {
        if isWanted {
            enter(.waiting, until: now + backoff.next(), at: now, into: &commands)
        } else {
            enter(.disconnected, at: now, into: &commands)
        }
    }
}

// MARK: - Reports

extension GPSDConnectionMachine {
    private mutating func handle(
        _ report: GPSDReport, at now: BootInstant, hostTime: WallTime, into commands: inout [GPSDCommand]
    ) {
        switch report {
        case .version(let release, let major, let minor):
            wasUseful = true
            if status.release == nil {
                status.release = release
                status.protocolVersion = "\(major).\(minor)"
            }
            if !isWanted { status.lastError = nil }
        case .watch(isEnabled: true, isJSON: true):
            if status.state == .subscribing { confirmed(at: now, into: &commands) }
        case .error(let message):
            status.lastError = "cannot make gpsd at \(status.address) understand: \(message)"
        case .devices(let devices):
            gather(report, at: now, hostTime: hostTime, into: &commands)
            if silence.isAsking { judge(devices, at: now, hostTime: hostTime, into: &commands) }
        case .att(let attitude):
            gather(report, at: now, hostTime: hostTime, into: &commands)
            if isWanted { commands.append(.attitude(attitude)) }
        case .tpv, .sky, .gst:
            // It was on its way when the demand ended.
            guard isWanted else { return }
            gather(report, at: now, hostTime: hostTime, into: &commands)
            if case .tpv(let report) = report, report.mode < 2 {
                commands.append(.noFix(satellites: heardSatellites ?? 0))
                heardSatellites = heardSatellites ?? 0
            }
        case .device:
            gather(report, at: now, hostTime: hostTime, into: &commands)
        case .watch, .other:
            break
        }
    }

    private mutating func gather(
        _ report: GPSDReport, at now: BootInstant, hostTime: WallTime, into commands: inout [GPSDCommand]
    ) {
        gatherer.receive(report, at: now, hostTime: hostTime, into: &scratch)
        flush(into: &commands)
    }

    // An answer to a question about silence: who is listed with old data, or without after having been heard, is lost.
    private mutating func judge(
        _ devices: [DeviceReport], at now: BootInstant, hostTime: WallTime, into commands: inout [GPSDCommand]
    ) {
        for device in devices {
            let patience = gatherer.patience(with: device.receiver)
            let heard = gatherer.lastHeard(device.receiver)
            if let heard, now - heard <= patience { continue }
            if let activated = device.activated {
                let age = TimeSpan.milliseconds(max(hostTime.milliseconds - activated.milliseconds, 0))
                guard age > patience else { continue }
            } else {
                guard let heard, heard >= status.since else { continue }
            }
            gatherer.giveUp(device.receiver, into: &scratch)
        }
        flush(into: &commands)
    }

    private var nextQuestion: BootInstant? {
        gatherer.silence(since: status.since).map {
            silence.nextQuestion(deadline: $0.deadline, patience: gatherer.patience(with: $0.receiver))
        }
    }

    private mutating func settleSilence(at now: BootInstant) {
        guard silence.isAsking else { return }
        let deadline = gatherer.silence(since: status.since)?.deadline
        if deadline.map({ $0 > now }) ?? true { silence.silenceEnded() }
    }

    // A receiver is found before its first fix and lost after its last.
    private mutating func flush(into commands: inout [GPSDCommand]) {
        gatherer.takePresenceChanges { changes in
            for change in changes where change.isPresent { commands.append(.receiverFound(change.receiver)) }
            for fix in scratch {
                heardSatellites = nil
                commands.append(.fix(fix))
            }
            for change in changes where !change.isPresent { commands.append(.receiverLost(change.receiver)) }
        }
        scratch.removeAll(keepingCapacity: true)
    }
}
