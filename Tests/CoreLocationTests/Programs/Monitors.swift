// SPDX-License-Identifier: Apache-2.0
import CoreLocation

/// A monitor of an observable object.
@MainActor
final class OfficeMonitor {
    private var monitor: CLMonitor?
    private(set) var isInOffice = false

    func start() {
        Task {
            let monitor = await CLMonitor("office")
            self.monitor = monitor
            let office = CLMonitor.CircularGeographicCondition(
                center: CLLocationCoordinate2D(latitude: 48.1, longitude: 11.5), radius: 200)
            await monitor.add(office, identifier: "office", assuming: .unsatisfied)
            for try await event in await monitor.events {
                note(event)
            }
        }
    }

    private func note(_ event: CLMonitor.Event) {
        switch event.state {
        case .satisfied: isInOffice = true
        case .unsatisfied: isInOffice = false
        case .unknown, .unmonitored: break
        @unknown default: break
        }
    }

    func forget() async {
        guard let monitor else { return }
        for identifier in await monitor.identifiers { await monitor.remove(identifier) }
    }
}

/// A monitor of an actor, with what it knows already.
actor MonitorKeeper {
    static let shared = MonitorKeeper()
    private var monitor: CLMonitor?

    func open() async -> CLMonitor {
        if let monitor { return monitor }
        let opened = await CLMonitor("keeper")
        monitor = opened
        return opened
    }

    func states() async -> [String: CLMonitor.Event.State] {
        let monitor = await open()
        var states: [String: CLMonitor.Event.State] = [:]
        for identifier in await monitor.identifiers {
            guard let record = await monitor.record(for: identifier) else { continue }
            states[record.lastEvent.identifier] = record.lastEvent.state
            if let circle = record.condition as? CLMonitor.CircularGeographicCondition { print(circle.radius) }
        }
        return states
    }

    func add(_ condition: any CLCondition, as identifier: String) async {
        await open().add(condition, identifier: identifier)
    }

    func listen(_ handle: @Sendable (CLMonitor.Event) async -> Void) async throws {
        for try await event in await open().events {
            if event.refinement is CLMonitor.BeaconIdentityCondition { print(event.date) }
            if event.conditionUnsupported || event.conditionLimitExceeded || event.persistenceUnavailable { continue }
            await handle(event)
        }
    }

    /// Conditions are Codable.
    func archive(_ conditions: [CLMonitor.CircularGeographicCondition]) throws -> Data {
        try JSONEncoder().encode(conditions)
    }

    func restore(_ data: Data) throws -> [CLMonitor.CircularGeographicCondition] {
        try JSONDecoder().decode([CLMonitor.CircularGeographicCondition].self, from: data)
    }
}
