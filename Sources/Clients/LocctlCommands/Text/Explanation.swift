// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// The first thing that stops somebody from getting the locations that they asked for, or that nothing does.
package struct Explanation: Sendable, Hashable {
    /// The causes, with their words for scripts.
    package enum Cause: String, Sendable, CaseIterable {
        case noDaemon, servicesOff, notAuthorized, waitingForAuthorization, reducedAccuracy, waitingToRejoin, notStarted
        case gpsdNotConnected, noReceiver, noFix, repeatedTime, paused, atRest, receiverAsleep, filtered,
            clientDoesNotRead, deferred
        case significantChangeOnly, notConnected, nobodyAsks, historyNotKept, historyDamaged, provided, nothing
    }

    /// How much of what was asked for comes.
    package enum Extent: Sendable { case everything, some, nothing }

    /// The cause, from which `extent` follows.
    package var cause: Cause
    /// The cause in words; completes "… gets no locations: …".
    package var reason: String

    /// The cause in words.
    package init(_ cause: Cause, _ reason: String) {
        self.cause = cause
        self.reason = reason
    }

    /// How it looks. That nobody asks is nothing to care about.
    var role: Style.Role {
        switch extent {
        case .everything: .good
        case .some: cause == .nobodyAsks ? .heading : .caution
        case .nothing: .bad
        }
    }

    /// How much of what was asked for comes.
    package var extent: Extent {
        switch cause {
        case .nothing, .provided: .everything
        case .filtered, .deferred, .significantChangeOnly, .receiverAsleep, .atRest, .notConnected, .nobodyAsks,
            .reducedAccuracy:
            .some
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
        case (nil, _) where cause == .historyNotKept: "History is not kept: \(reason)"
        case (nil, _) where cause == .historyDamaged: "Not all of the history can be told: \(reason)"
        case (nil, .everything): "Locations come: \(reason)"
        case (nil, .some): reason.prefix(1).uppercased() + reason.dropFirst() + ""
        case (nil, .nothing): "No locations come: \(reason)"
        case (let client?, .everything): "\(client) gets locations: \(reason)"
        case (let client?, .some): "\(client) does not get every location at once: \(reason)"
        case (let client?, .nothing): "\(client) gets no locations: \(reason)"
        }
    }

    // MARK: The device

    /// Returns the first thing that stops locations from coming to anybody, at the date `now`.
    package static func device(_ status: Status, now: WallTime, _ calendar: LocalCalendar) -> Explanation {
        if let off = services(status) { return off }
        guard status.fixes != nil else { return ownApp(status) }
        if status.power?.policy == .off {
            // That gpsd was restarted meanwhile is no trouble.
            let gpsd =
                status.gpsd.connected ? "gpsd is there" : "gpsd is not connected, and is tried again when somebody does"
            return asking(status, gpsd: gpsd)
        }
        return source(status, now: now, calendar) ?? lastFix(status)
    }

    // The receivers are off: nobody asks who may have locations.
    private static func asking(_ status: Status, gpsd: String) -> Explanation {
        let states = (status.managers ?? []).map { $0.services.map(\.state) }
        let waiting = states.count { $0.contains(.waitingForAuthorization) }
        guard waiting == 0 else {
            let clients = waiting == 1 ? "1 client asks for them and waits" : "\(waiting) clients ask for them and wait"
            return Explanation(
                .waitingForAuthorization,
                "\(clients) for somebody's decision (`locctl requests`), so the receivers are off; \(gpsd)")
        }
        let who = states.contains { $0.contains(.denied) } ? "nobody who may have locations asks for them" : nil
        return Explanation(.nobodyAsks, "\(who ?? "nobody asks for locations"), so the receivers are off; \(gpsd)")
    }

    // MARK: A client

    /// Returns the first thing that stops locations from coming to one client, at the date `now`.
    package static func client(
        _ manager: ManagerStatus, _ status: Status, now: WallTime, _ calendar: LocalCalendar
    ) -> Explanation {
        if let own = services(status) ?? consent(manager, status) ?? absence(manager) ?? beaconsOnly(manager) {
            return own
        }
        // While nobody asks, the receivers tell nothing, and nothing is wrong with that.
        let asks = !manager.services.isEmpty || manager.request != nil
        let source = asks || status.power?.policy != .off ? source(status, now: now, calendar) : nil
        if let source, source.extent == .nothing { return source }
        return pause(manager, status, now: now, calendar) ?? source ?? filter(manager, status) ?? unread(manager)
            ?? deferral(manager) ?? wish(manager) ?? eventsOnly(manager)
            ?? (status.fixes == nil ? ownApp(status) : lastFix(status))
    }

    /// Returns the first thing that stops an app without a connection from learning what it wants to know, at the date `now`.
    package static func app(
        _ app: AppStatus, _ status: Status, now: WallTime, _ calendar: LocalCalendar
    ) -> Explanation {
        if let own = services(status) ?? consent(app.authorizationStatus, nil, app.app, app) { return own }
        let isWatched = app.regions > 0 || app.conditions > 0 || app.wantsVisits
        guard isWatched else {
            return Explanation(.notStarted, "it is not connected, and has asked for nothing that goes on without it")
        }
        if let source = source(status, now: now, calendar), source.extent == .nothing { return source }
        let kept = AppTable.kept(app).joined(separator: ", ")
        guard app.authorizationStatus == .authorizedAlways else {
            return Explanation(
                .notConnected, "it is not connected, and may have locations only while it is in use; it has \(kept)")
        }
        return Explanation(.notConnected, "it is not connected; what happens is kept for it: it has \(kept)")
    }

    private static func services(_ status: Status) -> Explanation? {
        guard !status.locationServicesEnabled else { return nil }
        return Explanation(.servicesOff, "location services are off for the whole device")
    }

    private static func absence(_ manager: ManagerStatus) -> Explanation? {
        guard manager.waitingToRejoin, manager.asksForItself else { return nil }
        return Explanation(
            .waitingToRejoin, "its connection is gone; what comes is kept for a while in case it comes back")
    }

    private static func beaconsOnly(_ manager: ManagerStatus) -> Explanation? {
        let services = manager.services
        guard manager.request == nil, !services.isEmpty, services.allSatisfy({ $0.onlyBeacons == true }) else {
            return nil
        }
        let ways = [
            services.contains { $0.service == .ranging } ? "ranges" : nil,
            services.contains { $0.service != .ranging } ? "monitors" : nil,
        ].compactMap { $0 }.joined(separator: " and ")
        let reason = services.lazy.compactMap(\.reason).first.map { "; \($0)" } ?? ""
        return Explanation(.notStarted, "it \(ways) beacons, and has not asked for locations\(reason)")
    }

    private static func wish(_ manager: ManagerStatus) -> Explanation? {
        guard manager.services.isEmpty, manager.request == nil else { return nil }
        return Explanation(.notStarted, "it has not started a service and has not asked for a location")
    }

    // Standard updates that pause, or streams that have said that they fall silent.
    private static func pause(
        _ manager: ManagerStatus, _ status: Status, now: WallTime, _ calendar: LocalCalendar
    ) -> Explanation? {
        let streams = manager.liveUpdates ?? []
        let areSilent = !streams.isEmpty && streams.allSatisfy(\.stationary)
        let others = manager.services.filter { ![.standard, .liveUpdates].contains($0.service) }
        let hasStandard = manager.services.contains { $0.service == .standard }
        let isPaused = manager.paused == true && (streams.isEmpty || areSilent)
        guard manager.request == nil, isPaused || (areSilent && !hasStandard && others.isEmpty) else { return nil }
        let rest = rest(status, now: now, calendar) ?? ""
        let words =
            manager.paused == true
            ? "its updates pause while the device rests" : "it hears nothing while the device rests"
        return Explanation(.paused, words + rest)
    }

    /// ` since 10:02:11, last checked 2 min ago`; nil: the device moves, or that is not told.
    static func rest(_ status: Status, now: WallTime, _ calendar: LocalCalendar) -> String? {
        guard let device = status.device, device.stationary else { return nil }
        let parts = [
            device.since.map { " since \(calendar.moment($0, now: now))" },
            device.lastCheckAge.map { ", last checked \(Quantities.time($0)) ago" },
        ]
        return parts.compactMap { $0 }.joined()
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

    private static func filter(_ manager: ManagerStatus, _ status: Status) -> Explanation? {
        let filter = manager.properties.distanceFilter
        let count = manager.filtered?["distanceFilter"] ?? 0
        guard filter > 0, count > 0, manager.services.contains(where: { $0.service == .standard }) else { return nil }
        let delivered = manager.delivered.map { "; it was given \(Quantities.grouped($0))" } ?? ""
        let last = status.fixes?.lastFixAge.map { ", and the last fix was \(Quantities.time($0)) ago" } ?? ""
        return Explanation(
            .filtered,
            "its distanceFilter of \(Quantities.distance(filter)) keeps back what is nearer to the location before, "
                + "\(Quantities.grouped(count)) so far\(delivered)\(last)")
    }

    private static func eventsOnly(_ manager: ManagerStatus) -> Explanation? {
        let wishes: [(ServiceName, String)] = [
            (.significantChange, "significant changes"), (.regions, "regions"), (.visits, "visits"),
            (.monitors, "monitors"),
        ]
        let services = Set(manager.services.map(\.service))
        guard manager.request == nil, services.isSubset(of: wishes.map(\.0)) else { return nil }
        let words = wishes.filter { services.contains($0.0) }.map(\.1)
        let when = words == ["significant changes"] ? ", when the device has come far" : ""
        return Explanation(.significantChangeOnly, "it asked for \(words.joined(separator: " and ")) only\(when)")
    }

    // MARK: Where locations come from

    /// The reason for which nobody gets a location from the receivers at the date `now`; nil: there is none.
    package static func source(_ status: Status, now: WallTime, _ calendar: LocalCalendar) -> Explanation? {
        let asleep = asleep(status, now: now, calendar)
        if let asleep { return asleep }
        let broken = measuring(status)
        guard let provider = status.providers?.first(where: \.told) else {
            // A place that cannot be read would be told now.
            guard let broken, let problem = status.providers?.lazy.compactMap(\.problem).first else { return broken }
            return Explanation(broken.cause, "\(broken.reason); \(printable(problem))")
        }
        let error = provider.horizontalAccuracy.map { ", ±\(Quantities.distance($0))" } ?? ""
        return Explanation(
            .provided,
            "from \(provider.name.map(printable) ?? "another program")\(error), since "
                + (broken?.reason ?? "no receiver has had a fix of late"))
    }

    /// The reason for which no receiver has a fix; nil: one has.
    private static func measuring(_ status: Status) -> Explanation? {
        if let broken = gpsd(status) { return broken }
        guard let receivers = status.receivers else { return nil }
        let present = receivers.filter { !$0.lost }
        guard let best = bestReceiver(present) else {
            guard let lost = receivers.first else {
                return Explanation(.noReceiver, "gpsd has no receiver")
            }
            return Explanation(.noReceiver, "gpsd has lost its receiver \(printable(lost.path))")
        }
        guard !hasFix(best) else { return nil }
        if best.repeatsTime == true {
            return Explanation(
                .repeatedTime, "the receiver \(printable(best.path)) repeats its time, so that its fixes are not taken")
        }
        return Explanation(.noFix, "the receiver \(printable(best.path)) has no fix\(satellites(best))")
    }

    private static func asleep(_ status: Status, now: WallTime, _ calendar: LocalCalendar) -> Explanation? {
        guard let power = status.power, !power.on, power.policy != .off else { return nil }
        var reason = "the receivers sleep"
        if let wait = power.nextOn {
            let date = WallTime(milliseconds: now.milliseconds + Int64(min(max(wait, 0), 1e9) * 1000))
            reason += " until \(calendar.moment(date, now: now)), \(Quantities.time(wait)) more"
        }
        if let rest = rest(status, now: now, calendar) {
            return Explanation(.atRest, "the device rests\(rest), and \(reason)")
        }
        return Explanation(.receiverAsleep, "\(reason), since \(printable(power.reason))")
    }

    private static func gpsd(_ status: Status) -> Explanation? {
        guard !status.gpsd.connected else { return nil }
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
        guard !receiver.lost, receiver.mode >= 2, receiver.repeatsTime != true else { return false }
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
