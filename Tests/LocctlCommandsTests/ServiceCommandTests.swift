// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("locctl region, visits, monitor, live, heading and beacon")
struct ServiceCommandTests {
    private let run: LocctlRun

    init() throws { run = try LocctlRun() }

    /// Starts `locctl` with `line` and takes it through hello.
    private func begin(_ line: String, rejoined: Bool = false) throws -> (
        locctl: ChildProcess, client: FakeDaemonClient
    ) {
        let locctl = try run.start(line)
        let client = try run.daemon.accept()
        try client.greet(1, rejoined: rejoined)
        return (locctl, client)
    }

    private func crossing(_ event: UInt64?, _ state: RegionState = .inside) -> [UInt8] {
        NotificationWriter.crossing(Sample.region(), state, Sample.location(), event: event)
    }

    // MARK: Regions

    @Test("an area is kept under the app's name and with its reasons")
    func add() throws {
        let locctl = try run.start(
            "region add home --circle -33.5,-70.25,0.1km --no-exit --cushion 20 --dwell 1min --app fence")
        let client = try run.daemon.accept()
        let hello = try client.greet(1)
        #expect(hello.app == "fence" && !hello.events)
        #expect(hello.usageDescriptions.whenInUse != nil && hello.usageDescriptions.always != nil)
        let region = Region(
            identifier: "home", shape: .circle(center: Coordinate(latitude: -33.5, longitude: -70.25), radius: 100),
            notifyOnExit: false, hysteresis: RegionHysteresis(cushion: 20, dwell: .seconds(60)))
        #expect(try client.answer(.startMonitoring, StateResult(.running)) == .asked(.startMonitoring(region)))
        client.notify(NotificationWriter.didStartMonitoring(region))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardError.isEmpty)
    }

    @Test("a polygon is kept, wherever on the earth its corners lie")
    func addPolygon() throws {
        let (locctl, client) = try begin("region add field --polygon 1,2 -3,4 -5.5,-6 --no-entry")
        let corners = [(1, 2), (-3, 4), (-5.5, -6)].map { Coordinate(latitude: $0.0, longitude: $0.1) }
        let region = Region(
            identifier: "field", shape: .polygon(try Polygon(vertices: corners)), notifyOnEntry: false)
        #expect(try client.answer(.startMonitoring, StateResult(.running)) == .asked(.startMonitoring(region)))
        client.notify(NotificationWriter.didStartMonitoring(region))
        #expect(try locctl.waitForExit() == .exited(0))
    }

    @Test("beacons are kept as an area is, and it is said when nothing hears them")
    func addBeacon() throws {
        let (locctl, client) = try begin("region add desk --beacon e2c56db5-dffb-48d2-b060-d0f5a71096e0,7,8 --no-exit")
        let beacons = BeaconIdentity(uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", major: 7, minor: 8)
        let region = Region(identifier: "desk", shape: .beacon(beacons), notifyOnExit: false)
        let deaf = StateResult(.running, reason: "nothing here hears beacons; locationd-beacons would")
        #expect(try client.answer(.startMonitoring, deaf) == .asked(.startMonitoring(region)))
        client.notify(NotificationWriter.didStartMonitoring(region))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardError.contains("nothing here hears beacons; locationd-beacons would"))
    }

    @Test("an area that is one too many is status 1")
    func addTooMany() throws {
        let (locctl, client) = try begin("region add home --circle 52.5163,13.3777,100")
        try client.answer(.startMonitoring, StateResult(.running))
        client.notify(
            NotificationWriter.monitoringDidFail(Sample.region(), LocationError(.regionMonitoringFailure)))
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(locctl.standardError.contains("(kCLErrorDomain 5 regionMonitoringFailure)"))
    }

    @Test("an area that nobody has decided about is said to wait")
    func addWaiting() throws {
        let (locctl, client) = try begin("region add home --circle 52.5163,13.3777,100")
        try client.answer(.startMonitoring, StateResult(.waitingForAuthorization, reason: "ask somebody"))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardError == "locctl: nothing yet: ask somebody\n")
    }

    @Test("the areas are listed, and with --json as the daemon has them")
    func list() throws {
        let (locctl, client) = try begin("region list")
        let request = try client.expect(.monitoredRegions)
        client.send(ReplyWriter.result(request.id, MonitoredRegions([Sample.region()])))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput == "home  within 100 m of 52.516300, 13.377700\n")

        let (other, second) = try begin("region list --json")
        let again = try second.expect(.monitoredRegions)
        second.send(ReplyWriter.result(again.id, encoded: "[ ]".utf8))
        #expect(try other.waitForExit() == .exited(0))
        #expect(other.standardOutput == "[ ]\n")
    }

    @Test("an area is removed, and one that is not there is status 1")
    func remove() throws {
        let (locctl, client) = try begin("region remove home")
        let request = try client.expect(.monitoredRegions)
        client.send(ReplyWriter.result(request.id, MonitoredRegions([Sample.region()])))
        #expect(try client.answer(.stopMonitoring) == .asked(.stopMonitoring(identifier: "home")))
        #expect(try locctl.waitForExit() == .exited(0))

        let (vain, second) = try begin("region remove office")
        let again = try second.expect(.monitoredRegions)
        second.send(ReplyWriter.result(again.id, MonitoredRegions([Sample.region()])))
        #expect(try vain.waitForExit() == .exited(1))
        #expect(vain.standardError == "locctl: cannot find a region \"office\": there are home\n")
    }

    @Test("the state is waited for and printed", arguments: [true, false])
    func state(_ json: Bool) throws {
        let (locctl, client) = try begin("region state home" + (json ? " --json" : ""))
        let call = try client.answer(.requestState, StateResult(.running))
        #expect(call == .asked(.requestState(identifier: "home")))
        client.notify(NotificationWriter.didDetermineState(Sample.region("office"), .inside))
        client.notify(NotificationWriter.didDetermineState(Sample.region(), .outside))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput == (json ? #"{"identifier":"home","state":"outside"}"# : "home: outside") + "\n")
    }

    @Test("what was kept and what comes is printed and acknowledged; what is not of regions is left")
    func watch() throws {
        let locctl = try run.start("region watch --count 3")
        let client = try run.daemon.accept()
        let hello = try client.greet(1)
        #expect(hello.app == "locctl" && hello.events)
        let visit = Visit(
            coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 9, arrival: nil, departure: nil)
        client.notify(NotificationWriter.didVisit(visit, event: 4))
        client.notify(crossing(5))
        #expect(try client.answer(.acknowledge) == .asked(.acknowledge(event: 5)))
        client.notify(crossing(6, .outside))
        #expect(try client.answer(.acknowledge) == .asked(.acknowledge(event: 6)))
        client.notify(crossing(nil))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.outputLines.map { $0.contains("left home") } == [false, true, false])
    }

    @Test("after a restart of the daemon what was printed before is acknowledged and not printed again")
    func watchThroughRestart() throws {
        let (locctl, first) = try begin("region watch --count 2")
        first.notify(crossing(5))
        _ = try first.expect(.acknowledge)
        first.hangUp()
        let second = try run.daemon.accept()
        #expect(try second.greet(2).manager == ManagerToken(high: 7, low: 1))
        second.notify(crossing(5))
        #expect(try second.answer(.acknowledge) == .asked(.acknowledge(event: 5)))
        second.notify(crossing(6))
        #expect(try second.answer(.acknowledge) == .asked(.acknowledge(event: 6)))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.outputLines.count == 2)
        #expect(locctl.standardError.contains("locctl: locationd is back\n"))
    }

    @Test("the loss of consent ends it with status 1, said once")
    func denial() throws {
        let (locctl, client) = try begin("region watch")
        client.notify(NotificationWriter.didFailWithError(LocationError(.denied), source: nil))
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(locctl.standardOutput.isEmpty)
        #expect(locctl.standardError.hasSuffix("(kCLErrorDomain 1 denied)\n"))
    }

    @Test("events that the daemon had to give up are told of")
    func droppedEvents() throws {
        let locctl = try run.start("region watch --until 100ms")
        let client = try run.daemon.accept()
        try client.greet(1, eventsDropped: 12)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardError.contains("locctl: 12 events lost: too many were kept, or too long\n"))
    }

    // MARK: Visits

    private func visit(_ event: UInt64) -> [UInt8] {
        let place = Coordinate(latitude: 52.5163, longitude: 13.3777)
        return NotificationWriter.didVisit(
            Visit(coordinate: place, horizontalAccuracy: 35, arrival: lookedAt, departure: lookedAt), event: event)
    }

    @Test("visits that were kept are printed and acknowledged, and that is all without --follow")
    func visits() throws {
        let (locctl, client) = try begin("visits --json")
        // Before the reply, so that a slow test is no pause.
        let start = try client.expect(.startMonitoringVisits)
        let lines = [client.notify(visit(1)), client.notify(visit(2))]
        client.send(ReplyWriter.result(start.id, StateResult(.running)))
        try client.answer(.acknowledge)
        try client.answer(.acknowledge)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.outputLines == lines)
    }

    @Test("--follow goes on until Ctrl-C, and the visits are noted further on")
    func followVisits() throws {
        let (locctl, client) = try begin("visits --follow")
        try client.answer(.startMonitoringVisits, StateResult(.running))
        client.notify(visit(1))
        try client.answer(.acknowledge)
        try locctl.waitForOutput { $0.contains("52.51630") }
        locctl.terminate(SIGINT)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(try client.nextRequest() == nil)
    }

    @Test("visits stop ends the noting")
    func stopVisits() throws {
        let (locctl, client) = try begin("visits stop")
        try client.answer(.stopMonitoringVisits)
        #expect(try locctl.waitForExit() == .exited(0))
    }

    @Test("a service that this app may not have is status 1")
    func deniedVisits() throws {
        let (locctl, client) = try begin("visits --follow")
        try client.answer(.startMonitoringVisits, StateResult(.denied, reason: "locations are denied to uid:1000"))
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(
            locctl.standardError == "locctl: cannot start: locations are denied to uid:1000 (kCLErrorDomain 1 denied)\n"
        )
    }

    // MARK: Monitors

    @Test("a condition is added to its monitor, which is given back")
    func addCondition() throws {
        let (locctl, client) = try begin("monitor add places home --circle 1,2,50 --assuming unsatisfied")
        #expect(
            try client.answer(.openMonitor, MonitorResult(monitor: 3, identifiers: []))
                == .asked(.openMonitor(name: "places")))
        let condition = ConditionParameters(
            monitor: 3, identifier: "home",
            condition: .circle(center: Coordinate(latitude: 1, longitude: 2), radius: 50), assuming: .unsatisfied)
        #expect(try client.answer(.addCondition) == .asked(.addCondition(condition)))
        #expect(try client.answer(.closeMonitor) == .asked(.closeMonitor(monitor: 3)))
        #expect(try locctl.waitForExit() == .exited(0))
    }

    private func answerRecord(_ client: FakeDaemonClient) throws {
        let request = try client.expect(.monitorRecord)
        #expect(request.call == .monitorRecord(ConditionName(monitor: 3, identifier: "home")))
        let shape = RegionShape.circle(center: Coordinate(latitude: 1, longitude: 2), radius: 50)
        let event = ConditionEvent(state: .satisfied, date: lookedAt, refinement: shape)
        let record = MonitorRecord(condition: shape, lastEvent: event)
        client.send(ReplyWriter.result(request.id, MonitorRecordResult(record)))
    }

    @Test("conditions are listed and recorded", arguments: ["list places", "record places home"])
    func conditions(_ words: String) throws {
        for json in [false, true] {
            let (locctl, client) = try begin("monitor \(words)" + (json ? " --json" : ""))
            try client.answer(.openMonitor, MonitorResult(monitor: 3, identifiers: ["home"]))
            try answerRecord(client)
            try client.answer(.closeMonitor)
            #expect(try locctl.waitForExit() == .exited(0))
            let text = locctl.standardOutput
            if json {
                #expect(text.contains(#"{"condition":{"type":"circle""#))
            } else {
                #expect(
                    text.replacing("\n", with: " ").hasPrefix(
                        "home  within 50 m of 1.000000, 2.000000: satisfied since"))
            }
        }
    }

    @Test("a condition that is not there is status 1", arguments: ["remove", "record"])
    func missingCondition(_ verb: String) throws {
        let (locctl, client) = try begin("monitor \(verb) places office")
        try client.answer(.openMonitor, MonitorResult(monitor: 3, identifiers: ["home"]))
        try client.answer(.closeMonitor)
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(locctl.standardError == "locctl: cannot find a condition \"office\": there are home\n")
    }

    @Test("a condition is removed")
    func removeCondition() throws {
        let (locctl, client) = try begin("monitor remove places home")
        try client.answer(.openMonitor, MonitorResult(monitor: 3, identifiers: ["home"]))
        let call = try client.answer(.removeCondition)
        #expect(call == .asked(.removeCondition(ConditionName(monitor: 3, identifier: "home"))))
        try client.answer(.closeMonitor)
        #expect(try locctl.waitForExit() == .exited(0))
    }

    @Test("a monitor's events are printed and acknowledged")
    func watchMonitor() throws {
        let (locctl, client) = try begin("monitor watch places --count 1")
        try client.answer(.openMonitor, MonitorResult(monitor: 3, identifiers: ["home"]))
        let event = ConditionEvent(state: .satisfied, date: lookedAt)
        client.notify(NotificationWriter.monitorEvent(2, "other", event, event: 8))
        client.notify(NotificationWriter.monitorEvent(3, "home", event, event: 9))
        #expect(try client.answer(.acknowledge) == .asked(.acknowledge(event: 9)))
        try client.answer(.closeMonitor)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.outputLines.count == 1 && locctl.standardOutput.contains("home is satisfied"))
    }

    @Test("a monitor that somebody else has open is status 1")
    func takenMonitor() throws {
        let (locctl, client) = try begin("monitor watch places")
        try client.refuse(.openMonitor, RPCError(.unavailable, "cannot open places: another connection has it"))
        #expect(try locctl.waitForExit() == .exited(1))
        #expect(locctl.standardError.contains("another connection has it"))
    }

    // MARK: Streams

    @Test("live updates are started as wished, printed and stopped")
    func live() throws {
        let (locctl, client) = try begin("live --configuration fitness --count 2")
        let call = try client.answer(.startLiveUpdates, StateResult(.running, updates: 6))
        #expect(call == .asked(.startLiveUpdates(.fitness)))
        client.notify(NotificationWriter.didUpdate(6, Sample.location(), stationary: true, flags: []))
        client.notify(NotificationWriter.didUpdate(6, nil, stationary: false, flags: .locationUnavailable))
        #expect(try client.answer(.stopLiveUpdates) == .asked(.stopLiveUpdates(updates: 6)))
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.outputLines.count == 3)
        #expect(
            locctl.standardOutput.contains(
                "the device rests: silence until it moves\nno location: location unavailable"))
    }

    @Test("headings are printed, and a device without a compass is status 1")
    func heading() throws {
        let (locctl, client) = try begin("heading --heading-filter 5 --count 1")
        let change = try client.answer(.setProperties, ManagerProperties())
        #expect(change == .asked(.setProperties(PropertiesPatch(headingFilter: 5))))
        try client.answer(.startUpdatingHeading, StateResult(.running))
        client.notify(NotificationWriter.didUpdateHeading(Heading(trueHeading: 90, timestamp: lookedAt)))
        try client.answer(.stopUpdatingHeading)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardOutput == "10:42:17  true 90° E\n")

        let (vain, second) = try begin("heading")
        try second.answer(.startUpdatingHeading, StateResult(.unavailable, reason: "no receiver tells it"))
        #expect(try vain.waitForExit() == .exited(1))
        #expect(vain.standardError == "locctl: cannot start: no receiver tells it\n")
    }

    @Test("beacons are printed once a second, nearest first, and a device that hears none is status 1")
    func beacons() throws {
        let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        let (locctl, client) = try begin("beacon range \(uuid.lowercased()),7 --count 2")
        let constraint = BeaconIdentity(uuid: uuid, major: 7)
        #expect(
            try client.answer(.startRangingBeacons, StateResult(.running)) == .asked(.startRangingBeacons(constraint)))
        let near = RangedBeacon(Beacon(uuid: uuid, major: 7, minor: 1), accuracy: 1.25, rssi: -61, timestamp: lookedAt)
        let lost = RangedBeacon(Beacon(uuid: uuid, major: 7, minor: 2), timestamp: lookedAt)
        client.notify(NotificationWriter.didRangeBeacons([near, lost], constraint))
        client.notify(NotificationWriter.didRangeBeacons([], constraint))
        try client.answer(.stopRangingBeacons)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(
            locctl.outputLines.prefix(2) == [
                "10:42:17  \(uuid) 7 1  near, about 1.3 m, -61 dBm", "10:42:17  \(uuid) 7 2  distance not known",
            ])
        #expect(locctl.outputLines.count == 3 && locctl.outputLines.last?.hasSuffix("no beacon is heard") == true)

        let (vain, second) = try begin("beacon range \(uuid)")
        try second.answer(.startRangingBeacons, StateResult(.unavailable, reason: "nothing here hears beacons"))
        try second.answer(.stopRangingBeacons)
        #expect(try vain.waitForExit() == .exited(1))
        #expect(vain.standardError == "locctl: cannot start: nothing here hears beacons\n")
    }

    @Test(
        "beacons that are none are refused with what is allowed",
        arguments: [
            "beacon", "beacon range", "beacon range x", "beacon find x",
            "beacon range E2C56DB5-DFFB-48D2-B060-D0F5A71096E0,1,2,3",
        ])
    func noBeacons(line: String) throws {
        let locctl = try run.start(line)
        #expect(try locctl.waitForExit() == .exited(2))
        #expect(locctl.standardError.hasPrefix("locctl: cannot ") && locctl.standardError.contains("allowed is"))
    }
}
