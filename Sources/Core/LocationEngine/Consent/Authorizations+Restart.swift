// SPDX-License-Identifier: Apache-2.0
import LocationModel

// The authorizations when a new process goes on with the connections of the former one (Protocol 8.2).
extension Authorizations {
    /// Takes up what was allowed for uses that go on, what clients that never went know of it, and questions that still wait: services go
    /// on by that, and sessions and streams tell of it.
    mutating func restore(_ clients: KeptClients, _ directory: inout Directory) {
        for record in clients.managers.map(\.record) + clients.absent.map(\.record) {
            let identity = directory[record.app].identity
            guard let allowance = record.allowance, directory[identity].consent == allowance.consent else { continue }
            directory[identity].take(allowance)
        }
        for (_, record) in clients.absent {
            directory[record.app].authorization = directory.authorization(of: directory[record.app].identity)
        }
        for (_, record) in clients.managers {
            guard let known = record.known else { continue }
            directory[record.app].authorization = known
        }
        for request in clients.requests {
            pending.append(request)
            newest = max(newest, request.number)
            directory[request.identity].asked.insert(AskedLevels(request.level))
        }
    }

    /// Tells what changed while no process ran (an authorization, by the configuration or a manifest) as if it changed now.
    mutating func tellChanges(
        of apps: [AppID], _ directory: inout Directory, _ services: inout Services, _ turn: inout Turn
    ) {
        // An allowance is the identity's: each of its apps has it.
        for index in directory.apps.indices {
            let identity = directory.apps[index].identity
            guard directory.identities.indices.contains(identity.index) else { continue }
            let authorization = directory.authorization(of: identity)
            change(AppID(rawValue: Int32(index)), to: authorization, &directory, &services, &turn)
        }
        for app in apps {
            withdrawNeedlessRequests(of: directory[app].identity, &directory, &turn)
            services.tell(.appDiagnosis(app), directory, &turn)
        }
    }
}
