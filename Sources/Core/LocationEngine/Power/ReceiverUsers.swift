// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// One reason for which the receiver is needed.
package enum ReceiverUser: Sendable, Equatable {
    /// A service of one manager that hands out locations.
    case locations(ManagerID, LocationSource)
    /// Streams of live updates.
    case liveUpdates(ManagerID)
    case heading(ManagerID)
    /// Beacons, which tell where the device is without the receiver.
    case ranging(ManagerID)
    /// Regions and conditions of an app,
    case regions(AppID)
    /// and those that are beacons.
    case beacons(AppID)
    case visits(AppID)
    /// Significant changes while no connection of the app is there.
    case absentSignificantChange(AppID)
}

extension ReceiverUser {
    func identity(_ directory: Directory) -> IdentityID {
        switch self {
        case .locations(let manager, _), .liveUpdates(let manager), .heading(let manager),
            .ranging(let manager):
            directory.identity(of: manager)
        case .regions(let app), .beacons(let app), .visits(let app), .absentSignificantChange(let app):
            directory[app].identity
        }
    }

    /// The order of `status`: services of managers by kind, then apps.
    var rank: Int {
        switch self {
        case .locations(_, .standard): 0
        case .locations(_, .request): 1
        case .locations(_, .significantChange): 2
        case .liveUpdates: 3
        case .heading, .ranging: 4
        case .regions(let app), .beacons(let app): 5 + app.index * 3
        case .visits(let app): 6 + app.index * 3
        case .absentSignificantChange(let app): 7 + app.index * 3
        }
    }
}
