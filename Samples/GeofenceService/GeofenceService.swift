// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Synchronization

/// Says when the device came to a place or left it, also of the time when this program did not run: locationd keeps the events,
/// and systemd starts the program for them. Having nothing to do for a while, it ends.
///
/// Installation, as root; the files are beside this source:
///
///     install GeofenceService Info.plist /usr/local/lib/geofence/      # Info.plist as GeofenceService-Info.plist
///     cp geofence.service /etc/systemd/system/
///     cp geofence.conf /etc/locationd/apps.d/ && systemctl reload locationd
///     systemctl enable --now locationd-wake@geofence.path
///     systemctl start geofence                                         # once, so that it tells its places
@main
struct GeofenceService {
    /// Where the service wants to be woken. A real one would read them from its configuration.
    static let places: [String: CLMonitor.CircularGeographicCondition] = [
        "harbour": .init(center: CLLocationCoordinate2D(latitude: 45, longitude: -30), radius: 200),
        "island": .init(center: CLLocationCoordinate2D(latitude: 45.05, longitude: -30), radius: 500),
    ]
    /// How long it waits for another event, seconds.
    static let patience = Duration.seconds(
        ProcessInfo.processInfo.environment["GEOFENCE_PATIENCE"].flatMap(Int.init) ?? 30)

    static func main() async {
        // Held to the end: it asks for the permission to be woken, and says what is in the way.
        let session = CLServiceSession(authorization: .always)
        defer { session.invalidate() }
        // The name under which locationd keeps the places and what was told of them.
        let monitor = await CLMonitor("places")
        let known = await monitor.identifiers
        for (name, place) in places where !known.contains(name) { await monitor.add(place, identifier: name) }
        for name in known where places[name] == nil { await monitor.remove(name) }

        let idle = IdleTime(patience)
        let listening = Task {
            // An event is off locationd's list when it comes out of the sequence.
            for try await event in await monitor.events {
                idle.begin()
                say(describe(event))
            }
        }
        await idle.waitUntilOver()
        listening.cancel()
        do {
            try await listening.value
        } catch {
            say("cannot go on listening: \(error)")
            exit(EXIT_FAILURE)
        }
    }

    static func describe(_ event: CLMonitor.Event) -> String {
        let date = event.date.formatted(.iso8601)
        return switch event.state {
        case .satisfied: "\(date) came to \(event.identifier)"
        case .unsatisfied: "\(date) is not at \(event.identifier)"
        case .unmonitored: "\(date) cannot watch \(event.identifier): \(reason(event))"
        case .unknown: "\(date) does not know about \(event.identifier)"
        }
    }

    /// The obstacle to a condition: an event that is `unmonitored` has one of these flags at least.
    static func reason(_ event: CLMonitor.Event) -> String {
        // Location services that are off set authorizationDenied, too: the closer reason comes first.
        if event.authorizationDeniedGlobally { return "location services are off; locctl services on" }
        if event.authorizationDenied { return "somebody decided that this program may not know locations" }
        if event.authorizationRestricted { return "the administrator forbids locations" }
        if event.authorizationRequestInProgress { return "nobody has decided yet; locctl requests lists what is asked" }
        if event.accuracyLimited { return "only the approximate location may be known; that does not do for places" }
        if event.serviceSessionRequired { return "the program holds no CLServiceSession" }
        if event.insufficientlyInUse { return "only permitted while in use, and the program is in the background" }
        if event.conditionLimitExceeded { return "too many places" }
        if event.conditionUnsupported { return "this device cannot see such a thing" }
        if event.persistenceUnavailable { return "the places cannot be kept, or another instance has them open" }
        return "no flag of the event says why"
    }

    /// The journal takes what a service writes.
    static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}

/// The time since something happened last.
final class IdleTime: Sendable {
    private let patience: Duration
    private let end: Mutex<ContinuousClock.Instant>

    init(_ patience: Duration) {
        self.patience = patience
        end = Mutex(.now + patience)
    }

    /// Something happened.
    func begin() { end.withLock { $0 = .now + patience } }

    /// Waits until nothing has happened for so long.
    func waitUntilOver() async {
        while case let end = end.withLock({ $0 }), end > .now { try? await Task.sleep(until: end) }
    }
}
