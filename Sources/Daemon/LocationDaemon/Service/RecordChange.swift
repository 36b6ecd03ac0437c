// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

/// A change of what is on the disk, as a value: what a turn would write can be compared with what was written before it.
enum RecordChange: Equatable, Sendable {
    /// What was decided about an identity; nil: nobody has decided.
    case decide(PeerIdentity, ConsentBook.Entry?)
    case switchServices(Bool)
    /// What is known of people's decisions will do, although some are lost.
    case acceptLostDecisions
    /// An identity was given a location. `isDecided`: somebody has decided about it.
    case noteUse(PeerIdentity, WallTime, isDecided: Bool)
    case forgetUse(PeerIdentity)
    /// A process of an app was there.
    case noteSeen(AppKey, WallTime)
    /// The app's own numbers and switches.
    case saveApp(AppKey, AppRecord, isSystemUnit: Bool)
    case forgetApp(AppKey)
    /// Forgets an app that owns nothing any more; its numbers go on where they ended.
    case forgetAppIfEmpty(AppKey)
    case saveRegion(AppKey, Region, RegionState)
    /// How the device stands to a region, and since when.
    case saveRegionState(AppKey, identifier: String, RegionState, WallTime?)
    case removeRegion(AppKey, identifier: String)
    case saveEvent(AppKey, AppEvent)
    case removeEvent(AppKey, number: UInt64)
    case saveMonitor(AppKey, name: String)
    case removeMonitor(AppKey, name: String)
    /// A condition of a monitor; `pendingEvent` is the number of the event that waits to be acknowledged, 0 for none.
    case saveCondition(
        AppKey, monitor: String, identifier: String, RegionShape, lastEvent: ConditionEvent, pendingEvent: UInt64)
    case removeCondition(AppKey, monitor: String, identifier: String)
    case saveStay(StoredStay?)

    /// A condition as the engine has it.
    static func save(_ condition: Condition, of app: AppKey) -> RecordChange {
        .saveCondition(
            app, monitor: condition.monitor, identifier: condition.identifier, condition.shape,
            lastEvent: condition.lastEvent, pendingEvent: condition.pendingNumber)
    }
}

extension RecordChange {
    /// What people decided about, of which the newest word counts; nil: it is no decision.
    var decision: String? {
        switch self {
        case .decide(let identity, _): identity.description
        case .switchServices: "location services"
        default: nil
        }
    }

    /// Whether an answer promises that it is on the disk. What is not, such as the date of last use, disturbs nobody when it is not.
    var isPromise: Bool {
        switch self {
        case .decide, .removeEvent, .saveCondition: true
        default: false
        }
    }

    /// Whether a power cut may take it back.
    var isPassing: Bool {
        switch self {
        case .noteUse, .noteSeen, .saveStay: true
        default: false
        }
    }

    /// The app that owns it; nil: it is no app's.
    var app: AppKey? {
        switch self {
        case .decide, .switchServices, .acceptLostDecisions, .noteUse, .forgetUse, .saveStay: nil
        case .noteSeen(let app, _), .saveApp(let app, _, _), .forgetApp(let app), .forgetAppIfEmpty(let app),
            .saveRegion(let app, _, _), .saveRegionState(let app, _, _, _), .removeRegion(let app, _),
            .saveEvent(let app, _), .removeEvent(let app, _), .saveMonitor(let app, _), .removeMonitor(let app, _),
            .saveCondition(let app, _, _, _, _, _), .removeCondition(let app, _, _):
            app
        }
    }

    /// Whether the app owns something after it.
    var isKept: Bool {
        switch self {
        case .saveApp, .saveRegion, .saveRegionState, .saveEvent, .saveMonitor, .saveCondition: true
        default: false
        }
    }
}

extension RecordChange {
    /// All that is known, for a database that is new because the old one was damaged.
    static func all(of service: LocationService) -> [RecordChange] {
        var changes = service.consents.entries.keys.sorted { $0.description < $1.description }.map {
            RecordChange.decide($0, service.consents[$0])
        }
        changes.append(.switchServices(service.engine.areServicesEnabled))
        for app in service.apps.kept {
            guard let key = service.apps.key(of: app) else { continue }
            changes.append(service.saving(app, key))
            changes += service.engine.events(of: app).map { .saveEvent(key, $0) }
            for region in service.engine.monitoredRegions(of: app) {
                changes.append(
                    .saveRegion(key, region, service.engine.region(region.identifier, of: app)?.state ?? .unknown))
            }
            for name in service.engine.monitorNames(of: app) {
                changes.append(.saveMonitor(key, name: name))
                changes += service.engine.conditions(ofMonitor: name, of: app).map { .save($0, of: key) }
            }
            changes.append(.noteSeen(key, service.dates.lastSeen[app] ?? service.host.date()))
        }
        return changes
    }
}
