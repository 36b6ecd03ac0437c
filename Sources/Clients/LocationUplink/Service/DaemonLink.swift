// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import SystemSupport
import SystemdSupport

/// The connection to the daemon on which the services run, and on which everything comes live. Connects again for ever.
final class DaemonLink {
    /// How long the daemon may take for a reply; nothing else is served meanwhile.
    static let replyTimeout = TimeSpan.seconds(5)

    private let loop: EventLoop
    private let address: DaemonAddress
    private let services: WantedServices
    private let report: ([UplinkEvent]) -> Void
    private var link: (connection: LocationConnection, source: EventLoop.Source)?
    private var manager: ManagerToken?
    private var backoff = ReconnectBackoff()
    private var retry: EventLoop.Timer?
    private var reading: EventLoop.Source?
    private var deferral: UInt64?
    private var told = ToldOnce()

    init(
        _ loop: EventLoop, _ address: DaemonAddress, _ services: WantedServices,
        report: @escaping ([UplinkEvent]) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.address = address
        self.services = services
        self.report = report
        retry = try loop.timer { [unowned self] in
            retry?.fired()
            connect()
        }
        // Notifications that came together with a reply are read in a turn of their own.
        reading = try loop.deferred { [unowned self] in receive() }
    }

    // MARK: Connecting

    func connect() {
        guard link == nil else { return }
        do {
            let connection = try LocationConnection(to: address)
            connection.replyTimeout = DaemonLink.replyTimeout
            let hello = try connection.hello(always: services.usage, manager: manager, events: true)
            manager = hello.manager
            deferral = nil
            if hello.rejoined { try connection.disallowDeferredLocationUpdates() }
            // Asked before the services start: what comes from then on is all to be sent.
            let newest = hello.authorizationStatus.isAuthorized ? try connection.location() : nil
            try services.start(on: connection)
            let source = try loop.watch(connection.fileDescriptor) { [unowned self] in receive() }
            link = (connection, source)
            backoff = ReconnectBackoff()
            told.forget()
            reading?.enableOnce()
            report([.daemonConnected(hello.authorizationStatus, hello.accuracyAuthorization, newest: newest)])
        } catch {
            complain(error)
            tryAgain()
        }
    }

    /// Leaves and comes again.
    func reconnect() {
        unlink()
        connect()
    }

    /// Leaves for good; the manager waits for a while in case it comes back.
    func leave() { unlink() }

    // Said once, not with each attempt.
    private func complain(_ error: any Error) {
        if told.isNew("\(error)") { say("\(error)") }
    }

    private func unlink() {
        link?.source.cancel()
        link = nil
        deferral = nil
    }

    private func lost(_ error: LocationClientError) {
        unlink()
        tryAgain()
        report([.daemonLost(reason: error.description)])
    }

    private func tryAgain() {
        let next = bootClock() + backoff.nextDelay()
        retry?.set(WakeWindow(earliest: next, latest: next + .milliseconds(50)))
    }

    // MARK: Asking

    func deferUpdates(_ span: TimeSpan) {
        ask { connection throws(LocationClientError) in
            // The finish of a deferral that cannot begin comes at once.
            deferral = try connection.allowDeferredLocationUpdates(timeout: span.seconds).deferral
        }
    }

    func acknowledge(_ event: UInt64) {
        ask { connection throws(LocationClientError) in try connection.acknowledge(event) }
    }

    func requestLocation() {
        ask { connection throws(LocationClientError) in _ = try connection.requestLocation() }
    }

    /// The newest location is an event, too.
    func askNewest() {
        var newest: Location?
        ask { connection throws(LocationClientError) in newest = try connection.location() }
        // A daemon that is gone has not answered.
        if link != nil { report([.newest(newest)]) }
    }

    /// Locations of the history; nil: the daemon is gone.
    func page(after sequence: UInt64, limit: Int) -> UplinkEvent? {
        var event = UplinkEvent.noHistory
        ask { connection throws(LocationClientError) in
            do throws(LocationClientError) {
                let page = try connection.history(after: sequence, limit: UInt64(limit))
                event = .page(page.locations, through: page.next, hasGap: page.hasGap)
            } catch .refused(let error) where error.code == .unavailable {
                // It is off, or cannot be read now, which is told alike.
                event = .unreadableHistory(try connection.status().history)
            }
        }
        return link == nil ? nil : event
    }

    private func ask(_ request: (LocationConnection) throws(LocationClientError) -> Void) {
        guard let link else { return }
        do throws(LocationClientError) {
            try request(link.connection)
            reading?.enableOnce()
        } catch .refused {
            // An event that was acknowledged before, or consent that is lost: the daemon tells that itself.
            reading?.enableOnce()
        } catch {
            lost(error)
        }
    }

    // MARK: Hearing

    private func receive() {
        var told: [UplinkEvent] = []
        while let connection = link?.connection {
            do throws(LocationClientError) {
                guard case .notification(let received) = try connection.nextNotification(by: bootClock()) else { break }
                if let event = event(of: received.notification) { told.append(event) }
            } catch {
                report(told)
                return lost(error)
            }
        }
        report(told)
    }

    private func event(of notification: Notification) -> UplinkEvent? {
        switch notification {
        case .didUpdateLocations(let update): return .locations(update)
        case .didChangeAuthorization(let change):
            return .authorization(change.authorizationStatus, change.accuracyAuthorization)
        case .didFinishDeferredUpdates(let number, _):
            guard number == deferral else { return nil }
            deferral = nil
            return .deferralFinished
        case .didEnterRegion(let crossing): return .crossed(crossing, isInside: true)
        case .didExitRegion(let crossing): return .crossed(crossing, isInside: false)
        case .didDetermineState(let region, let state): return .regionState(region.identifier, state)
        case .didVisit(let visit, let event): return .visited(visit, event: event)
        case .monitoringDidFail(let region, let error):
            say("cannot watch the region \(region.identifier): \(error.message)")
            return nil
        default: return nil
        }
    }
}

/// The services that the uplink asks the daemon for.
struct WantedServices {
    /// The reason for them, for the person who decides.
    let usage = "Sends the device's locations to the broker that its administrator named."
    let mode: UplinkMode
    let regions: [Region]

    /// Starts what is wanted and stops what was wanted by an earlier configuration.
    func start(on connection: LocationConnection) throws(LocationClientError) {
        try watchRegions(on: connection)
        switch mode {
        case .move:
            var properties = PropertiesPatch()
            properties.desiredAccuracy = .best
            properties.pausesLocationUpdatesAutomatically = false
            properties.allowsBackgroundLocationUpdates = true
            try connection.setProperties(properties)
            _ = try connection.startUpdatingLocation()
            try connection.stopMonitoringSignificantLocationChanges()
            try connection.stopMonitoringVisits()
        case .significant:
            _ = try connection.startMonitoringSignificantLocationChanges()
            _ = try connection.startMonitoringVisits()
        case .manual:
            try connection.stopMonitoringSignificantLocationChanges()
            try connection.stopMonitoringVisits()
        }
    }

    // Those that are watched already stay as they are, and so does what is known of them.
    private func watchRegions(on connection: LocationConnection) throws(LocationClientError) {
        let watched = try connection.monitoredRegions()
        for region in watched where !regions.contains(where: { $0.identifier == region.identifier }) {
            try connection.stopMonitoring(region.identifier)
        }
        for region in regions {
            if !watched.contains(region) { _ = try connection.startMonitoring(region) }
            _ = try? connection.requestState(region.identifier)
        }
    }
}
