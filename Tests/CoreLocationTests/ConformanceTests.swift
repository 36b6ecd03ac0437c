// SPDX-License-Identifier: Apache-2.0
import Foundation
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import CoreLocation

// Delegates as people write them for Apple's systems, in Swift 6. That they compile is half of each test.

/// A plain class, the manager inside.
private final class PlainTracker: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager(at: MainPlace(), log: DeliveryLog { _ in }) { FakeSession($0) }
    private(set) var last: CLLocation?

    override init() {
        super.init()
        manager.delegate = self
        manager.desiredAccuracy = kCLLocationAccuracyBest
    }

    func start() {
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        last = locations.last
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        if let error = error as? CLError, error.code == .denied { manager.stopUpdatingLocation() }
    }
}

/// A model of the main actor whose callbacks are not isolated.
@MainActor
private final class MainActorTracker: NSObject, CLLocationManagerDelegate {
    var last: CLLocation?
    var status = CLAuthorizationStatus.notDetermined

    nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        let status = manager.authorizationStatus
        MainActor.assumeIsolated { self.status = status }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        MainActor.assumeIsolated { last = locations.last }
    }
}

/// A model of the main actor that isolates its conformance.
@MainActor
private final class IsolatedTracker: NSObject, @MainActor CLLocationManagerDelegate {
    private var manager: CLLocationManager?
    var last: CLLocation?
    var status = CLAuthorizationStatus.notDetermined

    func adopt(_ manager: CLLocationManager) {
        self.manager = manager
        manager.delegate = self
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { status = manager.authorizationStatus }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        last = locations.last
    }
}

/// A model of the main actor that leaves the check of its conformance to run time.
@MainActor
private final class CheckedTracker: NSObject, @preconcurrency CLLocationManagerDelegate {
    var last: CLLocation?

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        last = locations.last
    }
}

/// A Sendable model, with the conformance in an extension and callbacks in an asynchronous stream.
private final class StreamTracker: NSObject, Sendable {
    let places: AsyncStream<CLLocation>
    private let continuation: AsyncStream<CLLocation>.Continuation

    override init() { (places, continuation) = AsyncStream.makeStream() }
}

extension StreamTracker: CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        locations.forEach { continuation.yield($0) }
    }
}

/// An actor that is its manager's delegate, and is called on itself.
private actor TrackingActor: CLLocationManagerDelegate {
    private var manager: CLLocationManager?
    private(set) var last: CLLocation?

    func begin() -> FakeSession? {
        let sessions = Notes<FakeSession>()
        let manager = CLLocationManager(at: ActorPlace(self), log: DeliveryLog { _ in }) { handler in
            let session = FakeSession(handler)
            sessions.add(session)
            return session
        }
        manager.delegate = self
        self.manager = manager
        return sessions.all.first
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        assumeIsolated { $0.last = locations.last }
    }
}

/// A stand-in for the manager, as tests of apps have it.
private final class MockManager: CLLocationManager {
    private(set) var isStarted: Bool
    override init() {
        isStarted = false
        super.init()
    }
    override var authorizationStatus: CLAuthorizationStatus { .authorizedAlways }
    override var location: CLLocation? { CLLocation(latitude: 1, longitude: 2) }
    override func startUpdatingLocation() { isStarted = true }
    override class func locationServicesEnabled() -> Bool { true }
}

@Suite("Delegates of Swift 6", .asynchronous)
@MainActor
struct ConformanceTests {
    /// A manager on the main queue, and its session.
    private static func make() throws -> (manager: CLLocationManager, session: FakeSession) {
        let sessions = Notes<FakeSession>()
        let manager = CLLocationManager(at: MainPlace(), log: DeliveryLog { _ in }) { handler in
            let session = FakeSession(handler)
            sessions.add(session)
            return session
        }
        return (manager, try #require(sessions.all.first))
    }

    @Test("a plain class")
    func plain() {
        let tracker = PlainTracker()
        tracker.start()
        #expect(tracker.last == nil)
    }

    @Test("a class of the main actor with callbacks that are not isolated")
    func mainActor() async throws {
        let (manager, session) = try ConformanceTests.make()
        let tracker = MainActorTracker()
        manager.delegate = tracker
        session.connect(.authorizedAlways)
        session.tell(.didUpdateLocations(.at(1)))
        try await eventually("the location comes") { tracker.last != nil }
        #expect(tracker.status == .authorizedAlways)
    }

    @Test("a class of the main actor with an isolated conformance")
    func isolated() async throws {
        let (manager, session) = try ConformanceTests.make()
        let tracker = IsolatedTracker()
        tracker.adopt(manager)
        session.connect(.authorizedWhenInUse)
        session.tell(.didUpdateLocations(.at(1)))
        try await eventually("the location comes") { tracker.last != nil }
        #expect(tracker.status == .authorizedWhenInUse)
    }

    @Test("a class of the main actor whose conformance is checked at run time")
    func checked() async throws {
        let (manager, session) = try ConformanceTests.make()
        let tracker = CheckedTracker()
        manager.delegate = tracker
        session.tell(.didUpdateLocations(.at(1)))
        try await eventually("the location comes") { tracker.last != nil }
    }

    @Test("a Sendable class that makes a stream of its callbacks")
    func stream() async throws {
        let (manager, session) = try ConformanceTests.make()
        let tracker = StreamTracker()
        manager.delegate = tracker
        session.tell(.didUpdateLocations(.at(1, 2)))
        var count = 0
        for await _ in tracker.places {
            count += 1
            if count == 2 { break }
        }
        #expect(count == 2)
    }

    @Test("an actor that holds its manager, and is its delegate")
    func actor() async throws {
        let tracker = TrackingActor()
        let session = try #require(await tracker.begin())
        session.tell(.didUpdateLocations(.at(1)))
        try await eventually("the location comes") { await tracker.last != nil }
    }

    @Test("the asynchronous request for full accuracy, from the main actor")
    func asynchronousRequest() async throws {
        let (manager, session) = try ConformanceTests.make()
        async let answer: Void = {
            try await eventually("it is asked for") { session.commands.count == 1 }
            session.tell(
                .didRequestTemporaryFullAccuracy(purposeKey: "hike", error: LocationError(.promptDeclined)))
        }()
        let tracker = StreamTracker()
        manager.delegate = tracker
        await #expect(throws: CLError.self) {
            try await manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "hike")
        }
        try await answer
    }

    @Test("a subclass that stands in for the manager")
    func mock() {
        let mock = MockManager()
        let manager: CLLocationManager = mock
        manager.startUpdatingLocation()
        #expect(mock.isStarted && manager.authorizationStatus == .authorizedAlways)
        #expect(manager.location?.coordinate.latitude == 1)
        #expect(MockManager.locationServicesEnabled())
    }
}
