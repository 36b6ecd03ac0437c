// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("locctl watch")
struct WatchTests {
    private let run: LocctlRun

    init() throws { run = try LocctlRun() }

    /// Starts `locctl` with `line` and takes it through hello and start.
    private func begin(_ line: String) throws -> (locctl: ChildProcess, client: FakeDaemonClient) {
        let locctl = try run.start(line)
        let client = try run.daemon.accept()
        try client.greet(1)
        try client.answer(.startUpdatingLocation, StateResult(.running))
        return (locctl, client)
    }

    @Test("the options become a hello, properties and a start")
    func options() throws {
        let locctl = try run.start(
            "watch --app logger --presence foreground --distance-filter 25 --no-pause --resume-after 12 --count 1")
        let client = try run.daemon.accept()
        let hello = try client.greet(1)
        #expect(hello.app == "logger" && hello.presence == .foreground && hello.manager == nil)
        let change = try client.answer(.setProperties, ManagerProperties())
        #expect(
            change
                == .asked(
                    .setProperties(
                        PropertiesPatch(distanceFilter: 25, pausesLocationUpdatesAutomatically: false))))
        let start = try client.answer(.startUpdatingLocation, StateResult(.running))
        #expect(start == .asked(.startUpdatingLocation(resumeAfter: 12)))
        client.update(13)
        try client.answer(.stopUpdatingLocation)
        #expect(try locctl.waitForExit() == .exited(0))
    }

    @Test("--count ends it with that many locations, even inside a batch")
    func count() throws {
        let (locctl, client) = try begin("watch --count 3")
        client.update(UpdateAttributes(source: .standard, cached: true), 1)
        client.update(UpdateAttributes(source: .standard), 2, 3, 4, 5)
        try client.answer(.stopUpdatingLocation)
        #expect(try locctl.waitForExit() == .exited(0))
        let locations = locctl.outputLines.filter { $0.contains("44.99") }
        #expect(locations.count == 1 + 3)
        #expect(locctl.standardOutput.contains("last known location, from "))
    }

    @Test("with --json every notification is passed on as it came")
    func passThrough() throws {
        let (locctl, client) = try begin("watch --json --count 1")
        let lines = [
            client.notify(
                NotificationWriter.didChangeAuthorization(
                    .authorizedAlways, accuracy: .full, provisional: false, initial: true)),
            client.update(UpdateAttributes(source: .standard, cached: true), 1),
            client.notify(Array(#"{"jsonrpc":"2.0","method":"didTurn","params":{"x":[ 1.50 ],"seq":"#.utf8)),
            client.update(2),
        ]
        try client.answer(.stopUpdatingLocation)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.outputLines == lines)
        #expect(locctl.standardError.isEmpty)
    }

    @Test("--until ends it")
    func until() throws {
        let (locctl, client) = try begin("watch --until 100ms")
        try client.answer(.stopUpdatingLocation)
        #expect(try locctl.waitForExit() == .exited(0))
    }

    @Test("what was held back when it ends is printed")
    func heldBack() throws {
        let (locctl, client) = try begin("watch --defer-timeout 10min")
        client.update(1)
        try client.answer(.allowDeferredLocationUpdates, StateResult(.running, deferral: 1))
        locctl.terminate(SIGINT)
        let stop = try client.expect(.stopUpdatingLocation)
        client.notify(
            NotificationWriter.didFinishDeferredUpdates(1, error: LocationError(.deferredCanceled)))
        client.update(UpdateAttributes(source: .standard, deferral: 1), 2, 3)
        client.send(ReplyWriter.empty(stop.id))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput.contains("deferral 1 was called off (kCLErrorDomain 15 deferredCanceled)\n"))
        #expect(locctl.standardOutput.contains("2 locations held since "))
    }

    @Test("Ctrl-C stops it in order: status 0 if it had no other end, else 130", arguments: [true, false])
    func interruption(_ hasEnd: Bool) throws {
        let (locctl, client) = try begin(hasEnd ? "watch --count 9" : "watch")
        client.update(1)
        try locctl.waitForOutput { $0.contains("44.99") }
        locctl.terminate(SIGINT)
        try client.answer(.stopUpdatingLocation)
        #expect(try locctl.waitForExit() == .exited(hasEnd ? 130 : 0))
    }

    @Test("a deferral follows the other, from the first live location on")
    func deferrals() throws {
        let (locctl, client) = try begin("watch --defer-distance 1km --defer-timeout 5min --count 3")
        client.update(UpdateAttributes(source: .standard, cached: true), 1)
        client.update(2)
        let allowed = Call.asked(.allowDeferredLocationUpdates(DeferralParameters(untilTraveled: 1000, timeout: 300)))
        #expect(try client.answer(.allowDeferredLocationUpdates, StateResult(.running, deferral: 1)) == allowed)
        client.notify(NotificationWriter.didFinishDeferredUpdates(1, error: nil))
        #expect(try client.answer(.allowDeferredLocationUpdates, StateResult(.running, deferral: 2)) == allowed)
        // Told again, as after a reconnect: not one more.
        client.notify(NotificationWriter.didFinishDeferredUpdates(1, error: nil))
        // No fix: with the next one.
        client.notify(NotificationWriter.didFinishDeferredUpdates(2, error: LocationError(.deferredFailed)))
        client.update(3)
        #expect(try client.answer(.allowDeferredLocationUpdates, StateResult(.running, deferral: 3)) == allowed)
        client.update(4)
        try client.answer(.stopUpdatingLocation)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput.contains("deferral 2 ended early: "))
    }

    @Test("a deferral that can never be is not tried again")
    func impossibleDeferral() throws {
        let (locctl, client) = try begin("watch --defer-timeout 5min --count 3")
        client.update(1)
        try client.answer(.allowDeferredLocationUpdates, StateResult(.running, deferral: 1))
        client.notify(NotificationWriter.didFinishDeferredUpdates(1, error: LocationError(.deferredAccuracyTooLow)))
        client.update(2)
        client.update(3)
        try client.answer(.stopUpdatingLocation)
        #expect(try locctl.waitForExit() == .exited(0))
    }

    @Test(
        "a last known location from before counts neither as one nor as news, but a fresh one does",
        arguments: [true, false])
    func cached(_ isFresh: Bool) throws {
        let locctl = try run.start("watch --count 1")
        let client = try run.daemon.accept()
        try client.greet(1)
        try client.answer(.startUpdatingLocation, StateResult(.running))
        var last = Sample.location(1)
        last.timestamp = WallTime(milliseconds: Int64(time(nil)) * 1000 - (isFresh ? 2000 : 60_000))
        client.update(UpdateAttributes(source: .standard, cached: true), with: [last])
        if !isFresh {
            try locctl.waitForOutput { $0.contains("last known location, from 1") }
            client.update(2)
        }
        try client.answer(.stopUpdatingLocation)
        #expect(try locctl.waitForExit() == .exited(0))
    }

    @Test("a denial ends it with status 1, said once")
    func denial() throws {
        let locctl = try run.start("watch")
        let client = try run.daemon.accept()
        try client.greet(1)
        try client.answer(.startUpdatingLocation, StateResult(.denied, reason: "it may not"))
        client.notify(NotificationWriter.didFailWithError(LocationError(.denied), source: .standard))
        try client.answer(.stopUpdatingLocation)
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(locctl.standardOutput.isEmpty)
        #expect(locctl.standardError.hasSuffix("(kCLErrorDomain 1 denied)\n"))
        #expect(locctl.standardError.split(separator: "\n").count == 1)
    }

    @Test("who waits for somebody's decision is told so")
    func waitingForAuthorization() throws {
        let locctl = try run.start("watch --count 1")
        let client = try run.daemon.accept()
        try client.greet(1)
        try client.answer(.startUpdatingLocation, StateResult(.waitingForAuthorization, reason: "ask somebody"))
        client.update(1)
        try client.answer(.stopUpdatingLocation)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardError == "locctl: nothing yet: ask somebody\n")
    }

    @Test("a client that is not who it says is status 1")
    func identityMismatch() throws {
        let locctl = try run.start("watch --app somebody")
        try run.daemon.accept().refuse(.hello, RPCError(.identityMismatch, "cannot take you for somebody"))
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(locctl.standardError == "locctl: cannot take you for somebody (-32003 identityMismatch)\n")
    }

    // MARK: Restarts of the daemon

    @Test("after a restart the client takes its place again, and the daemon goes on")
    func rejoin() throws {
        let (locctl, first) = try begin("watch --app logger --count 2")
        first.update(1)
        try locctl.waitForOutput { $0.contains("44.99") }
        first.hangUp()
        let second = try run.daemon.accept()
        let hello = try second.greet(1, rejoined: true)
        #expect(hello.manager == ManagerToken(high: 7, low: 1) && hello.app == "logger")
        second.update(2)
        try second.answer(.stopUpdatingLocation)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardError.contains("it closed the connection; waiting for it to come back\n"))
        #expect(locctl.standardError.contains("locctl: locationd is back and has kept this client's place\n"))
    }

    @Test("a daemon that has forgotten the client is asked for everything behind the last location")
    func resume() throws {
        let (locctl, first) = try begin("watch --defer-timeout 60 --count 3")
        first.update(41)
        try first.answer(.allowDeferredLocationUpdates, StateResult(.running, deferral: 1))
        try locctl.waitForOutput { $0.contains("44.99") }
        run.daemon.stop()
        first.hangUp()
        try waitUntil("the loss is told") { locctl.standardError.contains("waiting for it") }
        let again = try FakeDaemon(in: run.directory)
        let second = try again.accept()
        try second.greet(2)
        let start = try second.answer(.startUpdatingLocation, StateResult(.running))
        #expect(start == .asked(.startUpdatingLocation(resumeAfter: 41)))
        second.update(42)
        try second.answer(.allowDeferredLocationUpdates, StateResult(.running, deferral: 1))
        second.update(43)
        try second.answer(.stopUpdatingLocation)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardError.contains("has begun anew; going on after location 41\n"))
    }

    @Test("a daemon that is full for a moment is asked again")
    func fullForAMoment() throws {
        let (locctl, first) = try begin("watch --count 1")
        first.hangUp()
        let refused = try run.daemon.accept()
        refused.send(ReplyWriter.refusal(nil, RPCError(.tooManyConnections, "cannot serve you")))
        refused.hangUp()
        let second = try run.daemon.accept()
        try second.greet(1, rejoined: true)
        second.update(1)
        try second.answer(.stopUpdatingLocation)
        #expect(try locctl.waitForExit() == .exited(0))
    }

    @Test("the time is up, and Ctrl-C works, while there is no daemon too")
    func endWithoutDaemon() throws {
        let (waiting, first) = try begin("watch --until 300ms")
        let (endless, second) = try begin("watch")
        run.daemon.stop()
        first.hangUp()
        second.hangUp()
        #expect(try waiting.waitForExit() == .exited(0))
        try waitUntil("the loss is told") { endless.standardError.contains("waiting for it") }
        endless.terminate(SIGINT)
        #expect(try endless.waitForExit() == .exited(0))
    }

    @Test("significant starts and stops its own service")
    func significant() throws {
        let locctl = try run.start("significant --count 1")
        let client = try run.daemon.accept()
        try client.greet(1)
        try client.answer(.startMonitoringSignificantLocationChanges, StateResult(.running))
        client.update(UpdateAttributes(source: .significantChange), 1)
        try client.answer(.stopMonitoringSignificantLocationChanges)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.outputLines.count == 1)
    }
}
