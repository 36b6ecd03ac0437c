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
    private var fixes: [Fix] = []
    private var isReceiverOn = false
    private var onSince = Replay.start

    // Counts and times for the summary.
    private var epochs = 0
    private var seen = 0
    private var onTime = TimeSpan.zero
    private var starts = 0
    private var wakeups = 0
    private var delivered: UInt64 = 0
    private var lastEpoch: WallTime?

    // Later than zero, so that ages have room.
    private static let start = BootInstant(nanoseconds: 1_000_000_000_000)

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
        var reports: [GPSDReport] = []
        var isUnderstood = false
        while try reader.next(into: &reports) {
            isUnderstood = isUnderstood || !reports.isEmpty
            for report in reports { take(report) }
            reports.removeAll(keepingCapacity: true)
        }
        guard isUnderstood || reader.unusableLines == 0 else {
            throw SystemError(
                "cannot replay \(track): none of its lines is a whole NMEA sentence or one of gpsd's JSON objects")
        }
        if reader.unusableLines > 0 {
            service.journal.error("\(reader.unusableLines) lines of \(track) could not be used")
        }
        gatherer.finish(into: &fixes)
        handOver()
        carryOut(until: .distantFuture)
        finish()
    }

    // MARK: Time

    private func take(_ report: GPSDReport) {
        var hostTime = WallTime(milliseconds: recorded.start ?? 0)
        if case .tpv(let position) = report, let time = position.time {
            hostTime = time
            let isFirst = recorded.start == nil
            let passed = (now - Replay.start).nanoseconds / 1_000_000
            let moment = recorded.moment(of: time, by: position.receiver, after: passed)
            if isFirst { carryOut(until: now) }
            advance(to: Replay.start + .milliseconds(moment))
            if position.mode >= 2, position.latitude != nil, time != lastEpoch {
                epochs += 1
                lastEpoch = time
            }
        }
        guard isReceiverOn else { return }
        gatherer.receive(report, at: now, hostTime: hostTime, into: &fixes)
        handOver()
    }

    private func handOver() {
        for fix in fixes {
            if fix.location.isPlausible { seen += 1 }
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
                wakeups += 1
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
            delivered += manager.outbox.deliveredCount
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
            starts += 1
            onSince = now
        } else {
            onTime = onTime + (now - onSince)
            // An epoch that was begun ends here and is left out; the next report begins a new one.
            gatherer.finish(into: &fixes)
            fixes.removeAll(keepingCapacity: true)
        }
    }

    private func finish() {
        if isReceiverOn { onTime = onTime + (now - onSince) }
        delivered += manager?.outbox.deliveredCount ?? 0
        output.summarize(
            ReplaySummary(
                seconds: (now - Replay.start).seconds, fixes: epochs, seen: seen, receiverOnSeconds: onTime.seconds,
                receiverStarts: starts, wakeups: wakeups, delivered: delivered))
    }
}

/// The moments at which the reports of a track came, by the times in them, in milliseconds.
private struct RecordedTime {
    private struct Clock {
        var start: Int64
        var newest: WallTime
        var last: WallTime
    }

    /// The date at which the replay began, by the clock that was set back last; nil: no time was told yet.
    private(set) var start: Int64?
    /// A receiver that is behind when it is first heard has one of its own.
    private var clocks: [ReceiverID: Clock] = [:]

    /// How long after the beginning a report of a receiver came; `passed` are over by then. One that is older than another of the same receiver
    /// came late, right behind that; if the next one goes on from it, the clock was set back, and time goes on from where it stood.
    mutating func moment(of time: WallTime, by receiver: ReceiverID, after passed: Int64) -> Int64 {
        let first = min(start ?? .max, time.milliseconds - passed)
        var clock = clocks[receiver] ?? Clock(start: first, newest: time, last: time)
        start = start ?? first
        defer { clocks[receiver] = clock }
        let former = clock.last
        clock.last = time
        if time < clock.newest {
            guard time > former else { return passed + 1 }
            clock.start = former.milliseconds - passed
            start = clock.start
        }
        clock.newest = time
        return time.milliseconds - clock.start
    }
}

/// The last line of a replay.
struct ReplaySummary {
    /// From the track's first time to its last, or to the last request.
    let seconds: Double
    /// Epochs with a position in the track.
    let fixes: Int
    /// Of these, the ones that came while the receiver was on.
    let seen: Int
    let receiverOnSeconds: Double
    let receiverStarts: Int
    /// Timers that the engine asked for and that were served.
    let wakeups: Int
    /// Locations that the client was sent.
    let delivered: UInt64
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
