// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

/// What one line on a connection would say.
enum Line: Equatable, Sendable {
    case reply(Reply)
    case locations([UInt64], Delivery)
    case finish(FinishedDeferral)
    case fail(LocationErrorCode, source: LocationSource?, request: UInt32)
    case cancel(request: UInt32, by: RequestCancellation)
    case authorization(Authorization, initial: Bool)
    case pause(isPaused: Bool, PauseReason)
    case live(LiveElement)
    case heading(Heading)
    case rangingFailed(LocationErrorCode, BeaconIdentity)
    case ranged(BeaconIdentity, [RangedBeacon])
    case beaconsWanted(WantedBeacons)
    case session(UInt32, DiagnosticFlags)
    case temporaryFullAccuracy(LocationErrorCode?)
    case event(AppEvent, monitor: UInt32)
    case regionState(String, RegionState)
    case regionStarted(String)
    case regionFailed(String, LocationErrorCode)
}

extension Line: CustomStringConvertible {
    /// Short, for tables: `standard 4-6 deferral 1 early`, `finish 1 error 15`, `reply running deferral 1`.
    var description: String {
        switch self {
        case .reply(let reply):
            "reply" + (reply.state.map { " \($0.rawValue)" } ?? "") + numbers(reply.deferral, reply.request)
        case .locations(let sequences, let delivery):
            delivery.source.rawValue + " " + range(sequences) + numbers(delivery.deferral, delivery.request)
                + words(delivery.flags)
        case .finish(let finished):
            "finish \(finished.number)" + (finished.error.map { " error \($0.rawValue)" } ?? "")
        case .fail(let code, let source, let request):
            "fail \(code.rawValue)" + (source.map { " \($0.rawValue)" } ?? "") + numbers(0, request)
        case .cancel(let request, let cause): "cancel \(request) by \(cause)"
        case .authorization(let authorization, let initial):
            "authorization \(authorization.status) \(authorization.accuracy)"
                + (authorization.isProvisional ? " provisional" : "") + (initial ? " initial" : "")
        case .pause(let isPaused, let reason): "\(isPaused ? "pause" : "resume") \(reason.rawValue)"
        case .live(let element):
            "update \(element.updates)" + (element.sequence == 0 ? "" : " at \(element.sequence)")
                + (element.isStationary ? " stationary" : "") + element.flags.names.map { " \($0)" }.joined()
        case .rangingFailed(let code, _): "ranging failed \(code.rawValue)"
        case .ranged(_, let beacons):
            "ranged" + beacons.map { " \($0.beacon.minor) \($0.proximity.rawValue)" }.joined(separator: ",")
        case .beaconsWanted(let wanted):
            "wanted" + (wanted.any ? " any" : wanted.uuids.map { " \($0.prefix(1))" }.joined())
                + (wanted.onlyMonitored ? " monitored" : "")
        case .heading(let heading): "heading \(heading.trueHeading ?? heading.magneticHeading ?? -1)"
        case .session(let number, let flags): "session \(number)" + flags.names.map { " \($0)" }.joined()
        case .temporaryFullAccuracy(let code): "temporaryFullAccuracy" + (code.map { " error \($0.rawValue)" } ?? "")
        case .event(let event, _): "\(event.words) event \(event.number)"
        case .regionState(let identifier, let state): "\(identifier) is \(state)"
        case .regionStarted(let identifier): "\(identifier) started"
        case .regionFailed(let identifier, let code): "\(identifier) failed \(code.rawValue)"
        }
    }

    private func numbers(_ deferral: UInt32, _ request: UInt32) -> String {
        (deferral == 0 ? "" : " deferral \(deferral)") + (request == 0 ? "" : " request \(request)")
    }

    private func range(_ sequences: [UInt64]) -> String {
        guard let first = sequences.first, let last = sequences.last else { return "nothing" }
        if first == last { return "\(first)" }
        let isWhole = UInt64(sequences.count) == last - first + 1
        return isWhole ? "\(first)-\(last)" : sequences.map { "\($0)" }.joined(separator: ",")
    }

    private func words(_ flags: DeliveryFlags) -> String {
        let all: [(DeliveryFlags, String)] = [
            (.cached, " cached"), (.early, " early"), (.gap, " gap"), (.reduced, " reduced"),
        ]
        return all.filter { flags.contains($0.0) }.map(\.1).joined()
    }
}

