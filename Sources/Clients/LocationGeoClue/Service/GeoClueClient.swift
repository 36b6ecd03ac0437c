// SPDX-License-Identifier: Apache-2.0
import BusSupport
import LocationModel
import LocationProtocol
import SystemSupport
import SystemdSupport

/// A client as GeoClue has them: an object on the bus that belongs to one connection there. Only that connection sees it, and
/// only it is told what happens to it.
final class GeoClueClient: BusObject {
    static let interface = BusInterface(
        "org.freedesktop.GeoClue2.Client",
        methods: [.init(name: "Start"), .init(name: "Stop")],
        properties: [
            .init(name: "Location", signature: "o"),
            .init(name: "DistanceThreshold", signature: "u", isWritable: true),
            .init(name: "TimeThreshold", signature: "u", isWritable: true),
            .init(name: "DesktopId", signature: "s", isWritable: true),
            .init(name: "RequestedAccuracyLevel", signature: "u", isWritable: true),
            .init(name: "Active", signature: "b"),
        ],
        signals: [.init(name: "LocationUpdated", signature: "oo", arguments: "old\0new\0")])

    /// How many locations a client may still read after they were replaced: it is told a path, and comes for the values later. GeoClue's
    /// own clients do not survive a path that is gone, so this is many seconds of the fastest receiver, and a batch after an absence.
    static let readableLocations = 256

    let number: UInt64
    let caller: Caller
    private unowned let service: GeoClueService
    private(set) var desktopID = ""
    private(set) var requested: UInt32 = 0
    private(set) var isActive = false
    private var thresholds = Thresholds()
    private var locations: [(number: UInt64, object: GeoClueLocation)] = []
    private var lastLocation: UInt64 = 0
    private var lateness: EventLoop.Timer?
    /// The accuracy that the client may know; nil: it has not been started, or is not yet allowed.
    private var granted: AccuracyLevel?
    /// The authorization that the daemon told this program last; nil: it has not been there yet.
    private(set) var daemonStatus: AuthorizationStatus?
    private var feed: LocationFeed?
    private var served: DesiredAccuracy?

    init(_ number: UInt64, _ caller: Caller, _ service: GeoClueService) {
        self.number = number
        self.caller = caller
        self.service = service
    }

    var path: String { ObjectPath.client(number).text }

    /// The name in questions to people: the one that the kernel gives the process, or else its own.
    var name: String { caller.application ?? desktopID }
    var requestedLevel: AccuracyLevel { AccuracyLevel(number: requested) }
    var isStarted: Bool { granted != nil }

    // MARK: What its owner sees

    override func call(_ method: String, _ message: BusMessage) throws(BusError) -> Answer {
        if method == "Start" { return try service.start(self, message) }
        service.stop(self)
        return .now([])
    }

    override func value(of property: String) -> BusValue {
        switch property {
        case "Location": .path(locationPath)
        case "DistanceThreshold": .uint32(thresholds.distance)
        case "TimeThreshold": .uint32(thresholds.time)
        case "DesktopId": .string(desktopID)
        case "RequestedAccuracyLevel": .uint32(requested)
        default: .boolean(isActive)
        }
    }

    override func set(_ property: String, _ message: BusMessage) throws(BusError) {
        switch property {
        case "DistanceThreshold": thresholds.distance = try message.readNumber()
        case "TimeThreshold": thresholds.time = try message.readNumber()
        case "RequestedAccuracyLevel": requested = try message.readNumber()
        default: try setDesktopID(try message.readText("s"))
        }
        changed([property])
        serve()
    }

    private func setDesktopID(_ text: String) throws(BusError) {
        guard text != desktopID else { return }
        guard !service.isDeciding(about: self), !isStarted else {
            throw .accessDenied("cannot change DesktopId of a client that was started: stop it first")
        }
        guard text.utf8.count <= 128, text.unicodeScalars.allSatisfy(isPlain) else {
            throw .invalidArguments(
                "cannot use this DesktopId: at most 128 bytes without control characters are allowed")
        }
        desktopID = text
    }

