// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import Glibc
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices
import SystemSupport

/// `--replay`: a track through the same decoder, engine and encoder, in simulated time, as fast as it can.
///
/// Time is the track's own: the clock stands at the time of the report that is being read, and timers are served in between at
/// the moment they ask for. While the receiver would be off, reports pass unseen.
final class Replay {
    private let service: LocationService
    private let requests: [ReplayRequest]
    private let track: String
    private var reader: TrackReader
    private var gatherer: EpochGatherer
    private let output = ReplayOutput()
    private var manager: ClientManager?
    private var nextRequest = 0

    private var now = Replay.start
    private var recorded = RecordedTime()
    /// Reports that wait for the next date of their receiver.
    private var waiting: [TrackReport] = []
    private var fixes: [Fix] = []
    private var isReceiverOn = false
    private var onSince = Replay.start

    private var summary = ReplaySummary()
    private var lastEpoch: WallTime?

    // Later than zero, so that ages have room.
    private static let start = BootInstant(nanoseconds: 1_000_000_000_000)
    /// With so many behind it a date is believed.
    private static let mostWaiting = 64

    init(track: String, requests: String?, _ configuration: Configuration) throws {
        self.track = track
        reader = try TrackReader(path: track)
        self.requests = try requests.map { try ReplayRequest.read(path: $0) } ?? ReplayRequest.standard
        gatherer = EpochGatherer(factors: configuration.accuracy)
        let journal = Journal(level: .error)
        var configuration = configuration
        // Nobody is there to be asked: who would be is allowed.
        if configuration.authorization.defaultStatus == .notDetermined {
            configuration.authorization.defaultStatus = .authorizedAlways
        }
        service = LocationService(inMemory: configuration, journal: journal, at: Replay.start)
        // The same input gives the same output.
        var tokens: UInt64 = 0
        service.host.makeToken = {
            tokens += 1
            return ManagerToken(high: 0, low: tokens)
        }
        service.host.powerReceiver = { [unowned self] isOn, _ in power(isOn) }
        service.host.date = { [unowned self] in
            WallTime(
                milliseconds: (recorded.start ?? 0) + (now - Replay.start).nanoseconds / 1_000_000)
        }
    }

    func run() throws {
        var reports: [TrackReport] = []
        var isUnderstood = false
        while try reader.next(into: &reports) {
            isUnderstood = isUnderstood || !reports.isEmpty
            for report in reports {
                waiting.append(report)
                takeWaiting()
            }
            reports.removeAll(keepingCapacity: true)
        }
        takeWaiting(isAtEnd: true)
        guard isUnderstood || reader.faults.isEmpty else {
            throw SystemError(
                "cannot replay \(track): none of its lines is a whole NMEA sentence or one of gpsd's JSON objects")
        }
        for sentence in reader.faults.sentences(about: track) { service.journal.error(sentence) }
        gatherer.finish(into: &fixes)
        handOver()
        carryOut(until: .distantFuture)
        finish()
    }

    // MARK: Time

    /// Takes what waits, as far as its dates can be judged: of three in a row, one that is far ahead of both others is wrong.
    private func takeWaiting(isAtEnd: Bool = false) {
        while let first = waiting.first {
            var isWrong = false
            if case .tpv(let told) = first.report, let time = told.time, recorded.isFarAhead(time, by: told.receiver) {
                let next = waiting.lazy.compactMap { $0.time(by: told.receiver) }.first { $0 != time }
                guard next != nil || isAtEnd || waiting.count >= Replay.mostWaiting else { return }
                isWrong = next.map { !recorded.isFarAhead($0, by: told.receiver) } ?? false
            }
            if isWrong { reader.faults.note(.date, line: first.line) }
            take(waiting.removeFirst().report, hasWrongDate: isWrong)
        }
    }

    private func take(_ report: GPSDReport, hasWrongDate: Bool) {
        var hostTime = WallTime(milliseconds: recorded.start ?? 0)
        if case .tpv(let position) = report, let time = position.time {
            hostTime = time
            let isFirst = recorded.start == nil
            let passed = (now - Replay.start).nanoseconds / 1_000_000
            let moment = hasWrongDate ? passed + 1 : recorded.moment(of: time, by: position.receiver, after: passed)
            if isFirst { carryOut(until: now) }
            advance(to: Replay.start + .milliseconds(moment))
            if position.mode >= 2, position.latitude != nil, time != lastEpoch {
                summary.fixes += 1
                lastEpoch = time
            }
        }
        guard isReceiverOn else { return }
        gatherer.receive(report, at: now, hostTime: hostTime, into: &fixes)
        handOver()
    }

    private func handOver() {
        for fix in fixes {
            if fix.location.isPlausible { summary.seen += 1 }
            service.handle(.fixReceived(fix), at: now)
        }
        fixes.removeAll(keepingCapacity: true)
    }

