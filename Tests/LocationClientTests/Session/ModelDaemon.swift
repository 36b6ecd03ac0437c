// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport

/// As much of a daemon as a session can tell from the real one, with one connection, that loses what a real one may lose.
struct ModelDaemon {
    struct Manager {
        var properties = ManagerProperties()
        var wantsStandard = false
        var wantsHeading = false
        /// Locations up to this one were written; up to that one before the service started.
        var cursor: UInt64 = 0
        var start: UInt64 = 0
        /// What follows the reply to the request that is being answered.
        var owesCached = false
        var owesState: String?
        var deferral: UInt64?
        var lastDeferral: UInt64 = 0
        /// Finishes that no later request confirmed.
        var finishes: [(number: UInt64, error: LocationErrorCode?)] = []
        var request: UInt64?
        var lastRequest: UInt64 = 0
        var streams: [UInt64: LiveConfiguration] = [:]
        var lastStream: UInt64 = 0
        var monitors: [UInt64: String] = [:]
        var lastMonitor: UInt64 = 0
        var sessions: Set<UInt64> = []
        var lastSession: UInt64 = 0
    }

    enum Output {
        case reply([UInt8])
        case told(Notification)
    }

    private(set) var managers: [ManagerToken: Manager] = [:]
    private var current: ManagerToken?
    private(set) var newest: UInt64 = 0
    private var lastToken: UInt64 = 0
    var inbox: [(id: RequestID, call: Call)] = []
    private(set) var output: [Output] = []

    /// The manager of the connection.
    var manager: Manager? { current.flatMap { managers[$0] } }

    private mutating func change(_ body: (inout Manager, inout [Output], _ newest: UInt64) -> Void) {
        guard let current, var manager = managers[current] else { return }
        body(&manager, &output, newest)
        managers[current] = manager
    }

    // MARK: Output

    mutating func takeOutput() -> ServerMessage? {
        guard !output.isEmpty else { return nil }
        switch output.removeFirst() {
        case .told(let notification): return .notification(notification, sequence: 1)
        case .reply(let line): return try? ServerMessage.decode(line.dropLast())
        }
    }

    /// The connection breaks: the client gets `written` lines more, and the rest is gone.
    mutating func lose(written: Int, repeating: UInt64) {
        let lost = output.dropFirst(written)
        output = Array(output.prefix(written))
        inbox = []
        change { manager, _, _ in
            for case .told(.didUpdateLocations(let update)) in lost where update.source == .standard {
                let first = max(update.locations.first?.sequence ?? 0, manager.start + 1)
                manager.cursor = min(manager.cursor, first - 1)
            }
            for case .told(.didFinishDeferredUpdates(let number, let error)) in lost
            where !manager.finishes.contains(where: { $0.number == number }) {
                manager.finishes.append((number, error?.code))
            }
            // A daemon that died may not know that it wrote the last lines.
            manager.cursor -= min(repeating, manager.cursor - manager.start)
        }
        current = nil
    }

    mutating func forgetManagers() { managers = [:] }

    // MARK: What happens

    mutating func fix() {
        newest += 1
        change { manager, output, newest in
            guard manager.wantsStandard, manager.deferral == nil else { return }
            ModelDaemon.catchUp(&manager, to: newest, into: &output)
        }
    }

    private static func catchUp(_ manager: inout Manager, to newest: UInt64, into output: inout [Output]) {
        guard manager.wantsStandard, manager.cursor < newest else { return }
        let locations = (manager.cursor + 1...newest).map { Lines.location($0) }
        output.append(.told(.didUpdateLocations(LocationUpdate(locations: locations, source: .standard))))
        manager.cursor = newest
    }

    mutating func finishDeferral(_ error: LocationErrorCode? = nil) {
        change { manager, output, newest in ModelDaemon.finish(&manager, error, newest, into: &output) }
    }

    private static func finish(
        _ manager: inout Manager, _ error: LocationErrorCode?, _ newest: UInt64, into output: inout [Output]
    ) {
        guard let number = manager.deferral else { return }
        manager.deferral = nil
        manager.finishes.append((number, error))
        output.append(.told(.didFinishDeferredUpdates(deferral: number, error: error.map { LocationError($0) })))
        catchUp(&manager, to: newest, into: &output)
    }

    mutating func answerRequest() {
        change { manager, output, newest in
            guard let number = manager.request else { return }
            manager.request = nil
            let update = LocationUpdate(locations: [Lines.location(newest)], source: .request, request: number)
            output.append(.told(.didUpdateLocations(update)))
        }
    }

    // MARK: Requests

    mutating func carryOutNext() {
        guard !inbox.isEmpty else { return }
        let (id, call) = inbox.removeFirst()
        if case .hello(let hello) = call { return greet(id, hello) }
        change { manager, output, newest in
            manager.finishes = []
            guard case .asked(let request) = call else { return output.append(.reply(ReplyWriter.empty(id))) }
            let result = ModelDaemon.carryOut(request, &manager, newest, &output)
            output.append(.reply(result.line(id)))
            ModelDaemon.catchUpAfter(request, &manager, newest, &output)
        }
    }

