// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// One iteration over live updates: what it has yet to take, and its share in the stream that it reads from.
final class LiveUpdateStream: Sendable {
    private let updates: ElementQueue<CLLocationUpdate>
    // Held, so that it runs.
    private let stream: SharedStream

    init(_ configuration: CLLocationUpdate.LiveConfiguration, of shared: SharedSession) {
        (stream, updates) = shared.stream(configuration)
    }

    func next(isolation: isolated (any Actor)? = #isolation) async throws -> CLLocationUpdate? {
        try await updates.next(isolation: isolation)
    }
}
