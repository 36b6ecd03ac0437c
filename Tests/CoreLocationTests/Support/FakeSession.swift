// SPDX-License-Identifier: Apache-2.0
import Foundation
import LocationClient
import LocationModel
import LocationProtocol
import Synchronization

@testable import CoreLocation

/// A session that is the test itself: it hears what the manager wants, and says what a daemon would.
final class FakeSession: ManagerSession {
    private struct State {
        var commands: [Request] = []
        var hello: HelloResult?
        var location: Location?
        var regions: [Region] = []
        var isClosed = false
    }
    private let state = Mutex(State())
    private let handler: @Sendable (SessionEvent) -> Void

    init(_ handler: @escaping @Sendable (SessionEvent) -> Void) { self.handler = handler }

    /// What the manager wanted so far.
    var commands: [Request] { state.withLock { $0.commands } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// What the daemon knows from before.
    func know(_ location: Location?, _ regions: [Region] = []) {
        state.withLock { ($0.location, $0.regions) = (location, regions) }
    }

    /// The session says `events`, in order.
    func say(_ events: SessionEvent...) {
        for event in events { LocationSession.queue.async { [handler] in handler(event) } }
    }

    /// The daemon tells `notifications`, in order.
    func tell(_ notifications: DaemonNotification...) {
        for notification in notifications { say(.told(notification)) }
    }

    /// The daemon is there.
    func connect(_ status: AuthorizationStatus = .authorizedAlways, _ capabilities: Capabilities = Capabilities()) {
        let hello = HelloResult(
            version: "1", app: nil, identity: "uid:0", manager: ManagerToken(high: 1, low: 2), rejoined: false,
            authorizationStatus: status, accuracyAuthorization: status == .notDetermined ? nil : .full,
            capabilities: capabilities)
        state.withLock { $0.hello = hello }
        say(.connected(hello))
    }

    // MARK: ManagerSession

    func perform(_ command: SessionCommand) { state.withLock { $0.commands.append(command.request) } }

    func standing(waitingAtMost limit: TimeSpan) -> HelloResult? { state.withLock { $0.hello } }

    func location(_ completion: @escaping @Sendable (Result<Location?, LocationClientError>) -> Void) {
        let location = state.withLock { $0.location }
        LocationSession.queue.async { completion(.success(location)) }
    }

    func monitoredRegions(_ completion: @escaping @Sendable (Result<[Region], LocationClientError>) -> Void) {
        let regions = state.withLock { $0.regions }
        LocationSession.queue.async { completion(.success(regions)) }
    }

    func close() { state.withLock { $0.isClosed = true } }
}