    private mutating func greet(_ id: RequestID, _ hello: HelloParameters) {
        if let token = hello.manager, managers[token] != nil {
            current = token
            output.append(.reply(ReplyWriter.result(id, HelloResult.greeting(token.low, rejoined: true))))
            change { manager, output, newest in
                for (number, error) in manager.finishes {
                    let error = error.map { LocationError($0) }
                    output.append(.told(.didFinishDeferredUpdates(deferral: number, error: error)))
                }
                if manager.deferral == nil { ModelDaemon.catchUp(&manager, to: newest, into: &output) }
            }
        } else {
            lastToken += 1
            let greeting = HelloResult.greeting(lastToken)
            current = greeting.manager
            managers[greeting.manager] = Manager()
            output.append(.reply(ReplyWriter.result(id, greeting)))
        }
    }

    private enum Answer {
        case empty
        case state(StateResult)
        case monitor(UInt64)
        case session(UInt64)
        case notFound

        func line(_ id: RequestID) -> [UInt8] {
            switch self {
            case .empty: ReplyWriter.empty(id)
            case .state(let result): ReplyWriter.result(id, result)
            case .monitor(let number): ReplyWriter.result(id, MonitorResult(monitor: number, identifiers: []))
            case .session(let number): ReplyWriter.result(id, SessionResult(session: number))
            case .notFound: ReplyWriter.refusal(id, RPCError(.notFound, "cannot find it"))
            }
        }
    }

    private static func carryOut(
        _ asked: Request, _ manager: inout Manager, _ newest: UInt64, _ output: inout [Output]
    ) -> Answer {
        switch asked {
        case .setProperties(let patch): manager.properties = patch.apply(to: manager.properties)
        case .startUpdatingHeading:
            manager.wantsHeading = true
            return .state(StateResult(.running))
        case .stopUpdatingHeading: manager.wantsHeading = false
        case .startUpdatingLocation(let resumeAfter):
            cancelRequest(&manager, .startUpdatingLocation, &output)
            if !manager.wantsStandard {
                manager.cursor = resumeAfter ?? newest
                manager.start = manager.cursor
                manager.owesCached = resumeAfter == nil && newest > 0
            }
            manager.wantsStandard = true
            return .state(StateResult(.running))
        case .stopUpdatingLocation:
            cancelRequest(&manager, .stopUpdatingLocation, &output)
            finish(&manager, .deferredCanceled, newest, into: &output)
            manager.wantsStandard = false
        case .requestState(let identifier):
            manager.owesState = identifier
            return .state(StateResult(.running))
        case .requestWhenInUseAuthorization: return .state(StateResult(.alreadyDetermined))
        case .requestLocation:
            if manager.wantsStandard { return .state(StateResult(.ignored)) }
            if manager.request == nil {
                manager.lastRequest += 1
                manager.request = manager.lastRequest
            }
            return .state(StateResult(.running, request: manager.request))
        case .allowDeferredLocationUpdates:
            cancelRequest(&manager, .allowDeferredLocationUpdates, &output)
            finish(&manager, .deferredCanceled, newest, into: &output)
            manager.lastDeferral += 1
            manager.deferral = manager.lastDeferral
            return .state(StateResult(.running, deferral: manager.lastDeferral))
        case .disallowDeferredLocationUpdates: finish(&manager, .deferredCanceled, newest, into: &output)
        default: return carryOutNumbered(asked, &manager)
        }
        return .empty
    }

    private static func cancelRequest(
        _ manager: inout Manager, _ cause: RequestCancellation, _ output: inout [Output]
    ) {
        guard let request = manager.request else { return }
        manager.request = nil
        output.append(.told(.didCancelRequest(request, by: cause)))
    }

    private static func carryOutNumbered(_ asked: Request, _ manager: inout Manager) -> Answer {
        switch asked {
        case .startLiveUpdates(let configuration):
            manager.lastStream += 1
            manager.streams[manager.lastStream] = configuration
            return .state(StateResult(.running, updates: manager.lastStream))
        case .stopLiveUpdates(let number):
            return manager.streams.removeValue(forKey: number) == nil ? .notFound : .empty
        case .openMonitor(let name):
            manager.lastMonitor += 1
            manager.monitors[manager.lastMonitor] = name
            return .monitor(manager.lastMonitor)
        case .closeMonitor(let number):
            return manager.monitors.removeValue(forKey: number) == nil ? .notFound : .empty
        case .startServiceSession, .startBackgroundActivitySession:
            manager.lastSession += 1
            manager.sessions.insert(manager.lastSession)
            return .session(manager.lastSession)
        case .invalidateServiceSession(let number), .invalidateBackgroundActivitySession(let number):
            return manager.sessions.remove(number) == nil ? .notFound : .empty
        default: return .empty
        }
    }

    // What a request causes follows its reply.
    private static func catchUpAfter(
        _ asked: Request, _ manager: inout Manager, _ newest: UInt64, _ output: inout [Output]
    ) {
        if manager.owesCached {
            manager.owesCached = false
            output.append(
                .told(
                    .didUpdateLocations(
                        LocationUpdate(locations: [Lines.location(newest)], source: .standard, isCached: true))))
        }
        if let identifier = manager.owesState {
            manager.owesState = nil
            let region = Region(
                identifier: identifier,
                shape: .circle(center: Coordinate(latitude: 0, longitude: 0), radius: 100))
            output.append(.told(.didDetermineState(region, .inside)))
        }
        if case .allowDeferredLocationUpdates = asked, !manager.wantsStandard {
            finish(&manager, .deferredNotUpdatingLocation, newest, into: &output)
        }
        if case .startUpdatingLocation = asked, manager.deferral == nil { catchUp(&manager, to: newest, into: &output) }
    }
}