    /// Moves the clock, which never goes back, and serves what is due on the way in the order of time.
    private func advance(to end: BootInstant) {
        while true {
            var next = end
            var isRequest = false
            if nextRequest < requests.count {
                let at = Replay.start + .seconds(requests[nextRequest].at)
                if at <= next {
                    next = at
                    isRequest = true
                }
            }
            if let deadline = gatherer.nextDeadline, deadline <= next, deadline <= end {
                now = max(now, deadline)
                gatherer.expire(at: now, into: &fixes)
                handOver()
                continue
            }
            if let wake = service.engine.nextWake, wake.earliest <= next {
                now = max(now, wake.earliest)
                summary.wakeups += 1
                service.handle(.woke, at: now)
                continue
            }
            now = max(now, next)
            guard isRequest else { return }
            carryOutNext()
        }
    }

    private func carryOut(until end: BootInstant) {
        while nextRequest < requests.count, Replay.start + .seconds(requests[nextRequest].at) <= end {
            now = max(now, Replay.start + .seconds(requests[nextRequest].at))
            carryOutNext()
        }
    }

    // MARK: The client

    private func carryOutNext() {
        let request = requests[nextRequest]
        nextRequest += 1
        switch request.action {
        case .disconnect:
            guard let manager else { return }
            summary.delivered += manager.outbox.deliveredCount
            service.disconnect(manager, at: now)
            self.manager = nil
        case .request(let decoded):
            let manager = self.manager ?? connect()
            self.manager = service.receive(decoded, from: manager, at: now)
            service.flush()
        }
    }

    private func connect() -> ClientManager {
        let uid = getuid()
        let peer = Peer(
            pid: getpid(), uid: uid, controlGroup: { ControlGroup(path: nil) }, isMember: { _ in false },
            isAdmin: { true })
        output.clock = { [unowned self] in (now - Replay.start).seconds }
        return service.openManager(peer: peer, channel: output)
    }

    // MARK: The receiver

    private func power(_ isOn: Bool) {
        guard isOn != isReceiverOn else { return }
        isReceiverOn = isOn
        if isOn {
            summary.receiverStarts += 1
            onSince = now
        } else {
            summary.receiverOnSeconds += (now - onSince).seconds
            // An epoch that was begun ends here and is left out; the next report begins a new one.
            gatherer.finish(into: &fixes)
            fixes.removeAll(keepingCapacity: true)
        }
    }

    private func finish() {
        if isReceiverOn { summary.receiverOnSeconds += (now - onSince).seconds }
        summary.delivered += manager?.outbox.deliveredCount ?? 0
        summary.seconds = (now - Replay.start).seconds
        output.summarize(summary)
    }
}

/// The last line of a replay.
struct ReplaySummary {
    /// From the track's first time to its last, or to the last request.
    var seconds = 0.0
    /// Epochs with a position in the track.
    var fixes = 0
    /// Of these, the ones that came while the receiver was on.
    var seen = 0
    var receiverOnSeconds = 0.0
    var receiverStarts = 0
    /// Timers that the engine asked for and that were served.
    var wakeups = 0
    /// Locations that the client was sent.
    var delivered: UInt64 = 0
}

/// Prints what the client would be sent, each line with its moment.
final class ReplayOutput: Channel {
    /// Seconds of the replay's clock.
    var clock: () -> Double = { 0 }
    private var buffer: [UInt8] = []

    func write(_ bytes: UnsafeRawBufferPointer) -> ChannelWritten {
        var writer = JSONWriter(appendingTo: [])
        swap(&writer.bytes, &buffer)
        writer.beginObject()
        writer.name("at")
        writer.decimal(clock(), places: 3)
        writer.name("message")
        // Without its line feed.
        writer.raw(bytes.dropLast())
        writer.endObject()
        writer.bytes.append(UInt8(ascii: "\n"))
        swap(&writer.bytes, &buffer)
        if buffer.count > 1 << 16 { drain() }
        return .bytes(bytes.count)
    }

    func summarize(_ summary: ReplaySummary) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("summary")
        writer.beginObject()
        let counts: [(name: StaticString, value: Double)] = [
            ("seconds", summary.seconds), ("fixes", Double(summary.fixes)), ("seen", Double(summary.seen)),
            ("receiverOnSeconds", summary.receiverOnSeconds), ("receiverStarts", Double(summary.receiverStarts)),
            ("wakeups", Double(summary.wakeups)), ("delivered", Double(summary.delivered)),
        ]
        for (name, value) in counts {
            writer.name(name)
            writer.decimal(value, places: 3)
        }
        writer.endObject()
        writer.endObject()
        buffer += writer.bytes + [UInt8(ascii: "\n")]
        drain()
    }

    private func drain() {
        StandardStream.output.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
