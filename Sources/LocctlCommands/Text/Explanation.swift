// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// The first thing that stops somebody from getting the locations that they asked for, or that nothing does.
package struct Explanation: Sendable, Hashable {
    /// What it is; the words are for scripts.
    package enum Cause: String, Sendable, CaseIterable {
        case noDaemon, servicesOff, notAuthorized, waitingForAuthorization, waitingToRejoin, notStarted
        case gpsdNotConnected, receiverAsleep, noReceiver, noFix, clientDoesNotRead, deferred, filtered
        case significantChangeOnly, nobodyAsks, nothing
    }

    /// How much of what was asked for comes.
    package enum Extent: Sendable { case everything, some, nothing }

    /// What it is.
    package var cause: Cause
    /// What it is in words; completes "… gets no locations: …".
    package var reason: String

    /// The cause in words.
    package init(_ cause: Cause, _ reason: String) {
        self.cause = cause
        self.reason = reason
    }

    /// How much of what was asked for comes.
    package var extent: Extent {
        switch cause {
        case .nothing: .everything
        case .filtered, .deferred, .significantChangeOnly, .receiverAsleep, .nobodyAsks: .some
        default: .nothing
        }
    }

    /// The sentence about `client`; nil: about the device.
    package func sentence(about client: String? = nil) -> String {
        let words = words(about: client)
        return words.hasSuffix("?") ? words : words + "."
    }

    private func words(about client: String?) -> String {
        switch (client, extent) {
        case (nil, .everything): "Locations come: \(reason)"
        case (nil, .some): reason.prefix(1).uppercased() + reason.dropFirst() + ""
        case (nil, .nothing): "No locations come: \(reason)"
        case (let client?, .everything): "\(client) gets locations: \(reason)"
        case (let client?, .some): "\(client) does not get every location at once: \(reason)"
        case (let client?, .nothing): "\(client) gets no locations: \(reason)"
        }
    }

    // MARK: The device

    /// What stops locations from coming to anybody, at the date `now`.
    package static func device(_ status: Status, now: WallTime, _ calendar: LocalCalendar) -> Explanation {
        if let off = services(status) { return off }
        guard status.fixes != nil else {
            let gpsd = status.gpsd.connected ? "" : ", and gpsd is not connected"
            return Explanation(.notAuthorized, "this user is not authorized, nor told more\(gpsd)")
        }
        if status.power?.policy == .off {
            if let broken = gpsd(status, isNeeded: false) { return broken }
            let gpsd = status.gpsd.connected ? "; gpsd is there" : ""
            return Explanation(.nobodyAsks, "nobody asks for locations, so the receivers are off\(gpsd)")
        }
        return source(status, now: now, calendar) ?? lastFix(status)
    }

    // MARK: A client

    /// What stops locations from coming to one client, at the date `now`.
    package static func client(
        _ manager: ManagerStatus, _ status: Status, now: WallTime, _ calendar: LocalCalendar
    ) -> Explanation {
        if let own = services(status) ?? consent(manager) ?? wish(manager) { return own }
        let source = source(status, now: now, calendar)
        if let source, source.extent == .nothing { return source }
        return unread(manager) ?? deferral(manager) ?? filter(manager) ?? significantOnly(manager) ?? source
            ?? lastFix(status)
    }

    private static func services(_ status: Status) -> Explanation? {
        guard !status.locationServicesEnabled else { return nil }
        return Explanation(.servicesOff, "location services are off for the whole device")
    }

    private static func consent(_ manager: ManagerStatus) -> Explanation? {
        switch manager.authorizationStatus {
        case .authorizedAlways, .authorizedWhenInUse: return nil
        case .notDetermined:
            let reason = manager.services.compactMap(\.reason).first
            return Explanation(.waitingForAuthorization, reason.map(printable) ?? "nobody has decided about it yet")
        case .denied: return Explanation(.notAuthorized, "it is not authorized: locations were denied to it")
        case .restricted:
            return Explanation(.notAuthorized, "it is not authorized: locations are restricted on this device")
        }
    }

    private static func wish(_ manager: ManagerStatus) -> Explanation? {
        if manager.services.isEmpty, manager.request == nil {
            return Explanation(.notStarted, "it has not started a service and has not asked for a location")
        }
        guard manager.waitingToRejoin else { return nil }
        return Explanation(
            .waitingToRejoin, "its connection is gone; what comes is kept for a while in case it comes back")
    }

    private static func unread(_ manager: ManagerStatus) -> Explanation? {
        guard let lag = manager.lag, lag.bytes > 0 else { return nil }
        let lost = manager.dropped.map { $0 > 0 ? "; \(Quantities.grouped($0)) are lost" : "" } ?? ""
        return Explanation(
            .clientDoesNotRead,
            "it does not read: \(Quantities.counted(lag.locations, "location")) "
                + "(\(Quantities.bytes(lag.bytes))) wait for it\(lost)")
    }

    private static func deferral(_ manager: ManagerStatus) -> Explanation? {
        guard let deferral = manager.deferral, manager.presence == .background else { return nil }
        return Explanation(
            .deferred,
            "its deferral \(deferral.number) holds \(Quantities.counted(deferral.held, "location")) "
                + StatusText.limits(of: deferral))
    }

    private static func filter(_ manager: ManagerStatus) -> Explanation? {
        let filter = manager.properties.distanceFilter
        guard filter > 0, manager.services.contains(where: { $0.service == .standard }) else { return nil }
        let count = manager.filtered?["distanceFilter"] ?? 0
        return Explanation(
            .filtered,
            "its distanceFilter of \(Quantities.distance(filter)) keeps back what is nearer to the location before, "
                + "\(Quantities.grouped(count)) so far")
    }

    private static func significantOnly(_ manager: ManagerStatus) -> Explanation? {
        guard manager.request == nil, manager.services.allSatisfy({ $0.service == .significantChange }) else {
            return nil
        }
        return Explanation(
            .significantChangeOnly, "it asked for significant changes only, when the device has come far")
    }

    // MARK: Where locations come from

    /// What lies between the receivers and whoever asks, at the date `now`; nil: nothing does.
    package static func source(_ status: Status, now: WallTime, _ calendar: LocalCalendar) -> Explanation? {
        if let asleep = asleep(status, now: now, calendar) { return asleep }
        if let broken = gpsd(status, isNeeded: true) { return broken }
        guard let receivers = status.receivers else { return nil }
        let present = receivers.filter { !$0.lost }
        guard let best = bestReceiver(present) else {
            guard let lost = receivers.first else {
                return Explanation(.noReceiver, "gpsd has no receiver")
            }
            return Explanation(.noReceiver, "gpsd has lost its receiver \(printable(lost.path))")
        }
        guard !hasFix(best) else { return nil }
        return Explanation(.noFix, "the receiver \(printable(best.path)) has no fix\(satellites(best))")
    }

    private static func asleep(_ status: Status, now: WallTime, _ calendar: LocalCalendar) -> Explanation? {
        guard let power = status.power, !power.on, power.policy != .off else { return nil }
        var reason = "the receivers sleep"
        if let wait = power.nextOn {
            let date = WallTime(milliseconds: now.milliseconds + Int64(min(max(wait, 0), 1e9) * 1000))
            reason += " until \(calendar.moment(date, now: now)), \(Quantities.time(wait)) more"
        }
        return Explanation(.receiverAsleep, "\(reason), since \(printable(power.reason))")
    }

    private static func gpsd(_ status: Status, isNeeded: Bool) -> Explanation? {
        guard !status.gpsd.connected, isNeeded || status.gpsd.lastError != nil else { return nil }
        if let error = status.gpsd.lastError {
            return Explanation(.gpsdNotConnected, "gpsd is not connected: \(printable(error))")
        }
        let address = status.gpsd.address.map { " at \(printable($0))" } ?? ""
        return Explanation(.gpsdNotConnected, "gpsd\(address) is not connected")
    }

    private static func lastFix(_ status: Status) -> Explanation {
        guard let age = status.fixes?.lastFixAge else {
            return Explanation(.noFix, "no fix has been accepted yet")
        }
        return Explanation(.nothing, "the last one \(Quantities.time(age)) ago")
    }

    // MARK: Receivers

    /// A fix that is older than this is no fix: the daemon then tells clients that the location is unknown.
    private static let lossSeconds = 10.0

    static func hasFix(_ receiver: ReceiverStatus) -> Bool {
        guard !receiver.lost, receiver.mode >= 2 else { return false }
        return receiver.fixAge.map { $0 < lossSeconds } ?? true
    }

    static func bestReceiver(_ receivers: [ReceiverStatus]) -> ReceiverStatus? {
        func rank(_ receiver: ReceiverStatus) -> (Int, Int, Int) {
            (hasFix(receiver) ? 1 : 0, receiver.preferred ? 1 : 0, receiver.satellitesUsed ?? 0)
        }
        return receivers.max { rank($0) < rank($1) }
    }

    static func satellites(_ receiver: ReceiverStatus) -> String {
        switch (receiver.satellitesUsed, receiver.satellitesSeen) {
        case (let used?, let seen?) where seen > 0: ": it uses \(used) of \(seen) satellites"
        case (_, let seen?): seen == 0 ? ": it hears no satellite" : ": it hears \(seen) satellites"
        case (let used?, nil): ": it uses \(used) satellites"
        case (nil, nil): " and tells of no satellites"
        }
    }
}
