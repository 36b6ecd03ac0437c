// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import CoreLocationSimulation
import Foundation
import LocationClient
import LocationModel
import LocationProtocol
import Synchronization

/// What an app does with one location manager, as far as its session shows it.
final class SessionRecorder: Sendable {
    private final class Heard: Sendable {
        let events = Mutex<[SessionEvent]>([])
    }

    private let heard = Heard()
    let session: LocationSession

    init(_ application: String? = nil, usage: UsageDescriptions = UsageDescriptions()) {
        session = CoreLocationBackend.makeSession(
            of: SessionApplication(name: application, usageDescriptions: usage)
        ) { [heard] event in heard.events.withLock { $0.append(event) } }
    }

    func perform(_ requests: Request...) { for request in requests { session.perform(request) } }

    func perform(_ command: SessionCommand) { session.perform(command) }

    var events: [SessionEvent] { heard.events.withLock { $0 } }

    var told: [LocationProtocol.Notification] {
        events.compactMap { if case .told(let notification) = $0 { notification } else { nil } }
    }

    /// The locations of standard updates, one-shot requests included, each notification apart.
    var batches: [[Location]] {
        told.compactMap { if case .didUpdateLocations(let update) = $0 { update.locations } else { nil } }
    }

    /// Metres east of the tests' own place, rounded: what they vary.
    var metresEast: [Int] { batches.joined().map { Int($0.metresEast.rounded()) } }

    var pauses: [String] {
        told.compactMap {
            switch $0 {
            case .didPauseLocationUpdates(let reason): "pause \(reason ?? "")"
            case .didResumeLocationUpdates(let reason): "resume \(reason ?? "")"
            default: nil
            }
        }
    }

    var liveUpdates: [LiveUpdate] { told.compactMap { if case .didUpdate(let update) = $0 { update } else { nil } } }

    var crossings: [String] {
        told.compactMap {
            switch $0 {
            case .didEnterRegion(let crossing): "enter \(crossing.region.identifier)"
            case .didExitRegion(let crossing): "exit \(crossing.region.identifier)"
            default: nil
            }
        }
    }

    var visits: [Visit] { told.compactMap { if case .didVisit(let visit, _) = $0 { visit } else { nil } } }

    var monitorEvents: [MonitorEvent] {
        told.compactMap { if case .monitorEvent(let event) = $0 { event } else { nil } }
    }

    var statuses: [AuthorizationStatus] {
        told.compactMap { if case .didChangeAuthorization(let change) = $0 { change.authorizationStatus } else { nil } }
    }

    var unreachable: Int { events.count { if case .unreachable = $0 { true } else { false } } }

    var errors: [LocationErrorCode] {
        told.compactMap { if case .didFailWithError(let error, _, _) = $0 { error.code } else { nil } }
    }
}

extension Date {
    /// Where simulations begin that look at dates: 2025-06-15T15:06:40Z.
    static let testsBegin = Date(timeIntervalSince1970: 1_750_000_000)
}

/// A place so many degrees east of the tests' own.
func place(_ east: Double) -> CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: 47, longitude: 11 + east) }

extension Location {
    /// Metres east of the tests' own place.
    var metresEast: Double { Coordinate(latitude: 47, longitude: 11).distance(to: coordinate) }
}

extension CLSimulation {
    /// A fix so many metres east of the tests' own place, one second later.
    @discardableResult
    func feed(east metres: Double, accuracy: Double = 5, after seconds: Double = 1) async -> Bool {
        let place = Coordinate(latitude: 47, longitude: 11).moved(by: metres, course: 90)
        return await feed(
            latitude: place.latitude, longitude: place.longitude, accuracy: accuracy, after: seconds)
    }
}
