// SPDX-License-Identifier: Apache-2.0
import Foundation
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Synchronization

@testable import CoreLocation

/// A manager with a session that is the test, and its delegate's diary.
final class ManagedApp: @unchecked Sendable {
    let session: FakeSession
    let log = Notes<String>()
    private(set) var manager: CLLocationManager?
    private let queue = DispatchQueue(label: "test.app")

    init(
        _ delegate: (any CLLocationManagerDelegate)? = nil, of application: CLApplicationInfo = CLApplicationInfo()
    ) throws {
        let sessions = Notes<FakeSession>()
        let manager = CLLocationManager(
            at: QueuePlace(queue), log: DeliveryLog { [log] in log.add($0) }, of: application
        ) { handler in
            let session = FakeSession(handler)
            sessions.add(session)
            return session
        }
        guard let session = sessions.all.first else { throw TestFailure("cannot see a session") }
        self.session = session
        self.manager = manager
        manager.delegate = delegate
    }

    /// The manager.
    func use<Result>(_ body: (CLLocationManager) throws -> Result) throws -> Result {
        guard let manager else { throw TestFailure("cannot use the manager: it is gone") }
        return try body(manager)
    }

    /// Calls nobody from its return until `free` is signalled.
    func occupy(until free: DispatchSemaphore) async {
        await withCheckedContinuation { isOccupied in
            queue.async {
                isOccupied.resume()
                free.wait()
            }
        }
    }

    func letGo() { manager = nil }

    /// Waits until all that was said has been told.
    func settle() async {
        await withCheckedContinuation { continuation in
            LocationSession.queue.async { continuation.resume() }
        }
        guard let mailbox = manager?.core.mailbox else { return }
        await withCheckedContinuation { continuation in mailbox.post { continuation.resume() } }
    }
}

extension Location {
    /// A place so many metres north of somewhere, at that second.
    static func at(_ metres: Double) -> Location {
        Location(
            coordinate: Coordinate(latitude: 45, longitude: -30).moved(by: metres, course: 0), horizontalAccuracy: 5,
            timestamp: WallTime(milliseconds: 1_700_000_000_000 + Int64(metres) * 1000), sequence: UInt64(metres) + 1)
    }
}

extension LocationUpdate {
    /// Locations of the standard service, so many metres north of somewhere.
    static func at(_ metres: Double..., more: Bool = false, deferral: UInt64? = nil) -> LocationUpdate {
        LocationUpdate(locations: metres.map(Location.at), source: .standard, deferral: deferral, hasMore: more)
    }
}

extension Region {
    /// A circle somewhere.
    static func named(_ identifier: String) -> Region {
        Region(
            identifier: identifier,
            shape: .circle(center: Coordinate(latitude: 45, longitude: -30), radius: 100))
    }
}

extension LocationClientError {
    /// What is said when there is no daemon.
    static let gone = LocationClientError.cannotConnect(DaemonAddress(path: "/nowhere"), reason: "nobody there")
}
