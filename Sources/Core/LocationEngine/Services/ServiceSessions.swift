// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// A session that a client holds: what it is doing, or what it needs (Protocol 6.8).
package struct Session: Sendable, Hashable {
    /// The kinds of sessions.
    package enum Kind: Sendable, Hashable {
        case backgroundActivity
        case service(ServiceSessionRequirement, wantsFullAccuracy: Bool)
    }

    /// Its number, from 1.
    package var number: UInt32
    /// A background activity, or the authorization that the app needs.
    package var kind: Kind
    /// The key of the reason for which it wants full accuracy; nil: it does not.
    package var purposeKey: String?
    /// The flags that its client was told last; nil: none yet.
    var toldFlags: DiagnosticFlags?

    /// The session `number`.
    package init(number: UInt32, kind: Kind, purposeKey: String? = nil) {
        self.number = number
        self.kind = kind
        self.purposeKey = purposeKey
    }

    var needsAlways: Bool { if case .service(.always, _) = kind { true } else { false } }

    var asksForLocation: Bool {
        switch kind {
        case .backgroundActivity, .service(.none, _): false
        case .service: true
        }
    }
}

/// Service sessions and background activity sessions (Protocol 6.4, 6.8, rules B1, B2): what clients declare, and what they are told of it.
///
/// A service session says what its app needs, asks a person for it, and is told as flags what stands against it; the flags are told when they
/// change, at the end of the turn. A background activity session keeps its app in use while no connection is there. An app whose manifest
/// demands it gets streams and monitors only while it holds such sessions. A fix costs nothing.
struct ServiceSessions: Service {
    /// The part of a manager's sessions that outlives a turn.
    struct Record: Sendable, Codable {
        /// The number of the last one.
        var lastNumber: UInt32 = 0
        @Stored var held: [Session] = []

        private enum CodingKeys: String, CodingKey { case lastNumber = "n", held = "h" }

        var isUsable: Bool { lastNumber.isUsable }
    }

    private var records = PerSlot<ManagerID, Record>(blank: Record())

