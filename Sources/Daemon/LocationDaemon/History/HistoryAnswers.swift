// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices
import LocationStore

/// Answers requests about the history, each with a bounded piece of work: who wants more asks again.
struct HistoryAnswers {
    let service: LocationService
    let keeper: HistoryKeeper

    /// The answer; nil: it is another request.
    func answer(to request: ClientRequest) throws(RPCError) -> [UInt8]? {
        switch request.call {
        case .history(let query):
            try check(query.from, query.to)
            let isReduced = try admit(request.manager)
            return ReplyWriter.result(request.id, try page(query, isReduced: isReduced, for: request.manager))
        case .historyEvents(let query, let name):
            try check(query.from, query.to)
            let isReduced = try admit(request.manager)
            let app = try name.map { name throws(RPCError) in try identify(name, request) } ?? own(request.manager)
            return ReplyWriter.result(request.id, try events(query, of: app, isReduced: isReduced))
        case .ledger(let from, let to):
            try check(from, to)
            return ReplyWriter.result(request.id, try ledger(from, to, for: request))
        case .forgetHistory(let from, let to):
            try check(from, to)
            // The ledger would bring back later what it has not accounted for yet.
            service.settleLedger(at: request.now)
            let forgotten = try asking { () throws(StoreError) in try keeper.forget(from: from, to: to) }
            if forgotten.more == nil {
                service.journal.info("history is forgotten\(stretch(from, to)), says \(request.manager.decider)")
            }
            return ReplyWriter.result(request.id, forgotten)
        default: return nil
        }
    }

    // An answer of nothing would hide a mistake.
    private func check(_ from: WallTime?, _ to: WallTime?) throws(RPCError) {
        guard let from, let to, from >= to else { return }
        throw RPCError(
            .invalidParams, "cannot take to: given \(to.rfc3339), allowed is a time after from, \(from.rfc3339)")
    }

    /// Refuses whom nothing of the history is told. Returns whether only the reduced view is.
    private func admit(_ manager: ClientManager) throws(RPCError) -> Bool {
        if manager.peer.isAdmin() { return false }
        guard let manifest = manager.who.manifest, manifest.readsHistory else {
            throw RPCError(
                .notPermitted,
                "cannot tell the history: only uid 0, members of the admin group and apps with History=yes in their manifest may read it"
            )
        }
        let authorization = service.engine.authorization(of: manager.id)
        guard authorization.status == .authorizedAlways, !authorization.isProvisional else {
            throw RPCError(
                .notPermitted, "cannot tell the history: \(manifest.identifier) is not authorized always")
        }
        return authorization.accuracy == .reduced
            || service.engine.properties(of: manager.id).desiredAccuracy == .reduced
    }

    private func page(
        _ query: HistoryQuery, isReduced: Bool, for manager: ClientManager
    ) throws(RPCError) -> HistoryPageWriter {
        var page = HistoryPageWriter(limit: query.limit)
        let stretch = HistoryFile.Stretch(
            after: query.after, from: query.from, to: query.to, marks: isReduced ? LogFlags.reducedView.rawValue : 0)
        let (walk, oldest) = try asking { () throws(StoreError) in
            try keeper.walk(stretch, isLogEnough: query.log && manager.peer.isAdmin()) { entry in
                page.append(isReduced ? entry.location.reducedView : entry.location)
            }
        }
        page.finish(next: walk.hasMore ? walk.last : nil, hasGap: walk.hasGap, oldest: oldest)
        return page
    }

    // MARK: The ledger

    private func ledger(
        _ from: WallTime?, _ to: WallTime?, for request: ClientRequest
    ) throws(RPCError) -> LedgerPageWriter {
        service.settleLedger(at: request.now)
        let holder = request.manager.peer.isAdmin() ? nil : own(request.manager).holder
        let (entries, next) = try asking { () throws(StoreError) in
            try keeper.ledger(from: from, to: to, of: holder)
        }
        // It was on for others, too, and that they are on their way is for nobody who knows only roughly (Protocol 6.6).
        let authorization = service.engine.authorization(of: request.manager.id)
        let seesReceiver = holder == nil || authorization.isAuthorized && authorization.accuracy == .full
        var page = LedgerPageWriter()
        page.next = next
        for var entry in entries {
            if !seesReceiver { entry.amounts.receiver = .zero }
            guard !entry.amounts.isNothing else { continue }
            var app: String?
            if case .app(let uid, let name) = entry.holder { app = PeerIdentity(uid: uid, name: name).description }
            guard page.append(LedgerPage.Entry(entry, app: app)) else { break }
        }
        return page
    }

    // MARK: Events

    private func own(_ manager: ClientManager) -> HistoryApp {
        HistoryApp(manager.who.identity ?? PeerIdentity(uid: manager.peer.uid))
    }

    private func identify(_ name: String, _ request: ClientRequest) throws(RPCError) -> HistoryApp {
        guard request.manager.peer.isAdmin() else {
            throw RPCError(
                .notPermitted,
                "cannot tell the events of \(quoted(name)): only uid 0 and members of the admin group may ask for another app's"
            )
        }
        let number = try Administration(service: service, request: request).identity(named: name)
        guard let identity = service.apps.identity(number) else { throw .notFound("the app \(quoted(name))") }
        return HistoryApp(identity)
    }

    private func events(
        _ query: HistoryQuery, of app: HistoryApp, isReduced: Bool
    ) throws(RPCError) -> HistoryEventsWriter {
        var page = HistoryEventsWriter()
        let limit = Int(query.limit ?? HistoryAnswers.eventsAtOnce)
        let (events, last) = try asking { () throws(StoreError) in
            try keeper.events(query, of: app, limit: min(limit, Int(HistoryAnswers.eventsAtOnce)))
        }
        page.next = last
        var told = query.after ?? 0
        // Exact events tell more than the app may know now.
        for event in events where !isReduced || event.event.isCoarse {
            guard page.append(event.event, label: event.label, record: event.record) else {
                page.next = told
                return page
            }
            told = event.record
        }
        return page
    }

    /// Events that are read at once: each may hold an area of a thousand corners.
    private static let eventsAtOnce: UInt64 = 100

    private func stretch(_ from: WallTime?, _ to: WallTime?) -> String {
        (from.map { " from \($0.rfc3339)" } ?? "") + (to.map { " to \($0.rfc3339)" } ?? "")
    }

    private func asking<Result>(_ work: () throws(StoreError) -> Result) throws(RPCError) -> Result {
        do throws(StoreError) {
            return try work()
        } catch {
            throw RPCError(.unavailable, error.description)
        }
    }
}

extension HistoryApp {
    /// The app of an identity.
    init(_ identity: PeerIdentity) { self.init(uid: identity.uid, name: identity.name) }

    /// The app in the ledger.
    var holder: LedgerEntry.Holder { .app(uid: uid, name: name) }
}
