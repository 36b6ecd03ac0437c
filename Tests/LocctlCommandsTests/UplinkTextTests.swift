// SPDX-License-Identifier: Apache-2.0
import LocationProtocol
import LocationTestSupport
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

    @Test func `a server is not called a broker, and needs no connection`() {
        var report = UplinkTextTests.report(.connected)
        report.carrier = "server"
        #expect(UplinkText.sentence(report) == "The server has all of it.")
        report.waiting = 3
        #expect(UplinkText.sentence(report) == "The server takes messages, and 3 locations wait for it.")
        (report.link, report.lastError) = (.waiting, "cannot send to https://h/p: the server answers 503")
        #expect(
            UplinkText.sentence(report)
                == "The server takes nothing: cannot send to https://h/p: the server answers 503; 3 locations wait for it."
        )
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

/// What `locctl uplink` makes of the file that the uplink writes.
@Suite("The status of the uplink", .blocking)
struct UplinkStatusTests {
    private func run(_ content: String?, _ arguments: [String] = []) throws -> (end: ProcessEnd, err: String) {
        let directory = try TemporaryDirectory()
        if let content { try directory.write(content, to: "status.json") }
        let process = try ChildProcess(
            try BuildProducts.program("locctl"), ["uplink"] + arguments,
            environment: ["LOCATIOND_UPLINK_STATUS": directory.file("status.json")])
        return (try process.waitForExit(), process.standardError)
    }

    @Test func `an uplink that shows nothing does not run`() throws {
        let (end, err) = try run(nil)
        #expect(end == .exited(3) && err.contains("it does not run"))
    }

    @Test(arguments: ["", "{", #"{"link":"flying"}"#])
    func `a status that cannot be understood is not taken for an uplink that does not run`(content: String) throws {
        let (end, err) = try run(content)
        #expect(end == .exited(1) && err.contains("cannot understand"))
    }

    @Test func `a socket is of no use to it`() throws {
        let (end, err) = try run(nil, ["--socket", "/s"])
        #expect(end == .exited(2) && err.contains("--socket"))
    }
}
