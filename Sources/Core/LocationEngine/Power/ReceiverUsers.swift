// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// One reason for which the receiver is needed.
package enum ReceiverUser: Sendable, Equatable {
    /// A service of one manager that hands out locations.
    case locations(ManagerID, LocationSource)
    /// Streams of live updates.
    case liveUpdates(ManagerID)
    case heading(ManagerID)
    /// Regions and conditions of an app.
    case regions(AppID)
    case visits(AppID)
    /// Significant changes while no connection of the app is there.
    case absentSignificantChange(AppID)
}

extension Engine {
    /// All who need the receiver now, for `status`.
    package var receiverUsers: [ReceiverUser] {
        func authorized(_ managers: [ManagerID]) -> [ManagerID] {
            managers.filter { authorization(of: $0).isAuthorized }
        }
        var users = authorized(standard.services.map(\.manager)).map { ReceiverUser.locations($0, .standard) }
        users += authorized(requests.services.map(\.manager)).map { .locations($0, .request) }
        users += authorized(significant.services.map(\.manager)).map { .locations($0, .significantChange) }
        users += live.services.map(\.manager).filter { mayStream($0) }.map { .liveUpdates($0) }
        users += authorized(headings.services.map(\.manager)).map { .heading($0) }
        for index in apps.indices {
            let app = AppID(rawValue: Int32(index))
            if apps[index].watchesRegions { users.append(.regions(app)) }
            if apps[index].watchesVisits { users.append(.visits(app)) }
            if apps[index].absentSignificant != nil { users.append(.absentSignificantChange(app)) }
        }
        return users
    }
}
