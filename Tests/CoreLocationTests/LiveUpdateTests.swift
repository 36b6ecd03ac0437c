// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import CoreLocation

@Suite("Live updates", .asynchronous)
struct LiveUpdateTests {
    private let daemon = ScriptedDaemon()
    private let shared: SharedSession

    init() { shared = SharedSession(over: daemon) }

    private func updates(_ configuration: CLLocationUpdate.LiveConfiguration = .default) -> CLLocationUpdate.Updates {
        CLLocationUpdate.Updates(configuration: configuration, shared: shared)
    }

    private func started(_ count: Int = 1) async throws {
        try await eventually("\(count) streams run") {
            daemon.calls.count { if case .asked(.startLiveUpdates) = $0 { true } else { false } } >= count
        }
    }

    private func nothingRuns() async throws {
        try await eventually("the connection is given up", within: 1) {
            daemon.connectionsOpen == 0 && !shared.isConnected
        }
    }

    @Test("have configurations that keep their meaning, whose order is not that of CLActivityType (K5)")
    func configurations() {
        let named: [CLLocationUpdate.LiveConfiguration] = [
            .default, .automotiveNavigation, .otherNavigation, .fitness, .airborne,
        ]
        #expect(named.map { LiveConfiguration($0) } == LiveConfiguration.allCases)
        #expect(LiveConfiguration(.fitness) == .fitness && LiveConfiguration(.otherNavigation) == .otherNavigation)
    }

    @Test("tell who begins when it is already known that nobody answers")
    func beginsInOutage() async throws {
        daemon.refuse(.hello, RPCError(.notPermitted, "not you"))
        var first = updates().makeAsyncIterator()
        #expect(try await first.next()?.locationUnavailable == true)
        var second = updates().makeAsyncIterator()
        #expect(try await second.next()?.locationUnavailable == true)
        _ = await CLMonitor("late", of: shared)
        withExtendedLifetime((first, second)) {}
    }

    @Test("start nothing before the first element is wanted")
    func lazy() async throws {
        let stream = updates(.fitness)
        var iterator = stream.makeAsyncIterator()
        #expect(daemon.connectionsOpened == 0)
        let teller = Task {
            try await started()
            daemon.update(daemon.lastNumber)
        }
        #expect(try await iterator.next()?.location?.coordinate.latitude == 45)
        #expect(daemon.calls.contains(.asked(.startLiveUpdates(.fitness))))
        try await teller.value
    }

    @Test("are of the approximate location alone where the application declares that it wants no more")
    func reduced() async throws {
        let modest = SharedSession(requiresServiceSession: false, wantsReducedAccuracy: true) { handler in
            LocationSession(
                of: SessionApplication(name: "tests", usageDescriptions: UsageDescriptions()), over: daemon,
                handler: handler)
        }
        let loop = Task {
            for try await _ in CLLocationUpdate.Updates(configuration: .default, shared: modest) { break }
        }
        try await started()
        let calls = daemon.calls.drop { if case .hello = $0 { true } else { false } }
        #expect(calls.first == .asked(.setProperties(PropertiesPatch(desiredAccuracy: .reduced))))
        loop.cancel()
        try await loop.value
    }

    @Test("end their service with the loop that reads them, and then the connection")
    func leavesTheLoop() async throws {
        let stream = updates()
        let loop = Task {
            var seen: [Double] = []
            for try await update in stream {
                seen.append(update.location?.coordinate.latitude ?? 0)
                if update.stationary { break }
            }
            return seen
        }
        try await started()
        let number = daemon.lastNumber
        daemon.update(number, at: 1)
        daemon.update(number, at: 2, stationary: true)
        #expect(try await loop.value.last == 2)
        try await nothingRuns()
        #expect(daemon.calls.contains(.asked(.stopLiveUpdates(updates: number))))
    }

    @Test("end when their task is cancelled, without an error")
    func cancelled() async throws {
        let stream = updates()
        let loop = Task {
            for try await _ in stream {}
            return true
        }
        try await started()
        loop.cancel()
        #expect(try await loop.value)
        try await nothingRuns()
    }

    @Test("end when an error leaves the loop")
    func thrown() async throws {
        struct Enough: Error {}
        let stream = updates()
        let loop = Task { for try await _ in stream { throw Enough() } }
        try await started()
        daemon.update(daemon.lastNumber)
        await #expect(throws: Enough.self) { try await loop.value }
        try await nothingRuns()
    }

