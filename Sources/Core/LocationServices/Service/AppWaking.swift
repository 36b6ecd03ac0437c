// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
import LocationModel

/// Starts apps that something waits for.
package struct AppWaking {
    let service: LocationService

    /// Apps of `service`.
    package init(service: LocationService) { self.service = service }

    /// Something waits for an app, and no connection of it is there.
    package func wake(_ app: AppID) {
        guard let name = service.apps.key(of: app)?.identity.name, service.rules.manifests.hasManifest(named: name)
        else { return }
        do {
            if try service.host.wake(name) {
                let uid = service.apps.key(of: app)?.identity.uid ?? 0
                service.journal.note("events wait for \(name), which is not running", .appWoken(app: name), about: uid)
            }
        } catch {
            service.journal.error("\(error)")
        }
    }

    /// Whether events wait for the app itself, and not for who shows its notices.
    package func hasEvents(_ app: AppID) -> Bool { service.engine.events(of: app).contains { !$0.isNotice } }

    /// Withdraws the start of an app once no event waits for any app of its identity.
    func stop(_ app: AppID) {
        guard let name = service.apps.key(of: app)?.identity.name, service.rules.manifests.hasManifest(named: name),
            let identity = service.apps.identity(of: app),
            service.apps.apps(of: identity).allSatisfy({ !hasEvents($0) })
        else { return }
        service.host.clearWake(name)
    }
}
