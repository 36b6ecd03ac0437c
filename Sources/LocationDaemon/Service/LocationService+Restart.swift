// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

extension LocationService {
    /// Opens the managers that a former process left; each waits for its client as if the connection had just been lost.
    func restoreManagers(at now: BootInstant) {
        for (slot, saved, delivered) in keeper.savedManagers() {
            let peer = Peer(pid: 0, uid: saved.identity.uid, identify: { saved.identity }, isAdmin: { false })
            let manager = openManager(peer: peer, channel: nil)
            manager.slot = slot
            manager.token = saved.managerToken
            manager.identity = saved.identity
            manager.label = saved.name
            manager.hasAsked = true
            manager.outbox.delivered = delivered
            do throws(RPCError) {
                let app = try enter(saved.identity, label: saved.name, at: now)
                manager.app = app
                decide(.managerOpened(manager.id, saved.state(app: app, manager: manager.id)), at: now)
                noteAway(manager, at: now)
            } catch {
                remove(manager)
            }
        }
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
        for app in apps.known { decide(.authorizationChanged(app, new.defaultAuthorization), at: now) }
        flush()
    }
}
