// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import LocctlCommands

/// A day: home, a drive to work with a tunnel on the way, a walk at noon, and back home.
struct ReportDay {
    static let from = WallTime(year: 2026, month: 3, day: 2, hour: 0)
    static let home = Coordinate(latitude: 51.5, longitude: -0.12)
    private(set) var report = DayReport(
        from: from, to: WallTime(milliseconds: from.milliseconds + 86_400_000), .utc)
    private var place = home
    private var second = 0.0
    private var sequence: UInt64 = 0
    private var number: UInt64 = 0
    /// Metres by which the receiver is worse than usual.
    private var blur = 0.0

    static let homeRegion = Region(identifier: "home", shape: .circle(center: home, radius: 200))
    static let work = home.moved(by: 4200, course: 60)
    static let workRegion = Region(identifier: "work & more", shape: .circle(center: work, radius: 250))

    static func date(_ second: Double) -> WallTime { WallTime(milliseconds: from.milliseconds + Int64(second * 1000)) }

    /// - Parameter seesAll: As administrators see it.
    init(seesAll: Bool = true) {
        report.seesAll = seesAll
        rest(until: 7.5 * 3600)
        go(to: Self.home.moved(by: 1500, course: 20), speed: 12)
        cross(Self.homeRegion, isEntry: false)
        go(to: Self.home.moved(by: 3400, course: 35), speed: 17)
        (second, blur) = (second + 400, 160)
        go(to: Self.work, speed: 9)
        cross(Self.workRegion, isEntry: true)
        rest(until: 12.2 * 3600)
        go(to: Self.work.moved(by: 900, course: 160), speed: 1.4)
        rest(until: 13 * 3600)
        go(to: Self.work, speed: 1.3)
        rest(until: 17 * 3600)
        cross(Self.workRegion, isEntry: false)
        go(to: Self.home.moved(by: 2600, course: 80), speed: 15)
        go(to: Self.home, speed: 11)
        cross(Self.homeRegion, isEntry: true)
        rest(until: 21 * 3600)
        report.append(ledger())
        report.finish()
    }

    private mutating func append(speed: Double) {
        sequence += 1
        blur *= 0.9
        let wobble = Double(sequence * 37 % 11) - 5
        report.append(
            Location(
                coordinate: place.moved(by: speed > 0 ? wobble : wobble / 2, course: Double(sequence * 83 % 360)),
                horizontalAccuracy: 4 + Double(sequence % 9) * (speed > 5 ? 3 : 1) + blur, timestamp: Self.date(second),
                sequence: sequence, altitude: 40 + 25 * sin(second / 4000) + wobble / 4, verticalAccuracy: 6,
                speed: speed > 0 ? max(0, speed + wobble / 3) : 0, course: 90), isBehindGap: false)
    }

    private mutating func rest(until end: Double) {
        while second < end {
            append(speed: 0)
            second += 240
        }
        second = end
    }

    private mutating func go(to end: Coordinate, speed: Double) {
        let (start, whole) = (place, place.distance(to: end))
        var way = 0.0
        while way < whole {
            let part = way / whole
            place = Coordinate(
                latitude: start.latitude + (end.latitude - start.latitude) * part + 0.0012 * sin(part * 9) * (1 - part),
                longitude: start.longitude + (end.longitude - start.longitude) * part)
            append(speed: speed * (0.7 + 0.3 * sin(part * 20)))
            way += speed * 10
            second += 10
        }
        place = end
    }

    private mutating func cross(_ region: Region, isEntry: Bool) {
        number += 1
        let crossing = RegionCrossing(region: region, location: nil, event: number)
        report.append(
            StoredEvent(
                event: number, date: Self.date(second),
                notification: isEntry ? .didEnterRegion(crossing) : .didExitRegion(crossing)))
    }

