// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import CoreLocation

private let home = Coordinate(latitude: 45, longitude: -30)
private let circle = CLMonitor.CircularGeographicCondition(
    center: CLLocationCoordinate2D(latitude: 45, longitude: -30), radius: 100)
private let area = RegionShape.circle(center: home, radius: 100)
private let noon = WallTime(milliseconds: 43_200_000)

@Suite("Monitors", .asynchronous)
struct MonitorTests {
    private let daemon = ScriptedDaemon()
    private let shared: SharedSession

    init() { shared = SharedSession(over: daemon) }

    private func tell(
        _ identifier: String, _ state: ConditionState, _ number: UInt64, _ flags: DiagnosticFlags = []
    ) {
        let refinement = state == .satisfied ? area : nil
        daemon.event(
            daemon.lastNumber, identifier,
            ConditionEvent(state: state, date: noon, refinement: refinement, flags: flags), number: number)
    }

    /// Waits until all that the daemon said has come as far as the program.
    private func settle() async {
        await withCheckedContinuation { done in LocationSession.queue.async { done.resume() } }
        await withCheckedContinuation { done in LocationSession.queue.async { done.resume() } }
    }

    private func asked(_ request: Request) async throws {
        try await eventually("the daemon is asked for \(request)") { daemon.calls.contains(.asked(request)) }
    }

    @Test("know when they are made which conditions they have had before")
    func identifiers() async throws {
        daemon.keep(["work", "home"], in: "places")
        let monitor = await CLMonitor("places", of: shared)
        #expect(await monitor.identifiers == ["home", "work"])
        await monitor.remove("work")
        await monitor.add(circle, identifier: "gym")
        #expect(await monitor.identifiers == ["gym", "home"])
        try await asked(.removeCondition(ConditionName(monitor: 501, identifier: "work")))
        try await asked(.addCondition(ConditionParameters(monitor: 501, identifier: "gym", condition: area)))
    }

