// SPDX-License-Identifier: Apache-2.0
import LocationEngine
package import LocationModel

extension LocationService {
    /// Looks for the ledger before a turn, if that is due.
    func lookForLedger(at now: BootInstant) {
        guard host.account != nil, ledger.isDue(at: now) else { return }
        settleLedger(at: now)
    }

    /// Accounts for all until now.
    package func settleLedger(at now: BootInstant) {
        guard let account = host.account else { return }
        for manager in managers.all { _ = keepTold(of: manager) }
        let entries = ledger.look(at: now, total: engine.powerReport(at: now).onTime, date: host.date()) {
            var holders: Set<LedgerEntry.Holder> = []
            engine.forEachReceiverUser { if let holder = holder(of: $0) { holders.insert(holder) } }
            return holders
        }
        if !entries.isEmpty { account(entries) }
    }

    /// The app of a client that goes keeps the amounts that the client was told.
    func accountForLeaving(_ manager: ClientManager) {
        if host.account != nil, keepTold(of: manager) { settleLedger(at: turnTime) }
    }

    private func keepTold(of manager: ClientManager) -> Bool {
        guard !manager.told.isNothing else { return false }
        defer { manager.told = LedgerEntry.Amounts() }
        guard let app = manager.app, let holder = holder(of: app) else { return false }
        return ledger.keep(manager.told, of: holder)
    }

    private func holder(of app: AppID) -> LedgerEntry.Holder? {
        apps.key(of: app).map { .app(uid: $0.identity.uid, name: $0.identity.name) }
    }

    private func holder(of user: ReceiverUser) -> LedgerEntry.Holder? {
        switch user {
        case .locations(let id, _), .liveUpdates(let id), .heading(let id):
            managers[id]?.app.flatMap { holder(of: $0) }
        case .regions(let app), .visits(let app), .absentSignificantChange(let app): holder(of: app)
        // Beacons are heard without the receiver.
        case .ranging, .beacons: nil
        }
    }
}
