// SPDX-License-Identifier: Apache-2.0
import LocationProtocol
import Testing

@testable import LocctlCommands

@Suite("What is said of the uplink")
struct UplinkTextTests {
    private static func report(_ link: UplinkReport.Link) -> UplinkReport {
        UplinkReport(link: link, mode: "move", hasDaemon: true, waiting: 0, waitingEvents: 0, sent: 0)
    }

    @Test func `an uplink without locationd is not said to lack permission`() {
        var report = UplinkTextTests.report(.off)
        #expect(UplinkText.sentence(report).hasSuffix("since it may not know where the device is."))
        report.hasDaemon = false
        #expect(UplinkText.sentence(report).hasSuffix("since locationd is not there."))
    }

    @Test func `the broker has all of it only if no event waits either`() {
        var report = UplinkTextTests.report(.connected)
        #expect(UplinkText.sentence(report) == "The broker has all of it.")
        report.waitingEvents = 2
        #expect(UplinkText.sentence(report) == "The broker is connected, and 2 events wait for it.")
        report.waiting = 3
        #expect(UplinkText.sentence(report) == "The broker is connected, and 3 locations and 2 events wait for it.")
    }
}
