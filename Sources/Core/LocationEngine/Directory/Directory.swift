// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The managers, apps and identities that there are, and what each may have.
///
/// Services only read it. The engine opens and closes managers in it, and `Authorizations` changes what apps may have. A manager belongs to
/// an app, an app to an identity, whose consent is the app's authorization (Protocol 6). Tables are packed by slot.
struct Directory: Sendable {
    /// A manager, but for its services.
    struct Manager: Sendable, BitwiseCopyable {
        var isOpen = false
        var app = AppID(rawValue: 0)
        var presence = Presence.background
        var properties = ManagerProperties()
        var hasAnnouncedAuthorization = false
        /// The client said `events: true`: it is told later what it misses (Protocol 7.5).
        var keepsEvents = false
        /// It was a use of its app when the former process ended, and is one until its time to come back is up.
        var keepsUse = false
        /// It counts as a use of its app.
        var isUse = false
        /// When the manager ends if its client does not come back; nil: its client is connected.
        var awayUntil: BootInstant?
        var isAway: Bool { awayUntil != nil }
    }

    /// An app, but for what its services keep of it.
    struct App: Sendable, BitwiseCopyable {
        /// Negative: the slot is nobody's.
        var identity = IdentityID(rawValue: -1)
        /// That of the identity.
        var authorization = Authorization(status: .notDetermined)
        /// Managers by which it is in use.
        var uses = 0
        /// Flags for the service sessions that the app's manifest demands and its clients do not hold (Protocol 6.8).
        var sessionFlags: DiagnosticFlags = []

        /// Whether events may be told now: always, or while in use.
        var mayHaveEvents: Bool {
            switch authorization.status {
            case .authorizedAlways: true
            case .authorizedWhenInUse: uses > 0
            case .notDetermined, .restricted, .denied: false
            }
        }

        /// Whether events are stored, and the app is woken.
        var storesEvents: Bool { authorization.status == .authorizedAlways && !authorization.isProvisional }

        /// Regions and conditions need full accuracy (rule A9), and always or use.
        var mayWatchRegions: Bool { mayHaveEvents && authorization.accuracy == .full }

        var mayWatchConditions: Bool { mayWatchRegions && sessionFlags.isEmpty }

        /// The app came into use, or its sessions changed, which changes what it may watch, and not its authorization.
        var unchanged: RightsChange { RightsChange(old: authorization, new: authorization) }
    }

    var managers: [Manager] = []
    var apps: [App] = []
    var identities: [Identity] = []
    var areServicesEnabled = true
    /// Managers without a connection, in the order in which they lost it.
    var away: [ManagerID] = []

    subscript(manager: ManagerID) -> Manager {
        _read { yield managers[manager.index] }
        _modify { yield &managers[manager.index] }
    }

    subscript(app: AppID) -> App {
        _read { yield apps[app.index] }
        _modify { yield &apps[app.index] }
    }

    subscript(identity: IdentityID) -> Identity {
        _read { yield identities[identity.index] }
        _modify { yield &identities[identity.index] }
    }

    // MARK: Who is there

    /// Whether the manager is there, with or without its connection.
    func isOpen(_ manager: ManagerID) -> Bool {
        managers.indices.contains(manager.index) && managers[manager.index].isOpen
    }

    func isAway(_ manager: ManagerID) -> Bool { managers[manager.index].isAway }

    func app(of manager: ManagerID) -> AppID { managers[manager.index].app }

    func identity(of manager: ManagerID) -> IdentityID { apps[managers[manager.index].app.index].identity }

    /// Open managers of an app, by slot.
    func managers(of app: AppID) -> [ManagerID] {
        managers.indices.filter { managers[$0].isOpen && managers[$0].app == app }
            .map { ManagerID(rawValue: Int32($0)) }
    }

    /// Open managers of an identity, by slot.
    func managers(of identity: IdentityID) -> [ManagerID] {
        managers.indices.filter { managers[$0].isOpen && apps[managers[$0].app.index].identity == identity }
            .map { ManagerID(rawValue: Int32($0)) }
    }

    /// Apps of an identity, by slot.
    func apps(of identity: IdentityID) -> [AppID] {
        apps.indices.filter { apps[$0].identity == identity }.map { AppID(rawValue: Int32($0)) }
    }

    /// Managers of the app that said `hello` or started a service (Protocol 4.3), by slot.
    func listeners(of app: AppID) -> [ManagerID] {
        managers(of: app).filter { managers[$0.index].hasAnnouncedAuthorization }
    }

    /// Whether a client of the app is connected.
    func hasConnection(_ app: AppID) -> Bool {
        managers.contains { $0.isOpen && $0.app == app && !$0.isAway }
    }

    /// Whether the app has a connection, or is in use without one (Protocol 6.4).
    func isInUse(_ app: AppID) -> Bool { apps[app.index].uses > 0 }

    // MARK: What each may have

    func authorization(of manager: ManagerID) -> Authorization { apps[managers[manager.index].app.index].authorization }

    /// Whether the manager's client is there and is to be told that it may not have what it wants.
    func isDenied(_ manager: ManagerID) -> Bool {
        !isAway(manager) && authorization(of: manager).serviceState == .denied
    }

    /// The authorization that follows for the apps of an identity.
    func authorization(of identity: IdentityID) -> Authorization {
        identities[identity.index].authorization(servicesEnabled: areServicesEnabled)
    }

    /// Whether everything that the manager gets is the reduced view: by consent, or by its own wish (Protocol 6.6).
    func hasReducedView(_ manager: ManagerID) -> Bool {
        managers[manager.index].properties.desiredAccuracy == .reduced
            || authorization(of: manager).accuracy == .reduced
    }

    /// The manager's desired accuracy, or reduced if its app may know no more.
    func accuracyInForce(_ manager: ManagerID) -> DesiredAccuracy {
        hasReducedView(manager) ? .reduced : managers[manager.index].properties.desiredAccuracy
    }

    /// Whether a stream of the manager gets locations.
    func mayStream(_ manager: ManagerID) -> Bool {
        let app = apps[managers[manager.index].app.index]
        return app.authorization.isAuthorized && app.sessionFlags.isEmpty
    }

    /// Why the app's monitors do not watch their conditions (Protocol 7.4); empty: they do.
    func monitorFlags(of app: AppID) -> DiagnosticFlags {
        let authorization = apps[app.index].authorization
        var flags = streamFlags(of: app)
        if authorization.isAuthorized, authorization.accuracy == .reduced { flags.insert(.accuracyLimited) }
        return flags
    }

    /// Why an app's streams get no locations; empty: they do.
    func streamFlags(of app: AppID) -> DiagnosticFlags {
        let app = apps[app.index]
        var flags = app.authorization.flags.union(app.sessionFlags)
        let asksItself = !flags.contains(.serviceSessionRequired)
        if app.authorization.status == .notDetermined, asksItself { flags.insert(.authorizationRequestInProgress) }
        return flags
    }
}
