// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import SystemSupport

extension LocationService {
    /// Takes the managers up that a former process left, but for those whose clients never went, up to what the engine has to know, which is
    /// gathered in `clients`; each waits for its client as if the connection had just been lost.
    func restoreManagers(into clients: inout KeptClients, at now: BootInstant) {
        let taken = Set(managers.compactMap { $0?.slot })
        for (slot, saved, delivered) in keeper.savedManagers(journal) where !taken.contains(slot) {
            let uid = saved.identity.uid
            let peer = Peer(
                pid: 0, uid: uid, controlGroup: { nil }, isMember: { Accounts.groups(of: uid).contains($0) },
                isAdmin: { false })
            let manager = openManager(peer: peer, channel: nil)
            manager.slot = slot
            manager.token = saved.token
            manager.identity = saved.identity
            manager.isSystemUnit = saved.wasSystemUnit
            noteUnit(of: manager)
            manager.hasAsked = true
            manager.outbox.delivered = delivered
            do throws(RPCError) {
                try restore(saved, manager, into: &clients, at: now)
            } catch {
                remove(manager)
            }
        }
    }

    private func restore(
        _ saved: SavedManager, _ manager: ClientManager, into clients: inout KeptClients, at now: BootInstant
    ) throws(RPCError) {
        let app = try enter(saved.identity, nil, label: saved.label, at: now)
        manager.app = app
        manager.isApp = true
        manager.label = saved.label
        apps.join(app)
        clients.absent.append((manager.id, saved.record(of: app, isAway: true)))
    }

    /// Keeps everything for the next process.
    func saveAll() {
        for case let manager? in managers where manager.slot != nil {
            keeper.save(manager, engine.record(of: manager.id), journal)
        }
        keeper.saveAll(last: engine.lastLocation, journal)
    }

    /// Puts a new configuration in force.
    func apply(_ new: Configuration, at now: BootInstant) {
        configuration = new
        decide(.configurationChanged(new.engine), at: now)
        loadManifests()
        refreshPolicies(at: now)
        flush()
    }
}
