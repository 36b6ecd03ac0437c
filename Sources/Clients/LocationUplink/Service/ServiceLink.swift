// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationLink
import LocationModel
import LocationProtocol
import SystemSupport
import SystemdSupport

/// The connection to the daemon on which the services run, and on which everything comes live. Connects again for ever.
final class ServiceLink: DaemonLink {
    private let services: WantedServices
    private let report: ([UplinkEvent]) -> Void
    private var manager: ManagerToken?
    private var deferral: UInt64?
    /// Events of this turn, reported together.
    private var news: [UplinkEvent] = []

    init(
        _ loop: EventLoop, _ address: DaemonAddress, _ services: WantedServices,
        report: @escaping ([UplinkEvent]) -> Void
    ) throws(SystemError) {
        (self.services, self.report) = (services, report)
        try super.init(loop, address, say: say)
    }

    override func greet(_ connection: LocationConnection) throws(LocationClientError) -> () -> Void {
        let hello = try connection.hello(always: services.usage, manager: manager, events: true)
        manager = hello.manager
        deferral = nil
        if hello.rejoined { try connection.disallowDeferredLocationUpdates() }
        // Asked before the services start: what comes from then on is all to be sent.
        let newest = hello.authorizationStatus.isAuthorized ? try connection.location() : nil
        try services.start(on: connection)
        return { [report] in
            report([.daemonConnected(hello.authorizationStatus, hello.accuracyAuthorization, newest: newest)])
        }
    }

    /// Leaves and comes again.
    func reconnect() {
        leave()
        connect()
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
        if isConnected { report([.newest(newest)]) }
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
        return isConnected ? event : nil
    }

    // An event that was acknowledged before, or consent that is lost: the daemon tells that itself.
    override func goesOn(after refusal: RPCError) -> Bool { true }

    // MARK: Hearing

    override func heard(_ notification: Notification) {
        if let event = event(of: notification) { news.append(event) }
    }

    override func heardAll() {
        let heard = news
        news = []
        report(heard)
    }

    override func lost(_ error: LocationClientError) {
        deferral = nil
        news.append(.daemonLost(reason: error.description))
        heardAll()
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