    @Test("say to the daemon what is assumed of a condition, be it a circle, a polygon or a beacon")
    func conditions() async throws {
        let monitor = await CLMonitor("places", of: shared)
        await monitor.add(circle, identifier: "a", assuming: .unsatisfied)
        let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0)].map { Coordinate(latitude: $0.0, longitude: $0.1) }
        let polygon = CLMonitor.PolygonGeographicCondition(vertices: corners.map { CLLocationCoordinate2D($0) })
        await monitor.add(polygon, identifier: "b", assuming: .satisfied)
        try await asked(
            .addCondition(
                ConditionParameters(monitor: 501, identifier: "a", condition: area, assuming: .unsatisfied)))
        try await asked(
            .addCondition(
                ConditionParameters(
                    monitor: 501, identifier: "b", condition: .polygon(try Polygon(vertices: corners)),
                    assuming: .satisfied)))
        let uuid = UUID()
        await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: uuid, major: 1, minor: 2), identifier: "c")
        try await asked(
            .addCondition(
                ConditionParameters(
                    monitor: 501, identifier: "c",
                    condition: .beacon(BeaconIdentity(uuid: uuid.uuidString, major: 1, minor: 2)))))
    }

    @Test("say why a condition is not watched: an unknown kind, or that the daemon cannot keep it")
    func refusedConditions() async throws {
        let monitor = await CLMonitor("places", of: shared)
        var events = await monitor.events.makeAsyncIterator()
        daemon.refuse(.addCondition, RPCError(.invalidParams, "too large"))
        await monitor.add(circle, identifier: "a")
        let unsupported = try await events.next()
        #expect(unsupported?.conditionUnsupported == true && unsupported?.persistenceUnavailable == false)
        daemon.refuse(.addCondition, RPCError(.unavailable, "the disk is full"))
        await monitor.add(circle, identifier: "b")
        let unkept = try await events.next()
        #expect(unkept?.conditionUnsupported == false && unkept?.persistenceUnavailable == true)
    }

    @Test("acknowledge an event when the program takes it, not before")
    func acknowledged() async throws {
        daemon.keep(["home", "work"], in: "places")
        let monitor = await CLMonitor("places", of: shared)
        tell("home", .satisfied, 7)
        tell("work", .unsatisfied, 8)
        await settle()
        #expect(!daemon.calls.contains(.asked(.acknowledge(event: 7))))
        for try await event in await monitor.events {
            #expect(event.identifier == "home" && event.state == .satisfied)
            #expect(event.date == Date(timeIntervalSince1970: 43_200))
            let refinement = try #require(event.refinement as? CLMonitor.CircularGeographicCondition)
            #expect(refinement.radius == 100 && refinement.center.latitude == 45)
            break
        }
        try await asked(.acknowledge(event: 7))
        #expect(!daemon.calls.contains(.asked(.acknowledge(event: 8))))
        var rest = await monitor.events.makeAsyncIterator()
        let second = try await rest.next()
        #expect(second?.identifier == "work" && second?.state == .unsatisfied && second?.refinement == nil)
        try await asked(.acknowledge(event: 8))
    }

    @Test("tell each of several iterations every event, and acknowledge it when the first has it")
    func severalIterations() async throws {
        daemon.keep(["home", "work"], in: "places")
        let monitor = await CLMonitor("places", of: shared)
        var first = await monitor.events.makeAsyncIterator()
        var second = await monitor.events.makeAsyncIterator()
        tell("home", .satisfied, 7)
        tell("work", .satisfied, 8)
        #expect(try await first.next()?.identifier == "home")
        #expect(try await second.next()?.identifier == "home")
        #expect(try await second.next()?.identifier == "work")
        // What one has taken is not told to those that begin later, and stays for the others that are there.
        var third = await monitor.events.makeAsyncIterator()
        tell("home", .unsatisfied, 9)
        #expect(try await third.next()?.state == .unsatisfied)
        #expect(try await first.next()?.identifier == "work")
        #expect(try await first.next()?.state == .unsatisfied)
        try await asked(.acknowledge(event: 9))
        for event in [7, 8, 9] as [UInt64] {
            #expect(daemon.calls.count { $0 == .asked(.acknowledge(event: event)) } == 1)
        }
    }

    @Test("hold one event of a condition at most, and none of one that was removed")
    func held() async throws {
        daemon.keep(["home", "work"], in: "places")
        let monitor = await CLMonitor("places", of: shared)
        tell("home", .satisfied, 7)
        tell("work", .satisfied, 8)
        tell("home", .satisfied, 7)
        await settle()
        await monitor.remove("work")
        tell("work", .unsatisfied, 9)
        tell("home", .unsatisfied, 10)
        await settle()
        var events = await monitor.events.makeAsyncIterator()
        #expect(try await events.next()?.state == .unsatisfied)
        tell("home", .satisfied, 11)
        #expect(try await events.next()?.state == .satisfied)
    }

    @Test("ask the daemon for a record, and know the rest themselves")
    func records() async throws {
        let monitor = await CLMonitor("places", of: shared)
        #expect(await monitor.record(for: "home") == nil)
        daemon.keep(
            MonitorRecord(condition: area, lastEvent: ConditionEvent(state: .unsatisfied, date: noon)))
        let record = try #require(await monitor.record(for: "home"))
        #expect(record.condition is CLMonitor.CircularGeographicCondition)
        #expect(record.lastEvent.identifier == "home" && record.lastEvent.state == .unsatisfied)
    }

    @Test(
        "cannot watch what this device cannot see, and say so",
        arguments: [
            CLMonitor.BeaconIdentityCondition(UUID(), major: nil, minor: 2),
            CLMonitor.CircularGeographicCondition(
                center: CLLocationCoordinate2D(latitude: 91, longitude: 0), radius: 100),
            CLMonitor.CircularGeographicCondition(
                center: CLLocationCoordinate2D(latitude: 1, longitude: 0), radius: -1),
            CLMonitor.PolygonGeographicCondition(vertices: []),
        ] as [any CLCondition])
    func unsupported(condition: any CLCondition) async throws {
        let monitor = await CLMonitor("places", of: shared)
        await monitor.add(condition, identifier: "odd")
        var events = await monitor.events.makeAsyncIterator()
        let event = try await events.next()
        #expect(event?.identifier == "odd" && event?.state == .unmonitored && event?.conditionUnsupported == true)
        #expect(await monitor.identifiers == ["odd"])
        #expect(await monitor.record(for: "odd")?.lastEvent.state == .unmonitored)
        #expect(!daemon.calls.contains { if case .asked(.addCondition) = $0 { true } else { false } })
    }

    @Test("pass on that there are too many conditions")
    func limit() async throws {
        let monitor = await CLMonitor("places", of: shared)
        await monitor.add(circle, identifier: "more")
        tell("more", .unmonitored, 3, .conditionLimitExceeded)
        var events = await monitor.events.makeAsyncIterator()
        let event = try await events.next()
        #expect(event?.state == .unmonitored && event?.conditionLimitExceeded == true)
        #expect(await monitor.record(for: "more")?.lastEvent.conditionLimitExceeded == true)
    }

    @Test("watch nothing while another holds their name, and say so of each condition")
    func heldElsewhere() async throws {
        daemon.refuse(.openMonitor, RPCError(.unavailable, "cannot open places: it is open"))
        let monitor = await CLMonitor("places", of: shared)
        await monitor.add(circle, identifier: "home")
        var events = await monitor.events.makeAsyncIterator()
        let event = try await events.next()
        #expect(event?.state == .unmonitored && event?.persistenceUnavailable == true)
        #expect(!daemon.calls.contains { if case .asked(.addCondition) = $0 { true } else { false } })
    }

    @Test("close with the last who knows them, and free the connection")
    func closed() async throws {
        var monitor: CLMonitor? = await CLMonitor("places", of: shared)
        var events = await monitor?.events
        weak let former = monitor
        monitor = nil
        #expect(former == nil)
        await settle()
        #expect(daemon.connectionsOpen == 1)
        withExtendedLifetime(events) {}
        events = nil
        try await asked(.closeMonitor(monitor: 501))
        try await eventually("the connection is given up", within: 1) {
            daemon.connectionsOpen == 0 && !shared.isConnected
        }
    }

    @Test("have each flag of the daemon under its name")
    func flags() {
        let all: [(DiagnosticFlags, KeyPath<CLMonitor.Event, Bool>)] = [
            (.authorizationDenied, \.authorizationDenied),
            (.authorizationDeniedGlobally, \.authorizationDeniedGlobally),
            (.authorizationRestricted, \.authorizationRestricted),
            (.authorizationRequestInProgress, \.authorizationRequestInProgress),
            (.insufficientlyInUse, \.insufficientlyInUse), (.serviceSessionRequired, \.serviceSessionRequired),
            (.accuracyLimited, \.accuracyLimited), (.conditionUnsupported, \.conditionUnsupported),
            (.conditionLimitExceeded, \.conditionLimitExceeded),
            (.persistenceUnavailable, \.persistenceUnavailable),
        ]
        for (flag, _) in all {
            let event = CLMonitor.Event(identifier: "a", state: .unknown, date: Date(), flags: flag)
            #expect(all.filter { event[keyPath: $0.1] }.map(\.0) == [flag])
        }
    }
}
