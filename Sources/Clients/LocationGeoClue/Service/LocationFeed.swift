// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import SystemSupport
import SystemdSupport

/// The locations of one GeoClue client: a connection to the daemon, and so a location manager there, of its own.
///
/// It survives the daemon: after a loss it connects again and takes its manager back. When the daemon no longer has it, it makes
/// a new one.
final class LocationFeed {
    /// A message of a feed.
    enum Event {
        /// The newest of what has come.
        case location(Location)
        /// Whether the daemon gives this program locations, and how precisely; again with each change.
        case authorization(AuthorizationStatus, AccuracyAuthorization?)
    }

    /// How long the daemon may take for a reply; nothing else is served meanwhile.
    static let replyTimeout = TimeSpan.seconds(2)

    private let loop: EventLoop
    private let address: DaemonAddress
    private let usage: String
    private let report: (Event) -> Void
    // Only a label, to tell the managers of the bridge apart in the daemon's status.
    private var label: String?
    private var properties = PropertiesPatch()
    private var manager: ManagerToken?
    private var link: (connection: LocationConnection, source: EventLoop.Source)?
    private var isAuthorized = false
    private var isRunning = false
    private var backoff = ReconnectBackoff()
    private var retry: EventLoop.Timer?
    private var reading: EventLoop.Source?

    /// `label`: for the daemon's status; `usage`: what locations are for, for the person who decides about this program.
    init(
        _ loop: EventLoop, _ address: DaemonAddress, label: String, usage: String, report: @escaping (Event) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.address = address
        self.label = label
        self.usage = usage
        self.report = report
        retry = try loop.timer { [unowned self] in
            retry?.fired()
            connect()
        }
        // Notifications that came together with a reply are read in a turn of their own: the reply's caller is served first.
        reading = try loop.deferred { [unowned self] in receive() }
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
        retry?.set(nil)
        // Else the manager would go on without us for as long as it may be taken back.
        try? link?.connection.stopUpdatingLocation()
        unlink()
        manager = nil
    }

    private func unlink() {
        // The loop lets go of the descriptor before the connection closes it.
        link?.source.cancel()
        link = nil
    }

    private func ask<Answer>(_ request: (LocationConnection) throws(LocationClientError) -> Answer) {
        guard let link else { return }
        do throws(LocationClientError) {
            _ = try request(link.connection)
            reading?.enableOnce()
        } catch {
            lost()
        }
    }

    // MARK: Connecting

    private func connect() {
        guard isRunning, link == nil else { return }
        do {
            let connection = try LocationConnection(to: address)
            connection.replyTimeout = LocationFeed.replyTimeout
            let hello = try connection.hello(app: label, whenInUse: usage, manager: manager)
            manager = hello.manager
            try connection.setProperties(properties)
            if !hello.rejoined { _ = try connection.startUpdatingLocation() }
            let source = try loop.watch(connection.fileDescriptor) { [unowned self] in receive() }
            link = (connection, source)
            backoff = ReconnectBackoff()
            reading?.enableOnce()
            isAuthorized = hello.authorizationStatus.isAuthorized
            report(.authorization(hello.authorizationStatus, hello.accuracyAuthorization))
        } catch LocationClientError.refused(let error) where error.code == .limitExceeded && label != nil {
            label = nil
            tryAgain()
        } catch {
            tryAgain()
        }
    }

    private func lost() {
        unlink()
        tryAgain()
    }

    private func tryAgain() {
        guard isRunning else { return }
        let next = bootClock() + backoff.nextDelay()
        retry?.set(WakeWindow(earliest: next, latest: next + .milliseconds(50)))
    }

    // MARK: Hearing

    private func receive() {
        var newest: Location?
        while let connection = link?.connection {
            do throws(LocationClientError) {
                guard case .notification(let received) = try connection.nextNotification(by: bootClock()) else { break }
                if case .didUpdateLocations(let update) = received.notification, update.source == .standard {
                    newest = update.locations.last ?? newest
                } else if case .didChangeAuthorization(let change) = received.notification {
                    // Earlier locations were given under another consent.
                    newest = nil
                    changed(change)
                }
            } catch {
                lost()
            }
        }
        if isRunning, let newest { report(.location(newest)) }
    }

    private func changed(_ change: AuthorizationChange) {
        let wasAuthorized = isAuthorized
        isAuthorized = change.authorizationStatus.isAuthorized
        report(.authorization(change.authorizationStatus, change.accuracyAuthorization))
        guard isRunning, isAuthorized, !wasAuthorized else { return }
        ask { connection throws(LocationClientError) in try connection.startUpdatingLocation() }
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