    private func changed(_ properties: [String]) {
        service.bus.emitChanges(
            properties.map { ($0, value(of: $0)) }, of: path, GeoClueClient.interface.name, to: caller.name)
    }

    // MARK: Being served

    /// The client may know the location with this accuracy at best, from now on.
    func allow(_ level: AccuracyLevel) throws(SystemError) {
        granted = level
        if lateness == nil {
            lateness = try service.loop.timer { [unowned self] in tellHeld() }
        }
        if feed == nil {
            feed = try LocationFeed(
                service.loop, service.options.daemon, label: "geoclue:\(name)".prefix(bytes: 128),
                usage: "For the desktop's programs, here \(name) of user \(caller.uid)."
            ) { [unowned self] in heard($0) }
        }
        serve()
    }

    /// The client wants, or may have, nothing any more.
    func end() {
        granted = nil
        serve()
    }

    /// Brings the feed in line with what the client wants and may have now.
    func serve() {
        let ceiling = service.ceiling(for: self)
        let accuracy = granted.flatMap { requestedLevel.desiredAccuracy(allowed: min($0, ceiling)) }
        if accuracy != served { change(to: accuracy) }
        guard let accuracy else {
            feed?.stop()
            thresholds.restart()
            setActive(false)
            return
        }
        // A negative filter is none; nil would leave it as it was.
        feed?.run(PropertiesPatch(distanceFilter: thresholds.distanceFilter ?? -1, desiredAccuracy: accuracy))
    }

    // Between the full and the reduced view the client begins anew: nothing that was held or on its way under the one is told under
    // the other, and the new one's first location comes at once.
    private func change(to accuracy: DesiredAccuracy?) {
        forgetHeld()
        if accuracy == .reduced || served == .reduced {
            feed?.stop()
            thresholds.restart()
        }
        served = accuracy
    }

    // The held location was given under another consent.
    private func forgetHeld() {
        thresholds.forgetHeld()
        lateness?.set(nil)
    }

    private func setActive(_ active: Bool) {
        guard active != isActive else { return }
        isActive = active
        changed(["Active"])
        service.clientsChanged()
    }

    private func heard(_ event: LocationFeed.Event) {
        switch event {
        case .authorization(let status, let accuracy):
            daemonStatus = status
            forgetHeld()
            setActive(status.isAuthorized)
            service.learned(status, accuracy)
        case .location(let exact):
            let location = requestedLevel.coarsened(exact)
            if thresholds.take(location, at: bootClock()) { tell(location) }
            lateness?.set(thresholds.wake.map { WakeWindow(earliest: $0, latest: $0 + .seconds(1)) })
        }
    }

    private func tellHeld() {
        if let location = thresholds.takeHeld(at: bootClock()) { tell(location) }
    }

    // MARK: Locations

    private var locationPath: String {
        locations.last.map { ObjectPath.location(client: number, $0.number).text } ?? ObjectPath.nothing
    }

    /// The location at a path, if it still can be read.
    func location(_ number: UInt64) -> GeoClueLocation? { locations.last { $0.number == number }?.object }

    private func tell(_ location: Location) {
        let properties = LocationProperties(location)
        // After a restart of the daemon the last one may come again.
        guard properties != locations.last?.object.properties else { return }
        let old = locationPath
        lastLocation += 1
        locations.append((lastLocation, GeoClueLocation(properties)))
        if locations.count > GeoClueClient.readableLocations { locations.removeFirst() }
        changed(["Location"])
        service.bus.emit(
            "LocationUpdated", [.path(old), .path(locationPath)], from: path, GeoClueClient.interface.name,
            to: caller.name)
    }
}

extension String {
    /// The text cut to at most so many bytes of UTF-8.
    fileprivate func prefix(bytes: Int) -> String {
        var text = self
        while text.utf8.count > bytes { text.removeLast() }
        return text
    }
}
