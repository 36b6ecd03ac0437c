// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Why nothing comes of an app's streams and monitors (CL 4.8): told in-band, as flags that say nothing of the place.
extension Engine {
    /// Why the conditions of the app's monitors are not looked at; empty: they are.
    func obstacles(of app: AppID) -> DiagnosticFlags {
        let kept = apps[app.index]
        var flags = kept.authorization.flags.union(kept.sessionObstacles)
        if kept.authorization.status == .notDetermined, !flags.contains(.serviceSessionRequired) {
            flags.insert(.authorizationRequestInProgress)
        }
        if kept.authorization.isAuthorized, kept.authorization.accuracy == .reduced { flags.insert(.accuracyLimited) }
        return flags
    }

    /// Whether a stream of the manager gets locations.
    func mayStream(_ manager: ManagerID) -> Bool {
        authorization(of: manager).isAuthorized && apps[managers[manager.index].app.index].sessionObstacles.isEmpty
    }

    // MARK: Explicit sessions

    /// The manifest of the identity's app says whether it holds its service sessions itself (CL 4.7), or no longer so.
    mutating func requireSessions(
        _ identity: IdentityID, _ areRequired: Bool, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        guard identities[identity.index].requiresSessions != areRequired else { return }
        identities[identity.index].requiresSessions = areRequired
        for index in apps.indices where apps[index].identity == identity {
            refreshSessionObstacles(of: AppID(rawValue: Int32(index)), at: now, into: &effects)
        }
    }

    /// A manager came or went, a session began or ended, or the app went to the back or to the front.
    ///
    /// - Parameter returning: A manager whose client is back: its streams are told next how they stand.
    mutating func refreshSessionObstacles(
        of app: AppID, returning: ManagerID? = nil, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let obstacles = sessionObstacles(of: app)
        guard obstacles != apps[app.index].sessionObstacles else { return }
        apps[app.index].sessionObstacles = obstacles
        refreshWatching(of: app, into: &effects)
        tellObstacles(of: app, at: now, into: &effects)
        for index in managers.indices where managers[index].isOpen && managers[index].app == app {
            let manager = ManagerID(rawValue: Int32(index))
            if manager == returning { continue }
            tellLiveFlags(of: manager, into: &effects)
            tellViewInForce(to: manager, at: now, into: &effects)
        }
        touchSessions()
    }

    /// Without a session no stream or monitor gets anything, nor does in the background who may know only while in use.
    func sessionObstacles(of app: AppID) -> DiagnosticFlags {
        let status = apps[app.index].authorization.status
        guard identities[apps[app.index].identity.index].requiresSessions, status != .denied, status != .restricted
        else { return [] }
        let open = managers.filter { $0.isOpen && $0.app == app }
        // What goes on for an app that is not there was asked for with a session.
        guard !open.isEmpty else { return [] }
        var flags: DiagnosticFlags = []
        if !open.contains(where: { $0.sessions.contains { $0.kind != .backgroundActivity } }) {
            flags.insert(.serviceSessionRequired)
        }
        let isInUse = open.contains { manager in
            !manager.isAway && manager.presence == .foreground
                || manager.sessions.contains { $0.kind == .backgroundActivity }
        }
        if status == .authorizedWhenInUse, !isInUse { flags.insert(.insufficientlyInUse) }
        return flags
    }

    // MARK: Monitors

    /// Tells the holders of an app's monitors, for each condition, why nothing comes of it. Where something comes again, the condition is
    /// looked at anew, and says how it stands.
    mutating func tellObstacles(of app: AppID, at now: BootInstant, into effects: inout EffectBuffer) {
        for name in apps[app.index].monitors.keys.sorted() {
            tellObstacles(ofMonitor: name, of: app, at: now, into: &effects)
        }
    }

    mutating func tellObstacles(
        ofMonitor name: String, of app: AppID, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        guard let monitor = apps[app.index].monitors[name] else { return }
        let flags = obstacles(of: app)
        for identifier in monitor.conditions.keys.sorted() {
            guard let handle = monitor.conditions[identifier], let condition = condition(handle),
                condition.obstacle != flags
            else { continue }
            guard !flags.isEmpty, monitor.holder != nil else {
                forgetObstacle(handle, app, isOver: flags.isEmpty)
                continue
            }
            tellObstacle(flags, handle, app, at: now, into: &effects)
        }
    }

    /// Not stored: it is no news that can be lost, since it is found again whenever the monitor is opened. It is acknowledged as others are,
    /// and `lastEvent` moves then. It waits for what is stored to be acknowledged, which would else be told a second time.
    private mutating func tellObstacle(
        _ flags: DiagnosticFlags, _ handle: RegionHandle, _ app: AppID, at now: BootInstant,
        into effects: inout EffectBuffer
    ) {
        guard case .condition(_, var condition)? = owner(of: handle), !isStored(condition.pendingNumber, of: app)
        else { return }
        condition.obstacle = flags
        let taken = condition.lastEvent
        if taken.state == .unmonitored, taken.flags == flags, condition.pendingNumber == 0 {
            regionOwners[handle.slot] = .condition(app, condition)
            return
        }
        let date = date(at: now) ?? taken.date
        let content = ConditionEvent(state: .unmonitored, date: date, flags: flags)
        let event = AppEvent(
            number: apps[app.index].nextEvent, date: date,
            content: .monitor(name: condition.monitor, identifier: condition.identifier, content))
        apps[app.index].nextEvent += 1
        condition.pendingNumber = event.number
        condition.pending = content
        regionOwners[handle.slot] = .condition(app, condition)
        reserveEvents(of: app, into: &effects)
        guard let holder = apps[app.index].monitors[condition.monitor]?.holder, isOpen(holder.manager),
            !managers[holder.manager.index].isAway
        else { return }
        effects.append(.event(holder.manager, index: effects.add(event), monitor: holder.number))
    }

    /// `isOver`: the app was told that nothing comes, and is told how the condition stands, be it as before.
    private mutating func forgetObstacle(_ handle: RegionHandle, _ app: AppID, isOver: Bool) {
        guard case .condition(_, var condition)? = owner(of: handle) else { return }
        condition.obstacle = []
        condition.owesState = isOver && apps[app.index].monitors[condition.monitor]?.holder != nil
        if condition.pending?.state == .unmonitored {
            condition.pendingNumber = 0
            condition.pending = nil
        }
        regionOwners[handle.slot] = .condition(app, condition)
    }

    private func isStored(_ number: UInt64, of app: AppID) -> Bool {
        number != 0 && apps[app.index].events.contains { $0.number == number }
    }

    /// A client can make obstacles come and go as fast as it likes, and their numbers must not be given again: so many are stored as given
    /// at once that this hardly ever costs a write.
    private mutating func reserveEvents(of app: AppID, into effects: inout EffectBuffer) {
        guard apps[app.index].nextEvent > apps[app.index].reservedEvents else { return }
        apps[app.index].reservedEvents = apps[app.index].nextEvent + Engine.eventReservation
        effects.append(.saveApp(app))
    }

    /// Numbers of events that are reserved at once.
    private static var eventReservation: UInt64 { 1 << 16 }

    // MARK: The date

    /// The date at an instant, by what the shell said last; nil: it said nothing. A place's date would tell when the device was seen.
    func date(at now: BootInstant) -> WallTime? {
        clock.map { WallTime(milliseconds: $0.date.milliseconds + (now - $0.at).nanoseconds / 1_000_000) }
    }
}
