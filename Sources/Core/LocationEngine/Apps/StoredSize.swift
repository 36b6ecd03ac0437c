// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// What records take, bytes: near enough to what they take on the disk, and in memory.
package enum StoredSize {
    /// A row beside its content.
    package static let row = 100
    /// A monitor: a row with a name.
    package static let monitor = 200
    /// An app that is kept: a row with its names.
    package static let app = 300
}

extension RegionShape {
    /// Bytes.
    var storedSize: Int {
        switch self {
        case .circle: 24
        case .polygon(let polygon): polygon.vertices.count * 16
        }
    }
}

extension Region {
    /// Bytes.
    package var storedSize: Int { StoredSize.row + identifier.utf8.count + shape.storedSize }
}

extension Condition {
    /// Bytes; its last event may say the shape once more.
    package static func storedSize(_ identifier: String, _ shape: RegionShape) -> Int {
        StoredSize.row + identifier.utf8.count + 2 * shape.storedSize
    }
}

extension RegionOwner {
    var storedSize: Int {
        switch self {
        case .region(_, let region): region.storedSize
        case .condition(_, let condition): Condition.storedSize(condition.identifier, condition.shape)
        }
    }
}

extension AppEvent {
    /// Bytes.
    var storedSize: Int {
        switch content {
        case .region(let region, _, _): StoredSize.row + region.storedSize
        case .monitor(_, _, let event): StoredSize.row * 2 + (event.refinement?.storedSize ?? 0)
        case .visit, .significantChange: StoredSize.row * 2
        }
    }
}

extension Engine {
    /// What is kept of an app: regions, conditions, monitors and events, bytes.
    package func storedSize(of app: AppID) -> Int {
        let kept = apps[app.index]
        return kept.shapesSize + kept.eventsSize + kept.monitors.count * StoredSize.monitor
    }

    /// Whether the app may have locations at some time, by a decision or by a rule.
    package func isAllowed(_ app: AppID) -> Bool {
        identities[apps[app.index].identity.index].consent.allowsMore(than: Consent(.undecided))
    }

    /// Forgets all that is kept of an app; the clients that it has go on without.
    mutating func forgetRecords(of app: AppID) {
        for handle in apps[app.index].regions.values.sorted() { removeShape(handle) }
        apps[app.index].regions.removeAll()
        for name in monitorNames(of: app) {
            for handle in apps[app.index].monitors[name]?.conditions.values.sorted() ?? [] { removeShape(handle) }
            apps[app.index].monitors[name]?.conditions.removeAll()
            if apps[app.index].monitors[name]?.holder == nil { apps[app.index].monitors[name] = nil }
        }
        apps[app.index].conditionCount = 0
        apps[app.index].monitorsVisits = false
        apps[app.index].events.removeAll()
        apps[app.index].eventsSize = 0
        apps[app.index].exactEvents.removeAll()
        apps[app.index].heldEvent = nil
        apps[app.index].eventsDropped = 0
        endAbsentSignificant(of: app)
        touch(apps[app.index].identity)
    }
}
