// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationLink
import LocationModel
import LocationProtocol
import SystemSupport
import SystemdSupport

/// The locations of one GeoClue client: a connection to the daemon, and so a location manager there, of its own.
///
/// It survives the daemon: after a loss it connects again and takes its manager back. When the daemon no longer has it, it makes
/// a new one.
final class LocationFeed: DaemonLink {
    /// A message of a feed.
    enum Event {
        /// The newest of what has come.
        case location(Location)
        /// Whether the daemon gives this program locations, and how precisely; again with each change.
        case authorization(AuthorizationStatus, AccuracyAuthorization?)
    }

    /// How long the daemon may take for a reply; nothing else is served meanwhile.
    static let replyTimeout = TimeSpan.seconds(2)

    private let usage: String
    private let report: (Event) -> Void
    // Only a label, to tell the managers of the bridge apart in the daemon's status.
    private var label: String?
    private var properties = PropertiesPatch()
    private var manager: ManagerToken?
    private var isAuthorized = false
    private var isRunning = false
    private var newest: Location?

    /// `label`: for the daemon's status; `usage`: what locations are for, for the person who decides about this program.
    init(
        _ loop: EventLoop, _ address: DaemonAddress, label: String, usage: String, report: @escaping (Event) -> Void
    ) throws(SystemError) {
        (self.label, self.usage, self.report) = (label, usage, report)
        try super.init(loop, address, replyTimeout: LocationFeed.replyTimeout, say: { _ in })
    }

    /// Wants locations with these properties from now on. What goes wrong is tried again.
    func run(_ properties: PropertiesPatch) {
        guard !isRunning || properties != self.properties else { return }
        self.properties = properties
        if isRunning {
            ask { connection throws(LocationClientError) in try connection.setProperties(properties) }
        } else {
            isRunning = true
            connect()
        }
    }

    /// Wants none any more; nothing is told after this returns.
    func stop() {
        guard isRunning else { return }
        isRunning = false
        // Else the manager would go on without us for as long as it may be taken back.
        leave { connection throws(LocationClientError) in try connection.stopUpdatingLocation() }
        manager = nil
        newest = nil
    }

    override func greet(_ connection: LocationConnection) throws(LocationClientError) -> () -> Void {
        do throws(LocationClientError) {
            let hello = try connection.hello(app: label, whenInUse: usage, manager: manager)
            manager = hello.manager
            try connection.setProperties(properties)
            if !hello.rejoined { _ = try connection.startUpdatingLocation() }
            return { [unowned self] in
                isAuthorized = hello.authorizationStatus.isAuthorized
                report(.authorization(hello.authorizationStatus, hello.accuracyAuthorization))
            }
        } catch {
            if case .refused(let refusal) = error, refusal.code == .limitExceeded { label = nil }
            throw error
        }
    }

    override func heard(_ notification: Notification) {
        if case .didUpdateLocations(let update) = notification, update.source == .standard {
            newest = update.locations.last ?? newest
        } else if case .didChangeAuthorization(let change) = notification {
            // Earlier locations were given under another consent.
            newest = nil
            changed(change)
        }
    }

    override func heardAll() {
        guard let location = newest else { return }
        newest = nil
        report(.location(location))
    }

    private func changed(_ change: AuthorizationChange) {
        let wasAuthorized = isAuthorized
        isAuthorized = change.authorizationStatus.isAuthorized
        report(.authorization(change.authorizationStatus, change.accuracyAuthorization))
        guard isRunning, isAuthorized, !wasAuthorized else { return }
        ask { connection throws(LocationClientError) in _ = try connection.startUpdatingLocation() }
    }
}

extension AuthorizationStatus {
    /// Whether locations are given.
    var isAuthorized: Bool {
        switch self {
        case .authorizedAlways, .authorizedWhenInUse: true
        case .notDetermined, .restricted, .denied: false
        }
    }
}