    private func ledger() -> LedgerPage {
        var entries: [LedgerPage.Entry] = []
        for stretch in 0..<288 {
            let hour = Double(stretch) / 12
            let isMoving = (7.5..<8.5).contains(hour) || (17..<17.6).contains(hour)
            for (holder, app, seconds, locations) in [
                (LedgerEntry.Holder.device, nil as String?, isMoving ? 300.0 : 24, 0),
                (.app(uid: 1000, name: "navigator"), "navigator uid:1000", isMoving ? 300 : 0, isMoving ? 300 : 0),
                (.app(uid: 1000, name: "reminders"), "reminders uid:1000", hour < 21 ? 24 : 0, 0),
                (.app(uid: 0, name: "unit:locationd-uplink.service"), "unit:locationd-uplink.service uid:0", 24, 1),
            ] where seconds > 0 && (holder != .device || hour < 23) {
                var amounts = LedgerEntry.Amounts()
                (amounts.receiver, amounts.locations) = (.seconds(seconds), UInt64(locations))
                amounts.events = app?.hasPrefix("reminders") == true && stretch == 102 ? 2 : 0
                entries.append(
                    LedgerPage.Entry(
                        LedgerEntry(start: Self.date(Double(stretch) * 300), holder: holder, amounts: amounts), app: app
                    ))
            }
        }
        return LedgerPage(entries: report.seesAll ? entries : entries.filter { $0.app?.hasPrefix("nav") == true })
    }

    /// The file.
    var html: String {
        var page = ReportPage(report)
        return String(decoding: page.write(), as: UTF8.self)
    }
}

@Suite("The report of a day", .blocking)
struct ReportTests {
    @Test func `a day with stays, a tunnel and apps looks as it did`() throws {
        try Golden.expect(ReportDay().html, "report", width: nil)
    }

    @Test func `it says where it has the events of some apps only`() {
        #expect(DayReport.remark(onApps: 256, most: 256) == nil)
        let remark = DayReport.remark(onApps: 300, most: 256)
        #expect(remark == "Only what the first 256 of 300 apps were told is here; --of APP has that of another one.")
    }

    @Test func `it is well-formed, whatever names say`() throws {
        let directory = try TemporaryDirectory()
        try directory.write(ReportDay().html, to: "day.html")
        let process = try ChildProcess("/usr/bin/xmllint", ["--noout", directory.file("day.html")])
        #expect(try process.waitForExit() == .exited(0), "\(process.standardError)")
    }

    @Test func `it fetches nothing and runs nothing`() {
        let html = ReportDay().html
        for word in [
            "<script", "<link", "<img", "<iframe", "url(h", "src=", "href=", "@import", "http:", "https:", "onload",
        ] {
            #expect(!html.contains(word), "\(word)")
        }
    }

    @Test func `stays have their length and the name of the region`() {
        let stays = ReportDay().report.stays
        let report = ReportDay().report
        #expect(stays.map { report.name(of: $0) } == ["home", "work & more", nil, "work & more", "home"])
        #expect(stays[1].from.map(report.clock) == "07:44")
        #expect(ReportDay().html.contains("<td>work &amp; more ("))
    }

    @Test func `visits that apps were told count, each once, and not what the track tells`() {
        var report = DayReport(from: ReportDay.from, to: ReportDay.date(86_400), .utc)
        func visit(_ from: Double?, _ to: Double?) -> StoredEvent {
            let visit = Visit(
                coordinate: ReportDay.home, horizontalAccuracy: 20, arrival: from.map(ReportDay.date),
                departure: to.map(ReportDay.date))
            return StoredEvent(event: 1, date: ReportDay.date(to ?? 0), notification: .didVisit(visit, event: nil))
        }
        for event in [visit(3600, nil), visit(3600, 7200), visit(3600, nil), visit(8000, nil), visit(-90_000, -80_000)]
        {
            report.append(event)
        }
        report.finish()
        #expect(report.stays.map { $0.from.map(report.clock) } == ["01:00", "02:13"])
        #expect(report.stays.map { $0.to.map(report.clock) } == ["02:00", nil])
    }

    @Test func `a device in motion stays nowhere, and one fix beyond is no departure`() {
        func track(_ metres: [Double], every seconds: Double) -> [Location] {
            metres.enumerated().map { index, metres in
                Location(
                    coordinate: ReportDay.home.moved(by: metres, course: 0), horizontalAccuracy: 5,
                    timestamp: ReportDay.date(Double(index) * seconds))
            }
        }
        #expect(StayFinder.stays(in: track((0..<900).map { Double($0) * 1.3 }, every: 1)).isEmpty)
        var resting = Array(repeating: 0.0, count: 700)
        resting[300] = 800
        #expect(StayFinder.stays(in: track(resting, every: 1)).count == 1)
        #expect(StayFinder.stays(in: track(Array(repeating: 0, count: 590), every: 1)).isEmpty)
    }

