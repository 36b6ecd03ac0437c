// SPDX-License-Identifier: Apache-2.0
import CoreLocation

/// Callbacks as an asynchronous stream.
final class LocationStream: NSObject, CLLocationManagerDelegate {
    let locations: AsyncThrowingStream<CLLocation, Error>
    private let continuation: AsyncThrowingStream<CLLocation, Error>.Continuation
    private let manager = CLLocationManager()

    override init() {
        (locations, continuation) = AsyncThrowingStream.makeStream(of: CLLocation.self)
        super.init()
        manager.delegate = self
        manager.startUpdatingLocation()
    }

    deinit { continuation.finish() }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations { continuation.yield(location) }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) {
        if case CLError.denied = error { continuation.finish(throwing: error) }
    }
}

/// A run that is recorded from live updates.
actor RunRecorder {
    private(set) var track: [CLLocation] = []
    private var work: Task<Void, Error>?

    func start() {
        work = Task {
            for try await update in CLLocationUpdate.liveUpdates(.fitness) {
                if let location = update.location { track.append(location) }
                if update.stationary { break }
            }
        }
    }

    func stop() { work?.cancel() }

    var length: CLLocationDistance { zip(track, track.dropFirst()).reduce(0) { $0 + $1.0.distance(from: $1.1) } }
}

@MainActor
final class Follower {
    private(set) var newest: CLLocation?
    private(set) var hint = ""

    func follow(_ configuration: CLLocationUpdate.LiveConfiguration = .default) async throws {
        let updates = CLLocationUpdate.liveUpdates(configuration)
        for try await update in updates where !Task.isCancelled {
            newest = update.location ?? newest
            if update.authorizationDenied || update.authorizationDeniedGlobally { hint = "denied" }
            if update.authorizationRestricted { hint = "restricted" }
            if update.insufficientlyInUse || update.serviceSessionRequired { hint = "not in use" }
            if update.accuracyLimited || update.locationUnavailable { hint = "coarse" }
            if update.authorizationRequestInProgress { hint = "asking" }
        }
    }

    nonisolated func first() async throws -> CLLocation? {
        try await CLLocationUpdate.liveUpdates().compactMap { $0.location }.first { $0.horizontalAccuracy < 50 }
    }

    func byHand() async throws {
        var iterator: CLLocationUpdate.Updates.AsyncIterator = CLLocationUpdate.liveUpdates(.airborne)
            .makeAsyncIterator()
        while let update = try await iterator.next(), update.location == nil {}
    }

    func still() async throws -> Bool {
        for try await update in CLLocationUpdate.liveUpdates(.otherNavigation) { return update.isStationary }
        return false
    }
}
