// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol

/// The service behind one iteration over live updates: it runs at the daemon as long as this object lives.
final class LiveUpdateStream: Sendable {
    /// How many elements may wait for the program: as one may only be replaced by its like, these are changes of what is told,
    /// and the oldest go when a program sleeps through so many.
    static let capacity = 16

    private let updates: ElementQueue<CLLocationUpdate>
    private let use: SharedUse

    init(_ configuration: CLLocationUpdate.LiveConfiguration, of shared: SharedSession) {
        let updates = ElementQueue<CLLocationUpdate>(insert: LiveUpdateStream.insert)
        self.updates = updates
        use = SharedUse(of: shared) { handle in
            SharedConnection.Commands(
                begin: .startLiveUpdates(handle, LiveConfiguration(configuration)), end: .stopLiveUpdates(handle),
                isGated: true)
        } receive: { event in
            LiveUpdateStream.note(event, in: updates)
        }
    }

    func next(isolation: isolated (any Actor)? = #isolation) async throws -> CLLocationUpdate? {
        try await updates.next(isolation: isolation)
    }

    private static func note(_ event: SharedEvent, in updates: ElementQueue<CLLocationUpdate>) {
        switch event {
        case .session(.told(.didUpdate(let update))):
            updates.push(CLLocationUpdate(update))
        case .session(.refused(.startLiveUpdates, let error)):
            updates.finish(throwing: LocationClientError.refused(error))
        case .session(.unreachable):
            updates.push(CLLocationUpdate(location: nil, stationary: false, flags: .locationUnavailable))
        case .serviceSessionRequired:
            updates.push(CLLocationUpdate(location: nil, stationary: false, flags: .serviceSessionRequired))
        case .session, .serviceSessionHeld: break
        }
    }

    // protocol.md 5 says the same of what the daemon has not yet written.
    private static func insert(_ waiting: inout [CLLocationUpdate], _ update: CLLocationUpdate) {
        if waiting.last?.saysTheSame(as: update) == true { waiting.removeLast() }
        if waiting.count == capacity { waiting.removeFirst() }
        waiting.append(update)
    }
}