    @Test func `crossings of other days, and what several apps were told of one, are left out`() {
        var report = DayReport(from: ReportDay.from, to: ReportDay.date(86_400), .utc)
        for second in [-86_400, 0, 0, 86_399, 86_400] as [Double] {
            let crossing = RegionCrossing(region: ReportDay.homeRegion, location: nil, event: nil)
            report.append(
                StoredEvent(event: 1, date: ReportDay.date(second), notification: .didExitRegion(crossing)))
        }
        report.finish()
        #expect(report.crossings.map { report.calendar.timeOfDay($0.date) } == ["00:00:00", "23:59:59"])
        #expect(report.regions == [ReportDay.homeRegion], "a region of another day has a name on this one, too")
    }

    @Test func `the receiver's times are joined while the same apps need it`() throws {
        let day = ReceiverDay(ReportDay().report.ledger)
        #expect(day.apps.map(\.name).first == "navigator uid:1000" || day.apps[0].seconds >= day.apps[1].seconds)
        let spans = day.spans
        #expect(spans.map(\.apps.count) == [2, 3, 2, 3, 2, 1])
        #expect(spans.reduce(0) { $0 + $1.seconds } == day.device.seconds)
    }

    @Test func `who is no administrator is told what is its own, and that there may be more`() {
        let html = ReportDay(seesAll: false).html
        #expect(html.contains("navigator uid:1000") && !html.contains("reminders"))
        #expect(html.contains("only administrators are told"))
        #expect(!ReportDay().html.contains("only administrators are told"))
    }

    @Test func `a day of which nothing is kept has a report that says so`() throws {
        var report = DayReport(from: ReportDay.from, to: ReportDay.date(86_400), .utc)
        report.finish()
        var page = ReportPage(report)
        let html = String(decoding: page.write(), as: UTF8.self)
        #expect(html.contains("No locations are kept of this day.") && !html.contains("NaN") && !html.contains("inf"))
    }

    @Test func `a day on which clocks change has its own length`() {
        let hour: Int64 = 3_600_000
        let change = WallTime(year: 2026, month: 3, day: 29, hour: 1)
        let london = LocalCalendar { $0 < change ? 0 : 3600 }
        let span = NamedDay.date(WallTime(year: 2026, month: 3, day: 29, hour: 0)).span(now: change, london)
        #expect(span.to.milliseconds - span.from.milliseconds == 23 * hour)
        let report = DayReport(from: span.from, to: span.to, london)
        let axis = String(decoding: ReportDiagrams(report).axis().bytes, as: UTF8.self)
        #expect(axis.contains("left:8.7%\">03:00") && axis.contains("left:100%\">24:00"))
    }

    /// A browser of Debian's, which is too large to be asked for.
    private static let browser = "/usr/bin/chromium"

    @Test(
        .enabled(if: access(browser, X_OK) == 0, "there is no chromium, which make setup-tests does not install"),
        arguments: [360, 800, 1400])
    func `a browser shows it without anything beyond its edge`(width: Int) throws {
        let directory = try TemporaryDirectory()
        let probe = """
            <script>addEventListener("load",()=>{const e=document.documentElement;
            const small=[...document.querySelectorAll("svg")].filter(s=>s.getBoundingClientRect().width<100).length;
            e.setAttribute("data-found",[e.scrollWidth<=innerWidth,document.querySelectorAll("svg.map path.way").length,small,
            document.querySelectorAll("tbody tr").length].join(" "))})</script></body>
            """
        try directory.write(ReportDay().html.replacing("</body>", with: probe), to: "day.html")
        let process = try ChildProcess(
            Self.browser,
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--user-data-dir=\(directory.file("browser"))", "--window-size=\(width),900", "--dump-dom",
                "file://\(directory.file("day.html"))",
            ], environment: ["HOME": directory.path])
        #expect(try process.waitForExit(within: 120) == .exited(0), "\(process.standardError)")
        #expect(process.standardOutput.contains("data-found=\"true 2 0 "), "\(process.standardOutput.prefix(200))")
    }
}