extension AppEvent {
    /// What happened, for tables: `enter home`, `arrival`, `m/home satisfied`.
    var words: String {
        switch content {
        case .region(let region, let state, _): "\(state == .inside ? "enter" : "exit") \(region.identifier)"
        case .visit(let visit): visit.departure == nil ? "arrival" : "departure"
        case .monitor(let name, let identifier, let event):
            "\(name)/\(identifier) \(event.state)" + event.flags.names.map { " \($0)" }.joined()
        case .significantChange(let location, _): "significantChange \(location.sequence)"
        case .notice(let notice, _, _): "notice \(notice.title)"
        }
    }
}

/// The accepted fixes, of which the oldest are overwritten.
struct BenchLog: Sendable {
    struct Entry: Sendable {
        var fix: AcceptedFix
        var at: BootInstant
    }

    let capacity: Int
    private(set) var entries: [Entry] = []

    init(capacity: Int) { self.capacity = capacity }

    mutating func append(_ fix: AcceptedFix, at now: BootInstant) {
        if entries.count == capacity { entries.removeFirst() }
        entries.append(Entry(fix: fix, at: now))
    }

    func locations(_ range: ClosedRange<UInt64>) -> [Location] {
        guard let oldest = entries.first?.fix.location.sequence, range.upperBound >= oldest else { return [] }
        return entries.lazy.map(\.fix.location).filter { range.contains($0.sequence) }
    }

    subscript(sequence: UInt64) -> AcceptedFix? { entries.last { $0.fix.location.sequence == sequence }?.fix }
}

/// One manager as its client and the shell see it.
struct BenchConnection: Sendable {
    var app: AppID
    var isThere = true
    /// It said `events: true`.
    var keepsEvents = false
    /// Events that wait for the client to be back.
    var outbox: [Line] = []
    /// Events that this connection was told of, by number and monitor.
    var told: [[UInt64]] = []
    /// What it asked for last.
    var asked: Request?
    var streams: Set<UInt32> = []
    var sessions: Set<UInt32> = []
    var monitors: Set<UInt32> = []
    var wantsHeading = false
    var lines: [(at: BootInstant, line: Line)] = []
    /// Lines that a test has looked at.
    var seen = 0
    /// What the daemon said before this was read by the client: it sent a request after it.
    var confirmed = 0
    /// Where standard delivery began last, and how many lines there were then.
    var position: (sequence: UInt64, line: Int) = (0, 0)
    var wantsStandard = false
    var wantsSignificant = false
    var openRequests: Set<UInt32> = []
    var lastRequest: UInt32 = 0
    var allowed: UInt32 = 0
    var finished: Set<UInt32> = []
    /// The newest standard location since delivery began or went on.
    var newestStandard: UInt64 = 0

    /// The answer to what it asked for last.
    var lastReply: Reply? {
        for case (_, .reply(let reply)) in lines.reversed() { return reply }
        return nil
    }

    /// The last standard location whose line was wholly written.
    var delivered: UInt64 {
        for (_, line) in lines[min(position.line, lines.count)...].reversed() {
            if case .locations(let sequences, let delivery) = line, delivery.isStandardStream, let last = sequences.last
            {
                return last
            }
        }
        return position.sequence
    }

    /// All standard locations that the client got, cached ones left out.
    var standardSequences: [UInt64] {
        lines.flatMap { entry -> [UInt64] in
            guard case .locations(let sequences, let delivery) = entry.line, delivery.isStandardStream else {
                return []
            }
            return sequences
        }
    }

    var finishes: [FinishedDeferral] {
        lines.compactMap { if case .finish(let finished) = $0.line { finished } else { nil } }
    }

    /// The connection broke before the last `count` lines were written. What a later request confirmed stays.
    mutating func lose(_ count: Int) {
        let kept = max(lines.count - count, confirmed)
        lines.removeLast(lines.count - kept)
        seen = min(seen, kept)
        position.line = min(position.line, kept)
        finished = Set(finishes.map(\.number))
    }
}

extension Delivery {
    var isStandardStream: Bool { source == .standard && !flags.contains(.cached) }
}
