// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// What is known of a manager beside its `ManagerState` while its client is connected: what the client was told, and where exactly its
/// services stand. With both, another process goes on with the very connection, and nothing is told twice (protocol.md 5, orderly stop).
///
/// What another process of the same boot reads must not depend on how this one was built: numbers, and no names of cases.
package struct KeptManager: Sendable, Codable {
    /// The standard service, as it runs.
    package struct Standard: Sendable, Codable {
        var startedAt: Int64
        var mode: UInt8
        var isFirstPending: Bool
        var hasGap: Bool
        var countsFromCursor: Bool
        var hasToldLoss: Bool
        var latitude: Double
        var longitude: Double
        var referenceAccuracy: Double
        var cursor: UInt64
        var held: Int
        var filtered: UInt64
        var paused: UInt64
    }

    /// A stream of live updates.
    package struct Stream: Sendable, Codable {
        var number: UInt32
        var startedAt: Int64
        var isResting: Bool
        var hasToldLoss: Bool
        var toldFlags: UInt16
    }

    /// A condition of a monitor that the manager holds.
    package struct Watched: Sendable, Codable {
        var monitor: UInt32
        var identifier: String
        /// 0: nothing is pending.
        var pendingNumber: UInt64
        var pendingState: Int
        var pendingDate: Int64
        var pendingFlags: UInt16
        var obstacle: UInt16
        var owesState: Bool
        var standing: Int
    }

    /// Where the device is with respect to a region of the manager's app; what is not known is left out.
    package struct Place: Sendable, Codable {
        var identifier: String
        var state: Int
    }

    /// What the client takes for its app's authorization: what came of it since then is to be told.
    package struct Known: Sendable, Codable {
        var status: Int
        var accuracy: Int
        var isProvisional: Bool
        var isDeniedGlobally: Bool
    }

    var known: Known
    var hasAnnouncedAuthorization: Bool
    var awaitedStates: [String]
    var toldSignificantEvent: UInt64
    var filtered: UInt64
    var paused: UInt64
    var standard: Standard?
    var hasToldSignificantLoss: Bool
    var requestsWithoutGain: Int
    var streams: [Stream]
    /// Degrees.
    var heading: Double?
    /// By session, in their order; nil: nothing was told.
    var sessionFlags: [UInt16?]
    var conditions: [Watched]
    var regions: [Place]
}

/// Where the device rests, for those who are silent until it moves.
package struct KeptRest: Sendable, Codable {
    var activity: Int
    var latitude: Double
    var longitude: Double
    var weight: Double
    var since: Int64
}

/// The reduced view that was computed last: there is one in its time, however many processes there are in it (protocol.md, reduced accuracy).
package struct KeptView: Sendable, Codable {
    var computedAt: Int64
    var latitude: Double
    var longitude: Double
    /// The fix that it was computed from; nil: the newest in the log that gave a view.
    var sequence: UInt64?

    /// The same view as if it were computed at another instant.
    package func computed(at instant: BootInstant) -> KeptView {
        var view = self
        view.computedAt = instant.nanoseconds
        return view
    }

    /// The view if no fix may replace it yet; what a file says of it may be anything.
    package func inForce(at now: BootInstant) -> KeptView? {
        let instant = BootInstant(nanoseconds: computedAt)
        guard computedAt >= 0, instant <= now, ReducedViewClock(computedAt: instant).isInForce(at: now),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { return nil }
        return self
    }
}

/// What goes on in another process because its clients never went, and what waits for clients that did. Told before any other manager is
/// opened.
package struct KeptClients: Sendable {
    /// The managers; their apps are entered, and nothing is opened at their numbers.
    package var managers: [(manager: ManagerID, state: ManagerState, kept: KeptManager)] = []
    /// Managers of clients that have to come back, away; their apps are entered, too.
    package var absent: [(manager: ManagerID, state: ManagerState)] = []
    /// Questions that wait for a person, oldest first.
    package var requests: [AuthorizationRequest] = []
    /// Where the device rests.
    package var rests: [KeptRest] = []
    /// Where travel counts from; nil: from the last location.
    package var anchor: Coordinate?
    /// The reduced view computed last, which holds for its time; nil: the next fix gives one.
    package var view: KeptView?
    /// Events that wait for a person to say that "always" is meant.
    package var held: [(app: AppID, event: AppEvent, since: BootInstant)] = []

    /// Nobody.
    package init() {}
}

extension KeptManager {
    /// Whether every number is one that a running manager can have; what is not is handed over by nobody.
    package var isUsable: Bool {
        let counts = [
            toldSignificantEvent, filtered, paused, standard?.cursor ?? 0, standard?.filtered ?? 0,
            standard?.paused ?? 0,
        ]
        let isStandardUsable =
            standard.map {
                (0...Int(Int32.max)).contains($0.held)
                    && Coordinate(latitude: $0.latitude, longitude: $0.longitude).isValid
            } ?? true
        return isStandardUsable && (0...Int(Int32.max)).contains(requestsWithoutGain)
            && (counts + conditions.map(\.pendingNumber)).allSatisfy { $0 <= Location.greatestSequence }
            && conditions.allSatisfy { WallTime(milliseconds: $0.pendingDate).isWritable }
    }
}

extension KeptRest {
    /// Whether the device can have rested so.
    package var isUsable: Bool {
        Coordinate(latitude: latitude, longitude: longitude).isValid && weight > 0 && weight.isFinite
    }
}

extension KeptView {
    /// Whether there can be such a view.
    package var isUsable: Bool { Coordinate(latitude: latitude, longitude: longitude).isValid }
}

