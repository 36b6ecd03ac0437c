// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Synchronization
import Testing

@testable import CoreLocation

@Suite("A delegate", .asynchronous)
struct DelegateTests {
    private final class Empty: NSObject, CLLocationManagerDelegate {}

    /// What people write who knew older spellings.
    private final class Misspelled: NSObject, CLLocationManagerDelegate {
        func locationManager(manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    }

    private final class Older: NSObject, CLLocationManagerDelegate, Sendable {
        let notes = Notes<String>()

        func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
            notes.add("authorization \(status.rawValue)")
        }
        func locationManager(
            _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation?
        ) {
            let seconds = oldLocation.map { Int(newLocation.timestamp.timeIntervalSince($0.timestamp)) }
            notes.add(seconds.map { "after \($0)" } ?? "first")
        }
    }

    private static let change = AuthorizationChange(authorizationStatus: .denied, accuracyAuthorization: .full)

    @Test("a method that a service needs and nobody implements is said once, as it has to be written")
    func missing() async throws {
        let delegate = Misspelled()
        let app = try ManagedApp(delegate)
        app.session.connect()
        for second in 0..<3 {
            app.session.tell(
                .didUpdateLocations(.at(Double(second))),
                .didFailWithError(LocationError(.denied), source: .standard, request: nil))
        }
        await app.settle()
        #expect(app.log.all.count == 2)
        let line = try #require(app.log.all.first)
        #expect(
            line.contains(
                "func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])"))
        #expect(line.contains("Misspelled") && line.contains("locationManager(manager:didUpdateLocations:)"))
        withExtendedLifetime(delegate) {}
    }

    @Test("says nothing of what no service needs")
    func notNeeded() async throws {
        let delegate = Empty()
        let app = try ManagedApp(delegate)
        app.session.connect()
        app.session.tell(
            .didPauseLocationUpdates(reason: nil), .didStartMonitoring(.named("a")),
            .didDetermineState(.named("a"), .inside))
        await app.settle()
        #expect(app.log.all.isEmpty)
        try app.use { $0.requestState(for: CLRegion.make(of: .named("a"))) }
        app.session.tell(.didDetermineState(.named("a"), .inside))
        await app.settle()
        #expect(app.log.all.count == 1)
        withExtendedLifetime(delegate) {}
    }

    @Test("the older forms are called where the newer ones are missing, and only there")
    func older() async throws {
        let delegate = Older()
        let app = try ManagedApp(delegate)
        app.session.connect()
        app.session.tell(.didUpdateLocations(.at(1, 3)), .didUpdateLocations(.at(7)))
        app.session.tell(.didChangeAuthorization(DelegateTests.change))
        app.session.connect(.denied)
        await app.settle()
        // The accuracy alone is nothing that the older form could tell.
        app.session.tell(
            .didChangeAuthorization(AuthorizationChange(authorizationStatus: .denied, accuracyAuthorization: .reduced)))
        await app.settle()
        #expect(delegate.notes.all.filter { !$0.hasPrefix("authorization") } == ["first", "after 2", "after 4"])
        #expect(delegate.notes.all.filter { $0.hasPrefix("authorization") }.last == "authorization 2")
        #expect(app.log.all.isEmpty)
    }

    @Test("is not kept alive, and its end is the end of nothing else")
    func weak() async throws {
        let app = try ManagedApp()
        do {
            let delegate = Diary()
            try app.use { $0.delegate = delegate }
        }
        #expect(try app.use { $0.delegate == nil })
        app.session.connect()
        app.session.tell(.didUpdateLocations(.at(1)), .didUpdateLocations(.at(2)))
        await app.settle()
        #expect(app.log.all.count == 1)
        #expect(app.log.all.first?.contains("delegate is nil") == true)
        #expect(try app.use { $0.location?.timestamp } == Location.at(2).timestamp.date)
    }

    @Test("a stored event is acknowledged when the callback has returned, not before")
    func acknowledged() async throws {
        let sessions = Notes<FakeSession>()
        let before = Notes<Int>()
        let diary = Diary { _ in before.add(sessions.all.first?.commands.count ?? -1) }
        let app = try ManagedApp(diary)
        sessions.add(app.session)
        app.session.tell(.didEnterRegion(RegionCrossing(region: .named("home"), location: nil, event: 41)))
        app.session.tell(.didExitRegion(RegionCrossing(region: .named("home"), location: nil)))
        await app.settle()
        #expect(before.all == [0, 1])
        #expect(app.session.commands == [.acknowledge(event: 41)])
    }

    @Test("stored events wait for a delegate; all else is lost, which is said once")
    func held() async throws {
        let app = try ManagedApp()
        app.session.connect()
        let significant = LocationUpdate(locations: [.at(5)], source: .significantChange, event: 3)
        app.session.tell(
            .didEnterRegion(RegionCrossing(region: .named("home"), location: nil, event: 1)),
            .didUpdateLocations(.at(1)), .didUpdateLocations(significant))
        await app.settle()
        #expect(app.session.commands.isEmpty)
        let diary = Diary()
        try app.use { $0.delegate = diary }
        app.session.tell(.didUpdateLocations(.at(9)))
        await app.settle()
        #expect(diary.all == ["authorization 3 0", "enter home", "locations 5", "locations 9"])
        #expect(app.session.commands == [.acknowledge(event: 1), .acknowledge(event: 3)])
        #expect(app.log.all.count == 2)
    }

    @Test("that is gone when its one location comes does not leave it unsaid, and the manager has the location")
    func lateDelegate() async throws {
        let app = try ManagedApp()
        app.session.connect()
        app.session.tell(.didUpdateLocations(.at(1)))
        let free = DispatchSemaphore(value: 0)
        await app.occupy(until: free)
        do {
            let delegate = Diary()
            try app.use { manager in
                manager.delegate = delegate
                manager.requestLocation()
            }
        }
        free.signal()
        let answer = LocationUpdate(locations: [.at(7)], source: .request, request: 1)
        app.session.tell(.didUpdateLocations(answer))
        await app.settle()
        let later = Diary()
        try app.use { $0.delegate = later }
        await app.settle()
        #expect(later.all == ["authorization 3 0"])
        #expect(try app.use { $0.location?.timestamp } == Location.at(7).timestamp.date)
        let said = app.log.all.filter { $0.contains("requestLocation()") }
        #expect(said.count == 1 && said.first?.contains("delegate") == true, "\(app.log.all)")
    }

    @Test("that is nil is said of what only this process has to tell, too")
    func nobodyToFail() async throws {
        let app = try ManagedApp()
        try app.use { $0.startMonitoring(for: CLRegion()) }
        await app.settle()
        #expect(app.log.all.count == 1)
        #expect(app.log.all.first?.contains("delegate is nil") == true)
    }

    @Test("hears nothing from a manager that is gone, which ends its session at once")
    func managerGone() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.connect()
        app.session.tell(.didUpdateLocations(.at(1)))
        await app.settle()
        let before = diary.all
        app.letGo()
        #expect(app.session.isClosed)
        app.session.tell(.didUpdateLocations(.at(2)))
        await app.settle()
        #expect(diary.all == before)
    }

    @Test("a manager that ends at once while it updates is said, with what to do; one that was stopped is not")
    func earlyEnd() async throws {
        let diary = Diary()
        let local = try ManagedApp(diary)
        try local.use { $0.startUpdatingLocation() }
        local.letGo()
        #expect(local.log.all.count { $0.contains("ends within a second while it updates") } == 1, "\(local.log.all)")
        let stopped = try ManagedApp(diary)
        try stopped.use {
            $0.startUpdatingLocation()
            $0.stopUpdatingLocation()
        }
        stopped.letGo()
        let unused = try ManagedApp(diary)
        unused.letGo()
        for app in [stopped, unused] { #expect(!app.log.all.contains { $0.contains("ends within a second") }) }
    }

    @Test("a manager that is let go of in its own callback is gone after it")
    func letGoInside() async throws {
        let apps = Mutex<ManagedApp?>(nil)
        let diary = Diary { _ in apps.withLock { $0 }?.letGo() }
        let app = try ManagedApp(diary)
        apps.withLock { $0 = app }
        app.session.tell(.didUpdateLocations(.at(1)), .didUpdateLocations(.at(2)))
        try await eventually("the session ends") { app.session.isClosed }
        await app.settle()
        #expect(diary.all == ["locations 1"])
        apps.withLock { $0 = nil }
    }

    @Test("ten thousand managers leave nothing behind")
    func noLeak() async throws {
        let before = ManagerRegistry.shared.cores.count
        let sessions = Notes<WeakSession>()
        for _ in 0..<10_000 {
            let manager = CLLocationManager(at: MainPlace(), log: DeliveryLog { _ in }) { handler in
                let session = FakeSession(handler)
                sessions.add(WeakSession(session: session))
                return session
            }
            manager.startUpdatingLocation()
        }
        #expect(sessions.all.count == 10_000)
        #expect(sessions.all.allSatisfy { $0.session == nil })
        // Other tests have a few of their own meanwhile.
        #expect(ManagerRegistry.shared.cores.count < before + 100)
    }

    private struct WeakSession: Sendable { weak let session: FakeSession? }
}
