// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
import Synchronization

/// The location managers of the process, and what is the same for all of them.
final class ManagerRegistry: Sendable {
    static let shared = ManagerRegistry()

    private struct WeakCore: Sendable { weak var core: ManagerCore? }
    private struct State: Sendable {
        var cores: [ObjectIdentifier: WeakCore] = [:]
        var presence = Presence.background
        var hello: HelloResult?
    }
    private let state = Mutex(State())

    /// The declarations that new sessions greet the daemon with.
    var presence: Presence { state.withLock { $0.presence } }

    /// The managers that there are.
    var cores: [ManagerCore] { state.withLock { $0.cores.values.compactMap(\.core) } }

    func add(_ core: ManagerCore) {
        state.withLock { $0.cores[ObjectIdentifier(core)] = WeakCore(core: core) }
    }

    func remove(_ core: ManagerCore) {
        state.withLock { state in
            state.cores[ObjectIdentifier(core)] = nil
            // Nobody would notice if it changed.
            if state.cores.isEmpty { state.hello = nil }
        }
    }

    /// Whether the program is in front of somebody, for all managers.
    func setPresence(_ presence: Presence) {
        let cores = state.withLock { state -> [WeakCore] in
            guard state.presence != presence else { return [] }
            state.presence = presence
            return Array(state.cores.values)
        }
        for core in cores { core.core?.perform(.setPresence(presence)) }
    }

    /// A daemon answered a manager.
    func note(_ hello: HelloResult) { state.withLock { $0.hello = hello } }

    // MARK: For class methods

    /// The services that the daemon offers, as it told a manager of this process, or else by asking now; nil: there is no daemon.
    func capabilities() -> Capabilities? {
        if let hello = state.withLock({ $0.hello }) { return hello.capabilities }
        for core in cores { if let capabilities = core.capabilities { return capabilities } }
        return CoreLocationBackend.recentCapabilities {
            DaemonQuestion.ask(.hello(HelloParameters()), HelloResult.self)?.capabilities
        }
    }

    /// The app's authorization, as a manager of this process knows it, or else by asking now.
    func authorizationStatus() -> CLAuthorizationStatus {
        if let core = cores.first { return core.authorization.status }
        let application = CLApplicationInfo.current.sessionApplication
        // Authorization belongs to the identity, so that any name of the app will do.
        let name = application.isNameAssumed ? nil : application.name
        let hello = HelloParameters(app: name, usageDescriptions: application.usageDescriptions)
        let answer = DaemonQuestion.ask(.hello(hello), HelloResult.self)
        return answer.map { CLAuthorizationStatus($0.authorizationStatus) } ?? .notDetermined
    }

    /// Whether location services are on at all, asked now. Nobody has switched them off because no daemon answers.
    func locationServicesEnabled() -> Bool {
        DaemonQuestion.ask(.status(.connection), Status.self)?.locationServicesEnabled ?? true
    }
}
