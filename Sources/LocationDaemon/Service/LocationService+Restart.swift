// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import SystemSupport

extension LocationService {
    /// Opens the managers that a former process left, but for those whose clients never went; each waits for its client as if the
    /// connection had just been lost.
    func restoreManagers(at now: BootInstant) {
        let taken = Set(managers.compactMap { $0?.slot })
        for (slot, saved, delivered) in keeper.savedManagers() where !taken.contains(slot) {
            let uid = saved.identity.uid
            let peer = Peer(
                pid: 0, uid: uid, controlGroup: { nil }, isMember: { Accounts.groups(of: uid).contains($0) },
                isAdmin: { false })
            let manager = openManager(peer: peer, channel: nil)
            manager.slot = slot
            manager.token = saved.managerToken
            manager.identity = saved.identity
            manager.isSystemUnit = saved.wasSystemUnit
            noteUnit(of: manager)
            manager.hasAsked = true
            manager.outbox.delivered = delivered
            do throws(RPCError) {
                try restore(saved, manager, at: now)
                noteAway(manager, at: now)
            } catch {
                remove(manager)
            }
        }
    }

    private func restore(_ saved: SavedManager, _ manager: ClientManager, at now: BootInstant) throws(RPCError) {
        let app = try enter(saved.identity, nil, label: saved.name, at: now)
        manager.app = app
        manager.label = saved.name
        apps.join(app)
        let state = saved.state(app: app, manager: manager.id, monitorNames: engine.monitorNames(of: app))
        decide(.managerOpened(manager.id, state), at: now)
    }

    /// Keeps everything for the next process.
    func saveAll() {
        for case let manager? in managers where manager.slot != nil {
            keeper.save(manager, engine.state(of: manager.id), journal)
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
