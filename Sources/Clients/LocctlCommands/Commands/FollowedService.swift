// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

/// A service whose notifications are printed as they come.
protocol FollowedService {
    /// Starts it on a fresh manager; nil: there was nothing to start.
    mutating func start(_ connection: LocationConnection) throws(LocationClientError) -> StateResult?

    /// Whether `notification` is of this service.
    func concerns(_ notification: Notification) -> Bool

    /// Ends what the person does not want to go on.
    func stop(_ connection: LocationConnection) throws(LocationClientError)
}

/// The app's regions, which are kept whether somebody watches or not.
struct RegionsService: FollowedService {
    func start(_ connection: LocationConnection) -> StateResult? { nil }

    func concerns(_ notification: Notification) -> Bool {
        switch notification {
        case .didEnterRegion, .didExitRegion, .monitoringDidFail: true
        default: false
        }
    }

    func stop(_ connection: LocationConnection) {}
}

/// Visits, which are noted until that is stopped.
struct VisitsService: FollowedService {
    func start(_ connection: LocationConnection) throws(LocationClientError) -> StateResult? {
        try connection.startMonitoringVisits()
    }

    func concerns(_ notification: Notification) -> Bool {
        if case .didVisit = notification { true } else { false }
    }

    func stop(_ connection: LocationConnection) {}
}

/// The conditions of a monitor.
struct MonitorService: FollowedService {
    /// The monitor's name.
    let name: String
    private var number: UInt64?

    init(name: String) { self.name = name }

    mutating func start(_ connection: LocationConnection) throws(LocationClientError) -> StateResult? {
        number = try connection.openMonitor(name).monitor
        return nil
    }

    func concerns(_ notification: Notification) -> Bool {
        if case .monitorEvent(let event) = notification { event.monitor == number } else { false }
    }

    func stop(_ connection: LocationConnection) throws(LocationClientError) {
        if let number { try connection.closeMonitor(number) }
    }
}

/// A stream of live updates.
struct LiveService: FollowedService {
    /// The use of the device that the updates are for.
    let configuration: LiveConfiguration
    private var number: UInt64?

    init(configuration: LiveConfiguration) { self.configuration = configuration }

    mutating func start(_ connection: LocationConnection) throws(LocationClientError) -> StateResult? {
        let result = try connection.startLiveUpdates(configuration)
        number = result.updates
        return result
    }

    func concerns(_ notification: Notification) -> Bool {
        if case .didUpdate(let update) = notification { update.updates == number } else { false }
    }

    func stop(_ connection: LocationConnection) throws(LocationClientError) {
        if let number { try connection.stopLiveUpdates(number) }
    }
}

/// Where the device points.
struct HeadingService: FollowedService {
    /// Degrees of turn; nil: as the daemon has it.
    let filter: Double?

    func start(_ connection: LocationConnection) throws(LocationClientError) -> StateResult? {
        if let filter { try connection.setProperties(PropertiesPatch(headingFilter: filter)) }
        return try connection.startUpdatingHeading()
    }

    func concerns(_ notification: Notification) -> Bool {
        if case .didUpdateHeading = notification { true } else { false }
    }

    func stop(_ connection: LocationConnection) throws(LocationClientError) { try connection.stopUpdatingHeading() }
}

/// Beacons that are heard.
struct RangingService: FollowedService {
    /// Those that are meant.
    let beacons: BeaconIdentity

    func start(_ connection: LocationConnection) throws(LocationClientError) -> StateResult? {
        try connection.startRangingBeacons(beacons)
    }

    func concerns(_ notification: Notification) -> Bool {
        if case .didRangeBeacons = notification { true } else { false }
    }

    func stop(_ connection: LocationConnection) throws(LocationClientError) {
        try connection.stopRangingBeacons(beacons)
    }
}
