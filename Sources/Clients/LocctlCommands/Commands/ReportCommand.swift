// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

/// The options of `locctl report`.
package struct ReportOptions: Sendable, Hashable {
    /// Which day.
    package var day = NamedDay.before(0)
    /// Where to; nil: standard output.
    package var file: String?
    /// The app of the visits and crossings, as `apps` names it; nil: all that this user may see.
    package var app: String?

    /// Today, to standard output.
    package init() {}
}

extension Session {
    /// `locctl report`.
    func report(_ options: ReportOptions) throws(LocctlError) -> ExitCode {
        let (from, to) = options.day.span(now: console.now, console.calendar)
        var reader = DayReader(self, try connect(), DayReport(from: from, to: to, console.calendar))
        let output = try OutputFile(options.file)
        guard try reader.readWay() else {
            console.noteInterruption()
            return .interrupted
        }
        try reader.readEvents(of: options.app)
        try reader.readLedger()
        reader.report.finish()
        var page = ReportPage(reader.report)
        try output.write(page.write())
        try output.finish()
        if options.file != nil {
            console.tell("\(Quantities.counted(reader.report.count, "location")) are in the report")
        }
        return .done
    }
}

/// Asks the daemon for all that a report is made of.
private struct DayReader {
    var report: DayReport
    private let session: Session
    private let connection: LocationConnection
    private let signal = StopSignal()

    /// Apps whose events are asked for.
    private static let mostApps = 256
    /// Days before the one of the report from which regions are known.
    private static let daysBefore: Int64 = 30

    init(_ session: Session, _ connection: LocationConnection, _ report: DayReport) {
        (self.session, self.connection, self.report) = (session, connection, report)
    }

    /// False: a signal ends the program.
    mutating func readWay() throws(LocctlError) -> Bool {
        var pages = HistoryPages(session, connection, from: report.from, to: report.to, log: true)
        while let page = try pages.next() {
            if signal.wait(atMost: .zero) { return false }
            for (index, location) in page.locations.enumerated() {
                report.append(location, isBehindGap: page.hasGap && index == 0)
            }
        }
        return true
    }

    /// `app`: only what this one was told; nil: what all were whose events this user may see.
    mutating func readEvents(of app: String?) throws(LocctlError) {
        let apps = try? connection.apps()
        report.seesAll = apps != nil
        if app == nil, let remark = DayReport.remark(onApps: apps?.count ?? 0, most: DayReader.mostApps) {
            report.remarks.append(remark)
        }
        let all: [String?] = (apps ?? []).prefix(DayReader.mostApps).map(\.app)
        do throws(LocationClientError) {
            for app in app.map({ [$0] }) ?? (all.isEmpty ? [nil] : all) { try readPages(of: app) }
        } catch {
            guard case .refused(let refusal) = error, refusal.code == .unavailable else { throw LocctlError(error) }
            report.remarks.append(
                "No history is kept: the report has what the daemon still remembers, without visits and crossings.")
        }
    }

    private mutating func readPages(of app: String?) throws(LocationClientError) {
        var after: UInt64?
        // A visit is told when it ends, which may be on the day after; and where the device stays all day, earlier crossings tell the region.
        let day: Int64 = 86_400_000
        let start = WallTime(milliseconds: report.from.milliseconds - DayReader.daysBefore * day)
        let end = WallTime(milliseconds: report.to.milliseconds + day)
        repeat {
            let page = try connection.historyEvents(of: app, after: after, from: start, to: end)
            for event in page.events { report.append(event.event) }
            after = page.next
        } while after != nil
    }

    mutating func readLedger() throws(LocctlError) {
        var from: WallTime? = report.from
        while let begin = from {
            let page = try session.asking { () throws(LocationClientError) in
                try connection.ledger(from: begin, to: report.to)
            }
            report.append(page)
            from = page.next
        }
    }
}