    @Test("run several at once over one connection, one for each configuration")
    func several() async throws {
        let configurations: [CLLocationUpdate.LiveConfiguration] = [.default, .fitness, .airborne]
        let loops = configurations.map { configuration in
            Task {
                for try await update in updates(configuration) { return update.location?.coordinate.latitude }
                return nil
            }
        }
        try await started(3)
        #expect(daemon.connectionsOpened == 1)
        for number in 501...503 { daemon.update(UInt64(number), at: Double(number) - 500) }
        var seen: Set<Double?> = []
        for loop in loops { seen.insert(try await loop.value) }
        #expect(seen == [1, 2, 3])
        try await nothingRuns()
    }

    @Test("of one configuration share one stream, as many as like; the last one ends it")
    func share() async throws {
        let taken = (0..<100).map { _ in Taken<Double>() }
        let loops = taken.map { taken in
            Task { for try await update in updates() { taken.add(update.location?.coordinate.latitude ?? -1) } }
        }
        try await started()
        daemon.update(daemon.lastNumber, at: 1)
        for taken in taken { try await eventually("each has the place") { taken.all == [1] } }
        for loop in loops.dropFirst() {
            loop.cancel()
            try await loop.value
        }
        daemon.update(daemon.lastNumber, at: 2)
        try await eventually("the last one goes on") { taken[0].all == [1, 2] }
        #expect(daemon.calls.count { if case .asked(.startLiveUpdates) = $0 { true } else { false } } == 1)
        #expect(!daemon.calls.contains { if case .asked(.stopLiveUpdates) = $0 { true } else { false } })
        loops[0].cancel()
        try await loops[0].value
        try await nothingRuns()
        #expect(daemon.calls.contains { if case .asked(.stopLiveUpdates) = $0 { true } else { false } })
    }

    @Test("begin with what the stream that runs told last: a place, rest, or why there is none")
    func join() async throws {
        var first = updates().makeAsyncIterator()
        let teller = Task {
            try await started()
            daemon.update(daemon.lastNumber, at: 3, stationary: true)
        }
        _ = try await first.next()
        try await teller.value
        var second = updates().makeAsyncIterator()
        let rest = try await second.next()
        #expect(rest?.location?.coordinate.latitude == 3 && rest?.stationary == true)
        daemon.update(daemon.lastNumber, at: nil, flags: .locationUnavailable)
        _ = try await first.next()
        var third = updates().makeAsyncIterator()
        #expect(try await third.next()?.locationUnavailable == true)
        withExtendedLifetime((first, second)) {}
    }

    @Test("begin anew at the daemon after the last one has ended")
    func again() async throws {
        for round in 1...3 {
            let loop = Task { try await updates().first { _ in true }?.location?.coordinate.latitude }
            try await started(round)
            daemon.update(daemon.lastNumber, at: Double(round))
            #expect(try await loop.value == Double(round))
            try await nothingRuns()
        }
    }

    @Test("can be searched like any sequence")
    func first() async throws {
        let stream = updates()
        let fast = Task { try await stream.first { ($0.location?.coordinate.latitude ?? 0) > 2 } }
        try await started()
        for latitude in 1...3 {
            daemon.update(daemon.lastNumber, at: Double(latitude), flags: latitude == 2 ? .accuracyLimited : [])
        }
        #expect(try await fast.value?.location?.coordinate.latitude == 3)
        try await nothingRuns()
    }

    @Test("keep for a slow program the newest place, every flag and every rest")
    func slow() async throws {
        var iterator = updates().makeAsyncIterator()
        let teller = Task {
            try await started()
            daemon.update(daemon.lastNumber, at: 0)
        }
        _ = try await iterator.next()
        try await teller.value
        let number = daemon.lastNumber
        for latitude in 1...1000 { daemon.update(number, at: Double(latitude) / 100) }
        daemon.update(number, at: 20, stationary: true)
        daemon.update(number, at: nil, flags: .locationUnavailable)
        for latitude in 21...30 { daemon.update(number, at: Double(latitude)) }
        try await eventually("all was told") {
            await withCheckedContinuation { done in LocationSession.queue.async { done.resume() } }
            return true
        }
        let place = try await iterator.next()
        #expect(place?.location?.coordinate.latitude == 10 && place?.stationary == false)
        let rest = try await iterator.next()
        #expect(rest?.location?.coordinate.latitude == 20 && rest?.stationary == true)
        let loss = try await iterator.next()
        #expect(loss?.location == nil && loss?.locationUnavailable == true)
        #expect(try await iterator.next()?.location?.coordinate.latitude == 30)
    }

