// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import Testing

@testable import LocctlCommands

@Suite("What is said of the history")
struct HistoryTextTests {
    private static let now = WallTime(year: 2026, month: 3, day: 2, hour: 12)

    private static func status(_ problem: String?, lost: UInt64 = 0) -> Status {
        var history = HistoryStatus(keepDays: 30)
        (history.fixes, history.events, history.bytes) = (1_234_567, 2, 24_000_000)
        history.oldest = WallTime(year: 2026, month: 2, day: 1, hour: 7)
        (history.waiting, history.lost, history.problem) = (17, lost, problem)
        return Status(
            daemon: DaemonStatus(version: "1", uptime: 1, pid: 1), locationServicesEnabled: true,
            gpsd: GPSDStatus(connected: true), connections: ConnectionsStatus(total: 1), history: history)
    }

    @Test("the status says since when how much is kept, and what waits")
    func row() throws {
        let history = try #require(HistoryTextTests.status(nil).history)
        #expect(
            HistoryText.row(history, now: HistoryTextTests.now, .utc).hasPrefix(
                "1,234,567 fixes since 2026-02-01 07:00:00, 2 events, "))
        #expect(
            HistoryText.row(history, now: HistoryTextTests.now, .utc).hasSuffix(
                "17 wait to be written, kept for 30 days"))
        let full = try #require(HistoryTextTests.status("cannot use /x: disk full").history)
        #expect(
            HistoryText.row(full, now: HistoryTextTests.now, .utc).hasSuffix("nothing is kept now, see locctl why"))
    }

    @Test("why says what keeps locations from being kept, and nothing where nothing does")
    func why() {
        #expect(Explanation.history(HistoryTextTests.status(nil)) == nil)
        let explanation = Explanation.history(HistoryTextTests.status("cannot use /x: disk full", lost: 1200))
        #expect(explanation?.cause == .historyNotKept)
        #expect(
            explanation?.sentence() == "History is not kept: cannot use /x: disk full; 1,200 fixes are lost.")
    }
}