    // MARK: Requests

    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        switch request {
        case .startBackgroundActivitySession: start(manager, .backgroundActivity, nil, &turn)
        case .startServiceSession(let session):
            let purposeKey = session.fullAccuracyPurposeKey
            let kind = Session.Kind.service(session.requirement, wantsFullAccuracy: purposeKey != nil)
            guard start(manager, kind, purposeKey, &turn) else { return true }
            turn.questions.append(.session(manager, purposeKey: purposeKey, canAsk: turn.circumstances.canAsk))
            turn.haveSessionsToTell = true
        case .invalidateBackgroundActivitySession(let number):
            invalidate(manager, number, &turn) { $0 == .backgroundActivity }
        case .invalidateServiceSession(let number):
            invalidate(manager, number, &turn) { $0 != .backgroundActivity }
        default: return false
        }
        return true
    }

    /// Returns whether there was room for it.
    @discardableResult
    private mutating func start(
        _ manager: ManagerID, _ kind: Session.Kind, _ purposeKey: String?, _ turn: inout Turn
    ) -> Bool {
        guard records[manager].held.count < turn.configuration.sessionsPerManager else {
            turn.refuse(manager, .limitExceeded)
            return false
        }
        records[manager].lastNumber += 1
        let number = records[manager].lastNumber
        records[manager].held.append(Session(number: number, kind: kind, purposeKey: purposeKey))
        turn.answer(manager, Reply(state: nil, opened: number))
        turn.changedSessions = manager
        turn.save(manager)
        return true
    }

    /// A session is invalidated as what it is. The answer comes after all that its end changes.
    private mutating func invalidate(
        _ manager: ManagerID, _ number: UInt64, _ turn: inout Turn, where isMeant: (Session.Kind) -> Bool
    ) {
        guard let index = records[manager].held.firstIndex(where: { $0.number == number && isMeant($0.kind) }) else {
            return turn.refuse(manager, .notFound)
        }
        records[manager].held.remove(at: index)
        turn.changedSessions = manager
        turn.answerAfterChanges = Reply(state: nil)
        turn.save(manager)
    }

    // MARK: Diagnosis

    /// Tells every session whose flags changed.
    mutating func tellChanged(_ directory: Directory, _ turn: inout Turn) {
        guard turn.haveSessionsToTell else { return }
        turn.haveSessionsToTell = false
        for index in directory.managers.indices where directory.managers[index].isOpen {
            tellMissed(ManagerID(rawValue: Int32(index)), directory, &turn)
        }
    }

    mutating func tellMissed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard !directory.isAway(manager), !records[manager].held.isEmpty else { return }
        for index in records[manager].held.indices {
            let session = records[manager].held[index]
            guard case .service(let requirement, let wantsFullAccuracy) = session.kind else { continue }
            let flags = diagnosis(of: manager, requirement, wantsFullAccuracy: wantsFullAccuracy, directory)
            guard flags != session.toldFlags else { continue }
            records[manager].held[index].toldFlags = flags
            turn.append(.sessionDiagnostic(manager, session: session.number, flags))
        }
    }

    /// The flags that say why a session does not get what it needs.
    private func diagnosis(
        of manager: ManagerID, _ requirement: ServiceSessionRequirement, wantsFullAccuracy: Bool, _ directory: Directory
    ) -> DiagnosticFlags {
        let authorization = directory.authorization(of: manager)
        let asked = directory[directory.identity(of: manager)].asked
        let sessionFlags = directory[directory.app(of: manager)].sessionFlags
        var flags = authorization.flags.union(sessionFlags.intersection(.insufficientlyInUse))
        if !asked.isEmpty { flags.insert(.authorizationRequestInProgress) }
        if requirement == .always, authorization.status == .authorizedWhenInUse, !asked.contains(AskedLevels(.always)) {
            flags.insert(.alwaysAuthorizationDenied)
        }
        if wantsFullAccuracy, authorization.isAuthorized, authorization.accuracy == .reduced,
            !asked.contains(AskedLevels(.temporaryFullAccuracy))
        {
            flags.insert(.fullAccuracyDenied)
        }
        return flags
    }

    // MARK: Effect on the app

    /// The flags of an app whose manifest demands service sessions. Its streams and monitors get nothing without one, nor in the background if
    /// the app is authorized when in use.
    func flags(of app: AppID, _ directory: Directory) -> DiagnosticFlags {
        let status = directory[app].authorization.status
        guard directory[directory[app].identity].requiresSessions, status != .denied, status != .restricted
        else { return [] }
        let open = directory.managers(of: app)
        // Services that go on for an absent app were started with a session.
        guard !open.isEmpty else { return [] }
        var flags: DiagnosticFlags = []
        if !open.contains(where: { records[$0].held.contains { $0.kind != .backgroundActivity } }) {
            flags.insert(.serviceSessionRequired)
        }
        let isInUse = open.contains {
            !directory.isAway($0) && directory[$0].presence == .foreground || hasBackgroundActivity($0)
        }
        if status == .authorizedWhenInUse, !isInUse { flags.insert(.insufficientlyInUse) }
        return flags
    }

    func hasBackgroundActivity(_ manager: ManagerID) -> Bool {
        records[manager].held.contains { $0.kind == .backgroundActivity }
    }

    func needsAlways(_ manager: ManagerID) -> Bool { records[manager].held.contains { $0.needsAlways } }

    func requires(_ requirement: ServiceSessionRequirement, _ manager: ManagerID) -> Bool {
        records[manager].held.contains { if case .service(requirement, _) = $0.kind { true } else { false } }
    }

    // MARK: The life of a manager

    mutating func attached(
        _ manager: ManagerID, delivered: ResumePoint, _ directory: Directory, _ turn: inout Turn
    ) {
        for index in records[manager].held.indices { records[manager].held[index].toldFlags = nil }
    }

    mutating func closed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) { records.clear(manager) }

    mutating func open(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        records[manager] = record.sessions
        for index in records[manager].held.indices { records[manager].held[index].toldFlags = nil }
    }

    mutating func goOn(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        records[manager] = record.sessions
    }

    func fill(_ record: inout ManagerRecord, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        record.sessions = records[manager]
    }

    // MARK: Questions

    func wants(_ manager: ManagerID, _ directory: Directory) -> Bool {
        records[manager].held.contains { $0.asksForLocation }
    }

    func fill(_ report: inout ManagerReport, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        report.sessions = records[manager].held
    }
}

/// In one text, because most have no purpose: the number, the kind (0 background activity, else a requirement and 10, and 100 with full accuracy),
/// the flags that were told or -1, the purpose.
extension Session: Recorded {
    var coded: String {
        let told = toldFlags.map { "\($0.rawValue)" } ?? "-1"
        return "\(number) \(kind.coded) \(told)" + (purposeKey.map { " \($0)" } ?? "")
    }

    init?(coded: String) {
        let parts = coded.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, let number = UInt32(parts[0]), number.isUsable,
            let kind = Int(parts[1]).flatMap({ Kind(coded: $0) }), let told = Int32(parts[2])
        else { return nil }
        self.init(number: number, kind: kind, purposeKey: parts.count == 4 ? String(parts[3]) : nil)
        toldFlags = UInt16(exactly: told).map { DiagnosticFlags(rawValue: $0) }
    }
}

extension Session.Kind: Recorded {
    var coded: Int {
        switch self {
        case .backgroundActivity: 0
        case .service(let requirement, let wantsFullAccuracy): 10 + requirement.rawValue + (wantsFullAccuracy ? 100 : 0)
        }
    }

    init?(coded: Int) {
        guard coded != 0 else {
            self = .backgroundActivity
            return
        }
        guard (10..<200).contains(coded) else { return nil }
        let wantsFullAccuracy = coded >= 100
        guard let requirement = ServiceSessionRequirement(rawValue: coded - 10 - (wantsFullAccuracy ? 100 : 0))
        else { return nil }
        self = .service(requirement, wantsFullAccuracy: wantsFullAccuracy)
    }
}
