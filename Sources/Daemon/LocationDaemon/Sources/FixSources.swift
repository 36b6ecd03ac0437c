// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices
import SystemSupport

/// All sources as one: all are asked when locations are wanted, and the engine chooses among their receivers (`ReceiverChoice`).
final class FixSources {
    private let sources: [any FixSource]
    private unowned let service: LocationService
    /// Which receiver to prefer, and when a location is lost.
    var settings: Configuration.GPSD
    /// The engine's number of a source's receiver, by the source and the number there.
    private var numbers: [[ReceiverID?]]
    /// Which receiver has a number.
    private var origins: [(source: Int, receiver: ReceiverID)] = []
    private var preferred: ReceiverID?

    /// Joins `sources` to the service; the first is the one whose problem people hear of first.
    package init(_ sources: [any FixSource], for service: LocationService, _ settings: Configuration.GPSD) {
        self.sources = sources
        self.settings = settings
        self.service = service
        numbers = sources.map { _ in [] }
        // The service keeps this, which only borrows the service.
        service.host.powerReceiver = { [self] isOn, now in
            for source in self.sources { source.setDemand(isOn, at: now) }
        }
        service.host.satellites = { [self] now in satellites(at: now) }
        service.host.locationAsked = { [self] now in for source in self.sources { source.noteAsked(at: now) } }
        service.host.receiverProblem = { [self] in problem(at: bootClock()) }
        for (index, source) in sources.enumerated() {
            source.fixReceived = { [unowned self] fix, now in
                var fix = fix
                fix.receiver = number(of: fix.receiver, of: index, at: now)
                let accepted = self.service.engine.accepted
                self.service.handle(.fixReceived(fix), at: now)
                guard fix.location.kind == .receiver, self.service.engine.accepted > accepted else { return }
                for (other, source) in self.sources.enumerated() where other != index {
                    source.noteMeasured(fix.location, at: now)
                }
            }
            source.noFixReported = { [unowned self] satellites, now in
                self.service.handle(.noFixReported(satellites: satellites), at: now)
            }
            source.fixEnded = { [unowned self] now in self.service.handle(.locationEnded, at: now) }
            source.headingReceived = { [unowned self] heading, now in
                self.service.handle(.headingReceived(heading), at: now)
            }
        }
    }

    func start(at now: BootInstant) {
        // A former process may have had a fix just now.
        if let last = service.engine.lastLocation, let date = service.engine.lastFixAt, last.kind == .receiver {
            for source in sources { source.noteMeasured(last, at: date) }
        }
        for source in sources { source.start(at: now) }
    }

    /// When `wakeDue` is to be called if nothing else happens; nil: never.
    var nextWake: WakeWindow? {
        var next: WakeWindow?
        for source in sources {
            guard let wake = source.nextWake else { continue }
            next = next?.merged(with: wake) ?? wake
        }
        return next
    }

    /// Wakes those whose time has come.
    func wakeDue(at now: BootInstant) {
        for source in sources {
            if let wake = source.nextWake, wake.earliest <= now { source.woke(at: now) }
        }
    }

    /// All receivers, for people.
    func receivers(at now: BootInstant) -> [ReceiverStatus] {
        sources.enumerated().flatMap { index, source in
            source.receivers(at: now).enumerated().map { own, status in
                guard own < numbers[index].count, let receiver = numbers[index][own] else { return status }
                var status = status
                status.preferred = receiver == service.engine.receivers.current
                if status.mode >= 2, service.engine.receivers.repeatsTime(receiver) { status.repeatsTime = true }
                return status
            }
        }
    }

    /// The satellites of the receiver in use, else of any.
    private func satellites(at now: BootInstant) -> SatellitesResult {
        let current = service.engine.receivers.current.map { origins[Int($0.rawValue)] }
        if let current, let found = sources[current.source].satellites(of: current.receiver, at: now) { return found }
        return sources.lazy.compactMap { $0.satellites(of: nil, at: now) }.first ?? SatellitesResult()
    }

    /// The configuration may name another receiver than before.
    func notePreference(at now: BootInstant) {
        let wanted = settings.preferredReceiver
        let index = wanted.isEmpty ? nil : origins.firstIndex { sources[$0.source].path(of: $0.receiver) == wanted }
        let found = index.map { ReceiverID(rawValue: Int32($0)) }
        guard found != preferred else { return }
        preferred = found
        service.handle(.receiverPreferred(found), at: now)
    }

    private func number(of receiver: ReceiverID, of source: Int, at now: BootInstant) -> ReceiverID {
        let own = Int(receiver.rawValue)
        if own < numbers[source].count, let known = numbers[source][own] { return known }
        while numbers[source].count <= own { numbers[source].append(nil) }
        let number = ReceiverID(rawValue: Int32(origins.count))
        numbers[source][own] = number
        origins.append((source, receiver))
        notePreference(at: now)
        return number
    }

    /// Why a running service has nothing to deliver; nil: it has.
    private func problem(at now: BootInstant) -> String? {
        let notice = sources.lazy.compactMap(\.notice).first
        if notice == nil, let last = service.engine.lastFixAt, service.engine.accepted > 0, now - last < settings.loss {
            return nil
        }
        let stopped = receivers(at: now).first { $0.repeatsTime == true && !$0.lost }
        let problem = stopped.map { "the receiver \($0.path) repeats its time" } ?? sources.first?.problem
        guard let notice else { return problem }
        return problem.map { "\($0); \(notice)" }
    }
}
