// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("Requests whose effect outlives the program")
struct LastingRequestTests {
    @Test("are known until the daemon has answered them; others do not count")
    func unanswered() throws {
        var run = try MachineRun.connected()
        #expect(run.machine.unanswered == nil)
        run.perform(.startUpdatingLocation(resumeAfter: nil), .stopMonitoring(identifier: "a"), .stopMonitoringVisits)
        let unanswered = try #require(run.machine.unanswered)
        #expect(unanswered.count == 2 && unanswered.last == "stopMonitoringVisits")
        #expect(!unanswered.isHopeless && unanswered.reason == nil)
        try run.answer(StateResult(.running))
        try run.answer()
        #expect(run.machine.unanswered?.count == 1)
        try run.answer()
        #expect(run.machine.unanswered == nil)
    }

    @Test("are waited for while somebody may answer soon, and no longer")
    func hopeless() throws {
        var run = MachineRun()
        run.perform(.stopMonitoringVisits)
        run.lose()
        #expect(run.machine.unanswered?.isHopeless == false)
        run.wait(11)
        run.lose()
        #expect(run.machine.unanswered?.isHopeless == true)
        #expect(run.machine.unanswered?.reason == .unreadable(reason: "lost"))
    }

    @Test("are sent faster when the program ends, and somebody is looked for at once")
    func programEnds() throws {
        var run = try MachineRun.connected()
        for number in 1...200 { run.perform(.stopMonitoring(identifier: "\(number)")) }
        #expect(run.calls.count == 16)
        run.input(.programEnds)
        #expect(run.calls.count == 128)
        var lost = MachineRun()
        lost.perform(.stopMonitoringVisits)
        lost.lose()
        lost.now = lost.now + .milliseconds(200)
        let opens = lost.opens
        lost.input(.programEnds)
        #expect(lost.opens == opens + 1)
    }

    @Test("are all that a session wants that is let go of before it is connected")
    func leaving() throws {
        var run = MachineRun()
        run.perform(.setProperties(PropertiesPatch(distanceFilter: 10)), .startUpdatingLocation(resumeAfter: nil))
        run.perform(SessionCommand(.openMonitor(name: "m"), opening: SessionHandle(1)))
        run.perform(.stopMonitoringVisits)
        #expect(run.machine.wouldLoseRequests)
        run.leave()
        try run.connect()
        #expect(run.requests == [.openMonitor(name: "m"), .stopMonitoringVisits])
        #expect(!run.machine.wouldLoseRequests)
        try run.answer(MonitorResult(monitor: 4, identifiers: []))
        try run.answer()
        #expect(run.machine.unanswered == nil)
    }
}
