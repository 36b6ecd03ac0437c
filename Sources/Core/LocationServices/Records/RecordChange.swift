// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel

/// A change of what is on the disk, as a value: what a turn would write can be compared with what was written before it.
package enum RecordChange: Equatable, Sendable {
    /// The decision about an identity; nil: nobody has decided.
    case decide(PeerIdentity, ConsentBook.Entry?)
    case switchServices(Bool)
    /// An administrator accepts the decisions that are left, although some are lost.
    case acceptLostDecisions
    /// An identity was given a location. `isDecided`: somebody has decided about it.
    case noteUse(PeerIdentity, WallTime, isDecided: Bool)
    case forgetUse(PeerIdentity)
    case saveStay(StoredStay?)
    case app(AppKey, AppChange)
}

/// A change of what an app owns.
package enum AppChange: Equatable, Sendable {
    /// A process of it was there.
    case noteSeen(WallTime)
    /// Its own numbers and switches.
    case save(AppRecord, isSystemUnit: Bool)
    /// All that it owns.
    case forget
    /// The app, if it owns nothing any more; its numbers go on where they ended.
    case forgetIfEmpty
    case saveRegion(Region, RegionState)
    /// How the device stands to a region, and since when.
    case setRegionState(identifier: String, RegionState, WallTime?)
    case removeRegion(identifier: String)
    case saveEvent(AppEvent)
    case removeEvent(number: UInt64)
    case saveMonitor(name: String)
    case removeMonitor(name: String)
    /// `pendingEvent`: the number of the event that waits to be acknowledged, 0 for none; `found`: the state that was found meanwhile, for which
    /// alone a condition is saved while one waits.
    case saveCondition(
        monitor: String, identifier: String, RegionShape, lastEvent: ConditionEvent, pendingEvent: UInt64,
        found: ConditionEvent?)
    case removeCondition(monitor: String, identifier: String)

    /// A condition as the engine has it.
    static func save(_ condition: Condition) -> AppChange {
        .saveCondition(
            monitor: condition.monitor, identifier: condition.identifier, condition.shape,
            lastEvent: condition.lastEvent, pendingEvent: condition.pendingNumber, found: condition.found)
    }

    /// Whether the app owns something after it.
    package var isKept: Bool {
        switch self {
        case .save, .saveRegion, .setRegionState, .saveEvent, .saveMonitor, .saveCondition: true
        default: false
        }
    }

    /// Whether the app may own nothing after it.
    var removesApp: Bool {
        switch self {
        case .forget, .forgetIfEmpty: true
        default: false
        }
    }
}

extension RecordChange {
    /// The subject of a decision, about which only the newest counts; nil: the change is no decision.
    package var decision: String? {
        switch self {
        case .decide(let identity, _): identity.description
        case .switchServices: "location services"
        default: nil
        }
    }

    /// Whether an answer promises that it is on the disk. What is not, such as the date of last use, disturbs nobody when it is not.
    var isPromise: Bool {
        switch self {
        case .decide, .app(_, .removeEvent): true
        case .app(_, .saveCondition(_, _, _, _, let pending, _)): pending == 0
        default: false
        }
    }

    /// Whether a power cut may take it back.
    package var isPassing: Bool {
        switch self {
        case .noteUse, .saveStay, .app(_, .noteSeen): true
        case .app(_, .saveCondition(_, _, _, _, let pending, _)): pending != 0
        default: false
        }
    }
}

extension RecordChange {
    /// All that is known, for a database that is new because the old one was damaged.
    package static func all(of service: LocationService) -> [RecordChange] {
        var changes = service.consents.entries.keys.sorted { $0.description < $1.description }.map {
            RecordChange.decide($0, service.consents[$0])
        }
        changes.append(.switchServices(service.engine.areServicesEnabled))
        for app in service.apps.kept {
            guard let key = service.apps.key(of: app) else { continue }
            changes += AppChange.all(of: app, key, service).map { .app(key, $0) }
        }
        return changes
    }
}

extension AppChange {
    fileprivate static func all(of app: AppID, _ key: AppKey, _ service: LocationService) -> [AppChange] {
        var changes = [service.saving(app, key)] + service.engine.events(of: app).map { .saveEvent($0) }
        for region in service.engine.monitoredRegions(of: app) {
            changes.append(.saveRegion(region, service.engine.region(region.identifier, of: app)?.state ?? .unknown))
        }
        for name in service.engine.monitorNames(of: app) {
            changes.append(.saveMonitor(name: name))
            changes += service.engine.conditions(ofMonitor: name, of: app).map { .save($0) }
        }
        return changes + [.noteSeen(service.dates.lastSeen[app] ?? service.host.date())]
    }
}