    @Test("have each flag of the daemon under its name")
    func flags() {
        let all: [(DiagnosticFlags, KeyPath<CLLocationUpdate, Bool>)] = [
            (.authorizationDenied, \.authorizationDenied),
            (.authorizationDeniedGlobally, \.authorizationDeniedGlobally),
            (.authorizationRestricted, \.authorizationRestricted),
            (.authorizationRequestInProgress, \.authorizationRequestInProgress),
            (.insufficientlyInUse, \.insufficientlyInUse), (.serviceSessionRequired, \.serviceSessionRequired),
            (.accuracyLimited, \.accuracyLimited), (.locationUnavailable, \.locationUnavailable),
        ]
        for (flag, _) in all {
            let update = CLLocationUpdate(location: nil, stationary: false, flags: flag)
            #expect(all.filter { update[keyPath: $0.1] }.map(\.0) == [flag])
        }
    }

    @Test("throw what the daemon refuses, and end")
    func refused() async throws {
        let error = RPCError(.unavailable, "cannot start it: the daemon is ill")
        daemon.refuse(.startLiveUpdates, error)
        var iterator = updates().makeAsyncIterator()
        await #expect(throws: LocationClientError.refused(error)) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        try await nothingRuns()
    }

    @Test("wait for a service session where the application requires one, say so, and go on with it")
    func serviceSession() async throws {
        let strict = SharedSession(over: daemon, requiresServiceSession: true)
        var iterator = CLLocationUpdate.Updates(configuration: .default, shared: strict).makeAsyncIterator()
        #expect(try await iterator.next()?.serviceSessionRequired == true)
        var other = CLLocationUpdate.Updates(configuration: .default, shared: strict).makeAsyncIterator()
        #expect(try await other.next()?.serviceSessionRequired == true)
        #expect(!daemon.calls.contains(.asked(.startLiveUpdates(.default))))
        let session = CLServiceSession(.none, purposeKey: nil, of: strict)
        try await started()
        daemon.update(daemon.lastNumber, at: 7)
        #expect(try await iterator.next()?.location?.coordinate.latitude == 7)
        #expect(try await other.next()?.location?.coordinate.latitude == 7)
        session.invalidate()
        #expect(try await other.next()?.serviceSessionRequired == true)
        #expect(try await iterator.next()?.serviceSessionRequired == true)
        try await eventually("the stream stops at the daemon") {
            daemon.calls.contains { if case .asked(.stopLiveUpdates) = $0 { true } else { false } }
        }
    }

    @Test("go on to need a service session when the answer to a start that was called off comes late")
    func lateAnswer() async throws {
        let strict = SharedSession(over: daemon, requiresServiceSession: true)
        let session = CLServiceSession(.none, purposeKey: nil, of: strict)
        daemon.interrupt(.startLiveUpdates) { session.invalidate() }
        var iterator = CLLocationUpdate.Updates(configuration: .default, shared: strict).makeAsyncIterator()
        #expect(try await iterator.next()?.serviceSessionRequired == true)
        try await eventually("the start was answered and called off") {
            daemon.calls.contains { if case .asked(.stopLiveUpdates) = $0 { true } else { false } }
        }
        daemon.update(daemon.lastNumber)
        var other = CLLocationUpdate.Updates(configuration: .default, shared: strict).makeAsyncIterator()
        #expect(try await other.next()?.serviceSessionRequired == true)
        withExtendedLifetime(iterator) {}
    }

    @Test("have the name that another session of the program was left with")
    func sharedName() async throws {
        func session() -> LocationSession {
            let application = SessionApplication(
                name: "hike", usageDescriptions: UsageDescriptions(), isNameAssumed: true)
            return LocationSession(of: application, over: daemon) { _ in }
        }
        func greetings() -> [String?] {
            daemon.calls.compactMap { if case .hello(let hello) = $0 { .some(hello.app) } else { nil } }
        }
        daemon.refuse(.hello, RPCError(.identityMismatch, "cannot take it: it is another's"))
        let first = session()
        try await eventually("it is greeted without a name") { greetings() == ["hike", nil] }
        daemon.refuse(.hello, nil)
        let second = session()
        try await eventually("so is the other") { greetings().count >= 3 }
        #expect(greetings() == ["hike", nil, nil])
        for session in [first, second] { session.close() }
    }

    @Test("a thousand tasks that begin to read and are cancelled leave nothing behind")
    func storm() async throws {
        for round in 1...10 {
            let stream = updates()
            let tasks = (1...100).map { _ in Task { for try await _ in stream {} } }
            if round.isMultiple(of: 2) { await Task.yield() }
            for task in tasks { task.cancel() }
            for task in tasks { try await task.value }
        }
        try await nothingRuns()
    }
}