extension Engine {
    /// What another process needs to go on with the manager's connection; the manager is open, and its connection is there.
    package func kept(_ manager: ManagerID) -> KeptManager {
        let open = managers[manager.index]
        let authorization = authorization(of: manager)
        return KeptManager(
            known: KeptManager.Known(
                status: authorization.status.rawValue, accuracy: authorization.accuracy.rawValue,
                isProvisional: authorization.isProvisional, isDeniedGlobally: authorization.isDeniedGlobally),
            hasAnnouncedAuthorization: open.hasAnnouncedAuthorization, awaitedStates: open.awaitedStates,
            toldSignificantEvent: open.toldSignificantEvent, filtered: open.filtered, paused: open.paused,
            standard: standard[of: manager].map { KeptManager.Standard($0) },
            hasToldSignificantLoss: significant[of: manager]?.hasToldLoss ?? false,
            requestsWithoutGain: requests[of: manager]?.withoutGain ?? 0,
            streams: live[of: manager]?.streams.map { KeptManager.Stream($0) } ?? [],
            heading: headings[of: manager]?.told, sessionFlags: open.sessions.map { $0.toldFlags?.rawValue },
            conditions: open.monitors.flatMap { monitor in
                conditions(ofMonitor: monitor.name, of: open.app).map { KeptManager.Watched($0, monitor.number) }
            }, regions: places(of: open.app))
    }

    /// Of an app's regions, by identifier.
    private func places(of app: AppID) -> [KeptManager.Place] {
        apps[app.index].regions.keys.sorted().compactMap { identifier in
            guard let handle = apps[app.index].regions[identifier], regions.state(of: handle) != .unknown else {
                return nil
            }
            return KeptManager.Place(identifier: identifier, state: regions.state(of: handle).rawValue)
        }
    }

    /// Where travel counts from, for another process.
    package var keptAnchor: Coordinate? { odometer.anchor }

    /// The reduced view that was computed last, for another process.
    package var keptView: KeptView? { reducedClock.kept(place: reducedPlace, reducedSequence) }

    /// The newest event of an app that waits for a person to say that "always" is meant, and since when; nil: none waits.
    package func heldEvent(of app: AppID) -> (event: AppEvent, since: BootInstant)? {
        apps[app.index].heldEvent.map { ($0, apps[app.index].heldSince) }
    }

    /// Where the device rests, for another process.
    package var keptRests: [KeptRest] {
        Engine.restingActivities.compactMap { rest[$0.rawValue].kept(activity: $0.rawValue) }
    }
}

extension KeptManager.Standard {
    init(_ service: StandardService) {
        self.init(
            startedAt: service.startedAt.nanoseconds, mode: service.mode.rawValue,
            isFirstPending: service.isFirstPending, hasGap: service.hasGap, countsFromCursor: service.countsFromCursor,
            hasToldLoss: service.hasToldLoss, latitude: service.reference.latitude,
            longitude: service.reference.longitude, referenceAccuracy: service.referenceAccuracy,
            cursor: service.cursor, held: service.held, filtered: service.filtered, paused: service.paused)
    }

    func restore(_ service: inout StandardService) {
        service.startedAt = BootInstant(nanoseconds: startedAt)
        service.mode = StandardService.Mode(rawValue: mode) ?? .live
        service.isFirstPending = isFirstPending
        service.hasGap = hasGap
        service.countsFromCursor = countsFromCursor
        service.hasToldLoss = hasToldLoss
        service.reference = Coordinate(latitude: latitude, longitude: longitude)
        service.referenceAccuracy = referenceAccuracy
        service.cursor = cursor
        service.held = held
        service.filtered = filtered
        service.paused = paused
    }
}

extension KeptManager.Stream {
    init(_ stream: LiveService.Stream) {
        self.init(
            number: stream.number, startedAt: stream.startedAt.nanoseconds, isResting: stream.isResting,
            hasToldLoss: stream.hasToldLoss, toldFlags: stream.toldFlags.rawValue)
    }

    func restore(_ stream: inout LiveService.Stream) {
        stream.startedAt = BootInstant(nanoseconds: startedAt)
        stream.isResting = isResting
        stream.hasToldLoss = hasToldLoss
        stream.toldFlags = DiagnosticFlags(rawValue: toldFlags)
    }
}

extension KeptManager.Watched {
    init(_ condition: Condition, _ monitor: UInt32) {
        self.init(
            monitor: monitor, identifier: condition.identifier, pendingNumber: condition.pendingNumber,
            pendingState: condition.pending?.state.rawValue ?? 0,
            pendingDate: condition.pending?.date.milliseconds ?? 0,
            pendingFlags: condition.pending?.flags.rawValue ?? 0, obstacle: condition.obstacle.rawValue,
            owesState: condition.owesState, standing: condition.standing.rawValue)
    }

    func restore(_ condition: inout Condition) {
        condition.obstacle = DiagnosticFlags(rawValue: obstacle)
        condition.owesState = owesState
        condition.standing = ConditionState(rawValue: standing) ?? condition.standing
        condition.pendingNumber = 0
        condition.pending = nil
        guard pendingNumber != 0, let state = ConditionState(rawValue: pendingState) else { return }
        condition.pendingNumber = pendingNumber
        condition.pending = ConditionEvent(
            state: state, date: WallTime(milliseconds: pendingDate),
            refinement: state == .satisfied ? condition.shape : nil, flags: DiagnosticFlags(rawValue: pendingFlags))
    }
}

extension KeptManager.Known {
    /// nil: no such authorization.
    var authorization: Authorization? {
        guard let status = AuthorizationStatus(rawValue: status),
            let accuracy = AccuracyAuthorization(rawValue: accuracy)
        else { return nil }
        return Authorization(
            status: status, accuracy: accuracy, isProvisional: isProvisional, isDeniedGlobally: isDeniedGlobally)
    }
}
