// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocctlCommands
import Testing

// One at a time: getopt_long remembers where it is.
@Suite("Command lines", .serialized)
struct ArgumentTests {
    private func parse(_ line: String) throws -> Invocation {
        try Invocation(["locctl"] + line.split(separator: " ").map(String.init))
    }

    private func follow(_ line: String) throws -> FollowOptions {
        guard case .follow(let options) = try parse(line).action else {
            throw LocctlError("cannot follow", .usage)
        }
        return options
    }

    @Test("a region may have a notice, and need not tell its app anything then")
    func notices() throws {
        func notice(_ more: [String]) throws -> RegionNotice? {
            let words = ["locctl", "region", "add", "home", "--circle", "1,2,3"] + more
            guard case .region(.add(let region), _) = try Invocation(words).action else { return nil }
            return region.notice
        }
        #expect(try notice([]) == nil)
        #expect(try notice(["--notice", "You are home"]) == RegionNotice(title: "You are home"))
        let all = ["--notice", "Bye", "--notice-text", "Keys?", "--notice-on", "exit", "--once"]
        #expect(
            try notice(all + ["--no-entry", "--no-exit"])
                == RegionNotice(title: "Bye", text: "Keys?", on: .exit, repeats: false))
        for title in ["", " ", "a\nb", String(repeating: "a", count: 129)] {
            #expect(throws: LocctlError.self) { try notice(["--notice", title]) }
        }
        #expect(try parse("agent --desktop").action == .desktopAgent)
    }

    @Test("options that every command has stand before and behind it")
    func commonOptions() throws {
        for line in ["--socket /s --json status", "status --json --socket=/s", "--json status --socket /s"] {
            let invocation = try parse(line)
            #expect(invocation.address.path == "/s")
            #expect(invocation.json)
            #expect(invocation.action == .status)
        }
    }

    @Test("help is asked for in every usual way")
    func help() throws {
        for line in ["--help", "-h", "help"] { #expect(try parse(line).action == .help(nil)) }
        for line in ["help get", "get --help", "get -h", "get --timeout nonsense --help"] {
            #expect(try parse(line).action == .help(.get))
        }
        #expect(try parse("--version").action == .programVersion)
    }

    @Test("options may be shortened as long as they are clear, and the last of two counts")
    func abbreviations() throws {
        #expect(try parse("get --time 5 --cach --time 7 --help").action == .help(.get))
        #expect(try follow("watch --dist 5 --dist 7m").properties.distanceFilter == 7)
    }

    @Test("all options of watch are understood")
    func watch() throws {
        let options = try follow(
            "watch --distance-filter none --accuracy best --activity-type fitness --heading-filter 5 --no-pause "
                + "--allows-background --defer-distance 1.5km --defer-timeout 2min --presence foreground --count 7 "
                + "--until 90s --resume-after 48211 --app logger")
        var expected = FollowOptions(service: .standard)
        expected.properties = PropertiesPatch(
            distanceFilter: -1, desiredAccuracy: .best, activityType: .fitness,
            pausesLocationUpdatesAutomatically: false, allowsBackgroundLocationUpdates: true, headingFilter: 5)
        (expected.deferDistance, expected.deferTimeout) = (1500, 120)
        (expected.presence, expected.count, expected.end) = (.foreground, 7, .after(.seconds(90)))
        (expected.resumeAfter, expected.app) = (48_211, "logger")
        #expect(options == expected)
    }

    @Test("the other commands are understood")
    func others() throws {
        #expect(try parse("get --timeout 1.5min --accuracy 25").action == .get(getOptions(90, .meters(25))))
        #expect(try parse("get").action == .get(GetOptions()))
        #expect(try parse("why").action == .why(nil))
        #expect(try parse("why --json navit").action == .why("navit"))
        #expect(try parse("why -- --json").action == .why("--json"))
        #expect(try parse("version").action == .version)
        var significant = FollowOptions(service: .significantChange)
        significant.count = 1
        #expect(try follow("significant --count 1") == significant)
    }

    private func getOptions(_ timeout: Double, _ accuracy: DesiredAccuracy) -> GetOptions {
        var options = GetOptions()
        (options.timeout, options.accuracy) = (timeout, accuracy)
        return options
    }

    @Test(
        "--until takes times, times of day and dates",
        arguments: [
            ("90", EndTime.after(.seconds(90))), ("500ms", .after(.milliseconds(500))), ("2h", .after(.seconds(7200))),
            ("18:30", .timeOfDay(seconds: 66_600)), ("06:05:04", .timeOfDay(seconds: 21_904)),
            ("2026-11-21T10:42:17.250Z", .date(lookedAt)), ("2026-11-21T12:42:17.250+02:00", .date(lookedAt)),
            ("2026-11-21T07:12:17.250-03:30", .date(lookedAt)),
        ])
    func until(_ text: String, _ end: EndTime) throws {
        #expect(try follow("watch --until \(text)").end == end)
    }

    private static let commands =
        "status, top, get, watch, significant, live, heading, region, visits, monitor, beacon, why, locate, history, export, report, uplink, metrics, apps, authorize, forget, services, "
        + "requests, agent, events, close, reload, version, help"

    static let faults: [(line: String, message: String)] = [
        ("", "cannot do anything without a command"),
        ("--json", "cannot do anything without a command"),
        ("stauts", "cannot find the command \"stauts\": there are \(commands)"),
        ("help stauts", "cannot explain \"stauts\": the commands are \(commands)"),
        ("--timeout 5 get", "cannot understand --timeout: locctl takes --socket, --json, --help, --version"),
        ("status --wide", "cannot understand --wide: locctl status takes --socket, --json, --help"),
        ("status -x", "cannot understand -x: locctl status takes --socket, --json, --help"),
        ("status now", "cannot use \"now\": locctl status takes only options"),
        ("why a b", "cannot use \"b\": locctl why takes one CLIENT"),
        ("get --timeout", "cannot use --timeout without a value"),
        ("status --json=yes", "cannot give --json a value: it takes none"),
        ("watch --defer 5", "cannot tell what --defer means: it could be --defer-distance or --defer-timeout"),
        ("--socket= status", "cannot use --socket \"\": allowed is the path of a socket"),
        (
            "get --timeout 0",
            "cannot use --timeout \"0\": allowed is a time of more than 0 and at most 10min, such as 30, 30s or 2min"
        ),
        (
            "get --timeout 601",
            "cannot use --timeout \"601\": allowed is a time of more than 0 and at most 10min, such as 30, 30s or 2min"
        ),
        ("get --cached --timeout 5", "cannot use --timeout with --cached: nothing is waited for"),
        (
            "get --accuracy fine",
            "cannot use --accuracy \"fine\": allowed is bestForNavigation, best, nearestTenMeters, hundredMeters, "
                + "kilometer, threeKilometers, reduced, or a distance over 0"
        ),
        (
            "watch --distance-filter -5",
            "cannot use --distance-filter \"-5\": allowed is none or a distance such as 100, 100m or 1.5km"
        ),
        (
            "watch --distance-filter inf",
            "cannot use --distance-filter \"inf\": allowed is none or a distance such as 100, 100m or 1.5km"
        ),
        (
            "watch --activity-type swim",
            "cannot use --activity-type \"swim\": allowed is other, automotiveNavigation, fitness, otherNavigation, "
                + "airborne"
        ),
        ("watch --heading-filter 400", "cannot use --heading-filter \"400\": allowed is none or degrees, 0 to 360"),
        ("watch --presence here", "cannot use --presence \"here\": allowed is background, foreground"),
        ("watch --count 0", "cannot use --count \"0\": allowed is a whole number from 1"),
        ("watch --count 1.5", "cannot use --count \"1.5\": allowed is a whole number from 1"),
        (
            "watch --until 25:00",
            "cannot use --until \"25:00\": allowed is a time over 0 such as 90, 90s or 5min, a time of day such as "
                + "18:30 or 18:30:15, or a date such as 2026-11-21T18:30:00Z"
        ),
        (
            "watch --resume-after -1",
            "cannot use --resume-after \"-1\": allowed is a sequence number, 0 to 9007199254740991"
        ),
        (
            "watch --defer-distance 0.5",
            "cannot use --defer-distance \"0.5\": allowed is a distance of 1m or more, such as 500 or 2km"
        ),
        (
            "watch --defer-timeout 0",
            "cannot use --defer-timeout \"0\": allowed is a time of 1s or more, such as 30 or 10min"
        ),
        (
            "watch --defer-timeout 9 --distance-filter 5",
            "cannot use --defer-timeout with --distance-filter: only none is allowed with it"
        ),
        ("locate", "cannot run locctl locate without saying what: allowed is set, clear"),
        ("locate set", "cannot run locctl locate set without a place, such as 52.5163,13.3777"),
        (
            "locate set 91,0",
            "cannot use the place \"91,0\": allowed is a latitude of -90 to 90 and a longitude of -180 to 180, such as 52.5163,13.3777"
        ),
        ("locate clear 1,2", "cannot use \"1,2\" with locctl locate clear"),
        ("locate clear --altitude 3", "cannot use --altitude with locctl locate clear"),
        ("locate set 1,2 --altitude high", "cannot use --altitude \"high\": allowed is metres, -12000 to 100000"),
        ("region", "cannot run locctl region without saying what: allowed is add, list, remove, state, watch"),
        ("region drop", "cannot run locctl region \"drop\": allowed is add, list, remove, state, watch"),
        ("region add", "cannot run locctl region add without the name of a region"),
        ("region add home", "cannot run locctl region add without an area: allowed is --circle, --polygon, --beacon"),
        (
            "region add home --circle 1,2,3 --polygon 1,2 3,4 5,6",
            "cannot use --circle with --polygon: an area is one of them"
        ),
        (
            "region add home --beacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --polygon 1,2 3,4 5,6",
            "cannot use --polygon with --beacon: an area is one of them"
        ),
        (
            "region add home --beacon E2C56DB5",
            "cannot use --beacon \"E2C56DB5\": allowed is UUID[,MAJOR[,MINOR]], such as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0,7"
        ),
        (
            "region add home --beacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --dwell 5",
            "cannot use --dwell with --beacon: a beacon is heard or not, and has no border"
        ),
        (
            "region add home --circle 1,2,3 --no-entry --no-exit",
            "cannot use --no-entry with --no-exit without --notice: nothing would be left to tell"
        ),
        ("region add home --circle 1,2,3 --once", "cannot use --once without --notice"),
        ("region add home --circle 1,2,3 --notice-text a", "cannot use --notice-text without --notice"),
        (
            "region add home --circle 1,2,3 --notice a --notice-on never",
            "cannot use --notice-on \"never\": allowed is entry, exit, both"
        ),
        ("region list --notice a", "cannot use --notice with locctl region list"),
        (
            "agent --desktop --answer deny",
            "cannot use --desktop with --answer: it prints nothing, and a person answers"
        ),
        ("region list --no-exit", "cannot use --no-exit with locctl region list"),
        ("region list home", "cannot use \"home\" with locctl region list"),
        ("region add home work --circle 1,2,3", "cannot use \"work\": locctl region takes at most 2 words"),
        ("region watch --circle 1,2,3", "cannot use --circle with locctl region watch"),
        (
            "region add home --circle 91,2,3",
            "cannot use --circle \"91,2,3\": allowed is a latitude of -90 to 90, a longitude of -180 to 180 and a radius over "
                + "0, such as 52.5163,13.3777,100m"
        ),
        ("region add home --polygon 1,2 3,4", "cannot use --polygon: it has 2 vertices, 3 to 1000 are allowed"),
        (
            "region add home --polygon 1,2 3,4 5",
            "cannot use \"5\": locctl region takes at most 2 words"
        ),
        (
            "region add home --polygon 1,2 3,4 5,6,7",
            "cannot use --polygon \"1,2 3,4 5,6,7\": allowed is 3 to 1000 corners, latitudes of -90 to 90 and "
                + "longitudes of -180 to 180, such as 52.51,13.37 52.52,13.37 52.52,13.39"
        ),
        (
            "region add home --circle 1,2,3 --cushion -1",
            "cannot use --cushion \"-1\": allowed is a distance of 0 to 100km, such as 20 or 20m"
        ),
        (
            "region add home --circle 1,2,3 --dwell 25h",
            "cannot use --dwell \"25h\": allowed is a time of 0 to 24h, such as 20, 20s or 2min"
        ),
        ("visits go", "cannot run locctl visits \"go\": allowed is stop, or only options"),
        ("visits stop --count 1", "cannot use --count with locctl visits stop"),
        ("monitor list", "cannot run locctl monitor list without the name of a monitor"),
        ("monitor add m", "cannot run locctl monitor add without the name of a condition"),
        ("monitor watch m c", "cannot use \"c\" with locctl monitor watch"),
        ("monitor list m --assuming unknown", "cannot use --assuming with locctl monitor list"),
        (
            "monitor add m c --circle 1,2,3 --assuming unmonitored",
            "cannot use --assuming \"unmonitored\": allowed is unknown, satisfied, unsatisfied"
        ),
        ("authorize", "cannot run locctl authorize without an app: `locctl apps` names them"),
        (
            "authorize a",
            "cannot authorize without a decision: allowed is always, when-in-use, once, denied, reset, or --accuracy alone"
        ),
        ("authorize a maybe", "cannot authorize \"maybe\": allowed is always, when-in-use, once, denied, reset"),
        ("authorize a reset --accuracy full", "cannot use --accuracy with reset: everything is forgotten"),
        ("authorize a always --accuracy best", "cannot use --accuracy \"best\": allowed is full, reduced"),
        ("services maybe", "cannot switch location services \"maybe\": allowed is on, off"),
        ("requests 0", "cannot take \"0\" for a request: allowed is its number, as locctl requests prints it"),
        ("requests 1", "cannot answer request 1 without an answer: allowed is always, while-using, once, deny"),
        ("requests 1 yes", "cannot take \"yes\" for an answer: allowed is always, while-using, once, deny"),
        ("agent --answer yes", "cannot use --answer \"yes\": allowed is always, while-using, once, deny"),
        ("events", "cannot run locctl events without an app: `locctl apps` names them"),
        (
            "live --configuration swim",
            "cannot use --configuration \"swim\": allowed is default, automotiveNavigation, otherNavigation, fitness, "
                + "airborne"
        ),
        (
            "watch --defer-distance 9 --accuracy kilometer",
            "cannot use --defer-distance with --accuracy kilometer: only best and bestForNavigation are allowed with it"
        ),
    ]

    @Test("a wrong command line is told what was wrong and what is allowed", arguments: faults)
    func fault(_ line: String, _ message: String) {
        #expect(throws: LocctlError(message, .usage)) { try parse(line) }
    }

    @Test(
        "what is no circle on the earth is refused",
        arguments: ["1,2", "1,2,0", "91,2,3", "1,181,3", "nan,2,3", "1,2,3,4", "0x1,2,3", "1,2,inf", ",,", "1,2,-3"])
    func circles(_ text: String) {
        #expect(
            throws: LocctlError(
                "cannot use --circle \"\(text)\": allowed is a latitude of -90 to 90, a longitude of -180 to 180 "
                    + "and a radius over 0, such as 52.5163,13.3777,100m", .usage)
        ) { try parse("region add home --circle \(text)") }
    }

    @Test("corners of a polygon are words of their own, and options may follow")
    func polygon() throws {
        for line in [
            "region add a --polygon 1,2 -3,4 +5,-6 --no-exit", "region --no-exit --polygon=1,2 -3,4 5,-6 add a",
        ] {
            guard case .region(.add(let region), "locctl") = try parse(line).action,
                case .polygon(let polygon) = region.shape
            else { throw LocctlError("cannot see a polygon", .usage) }
            #expect(polygon.vertices == [(1, 2), (-3, 4), (5, -6)].map { Coordinate(latitude: $0.0, longitude: $0.1) })
            #expect(region.identifier == "a" && !region.notifyOnExit)
        }
    }

    @Test func `a place may lie in the south, and is known to 100 m unless it is said`() throws {
        let place = OfferedLocation(
            coordinate: Coordinate(latitude: -33.86, longitude: 151.2), horizontalAccuracy: 100, kind: .manual)
        #expect(try parse("locate set -33.86,151.2").action == .setPlace(place))
        var rough = place
        (rough.horizontalAccuracy, rough.altitude, rough.verticalAccuracy) = (25_000, -5, 25_000)
        #expect(try parse("locate --accuracy 25km set -33.86,151.2 --altitude -5").action == .setPlace(rough))
        #expect(try parse("locate clear").action == .clearPlace)
    }

    @Test("visits wait for more only where that is asked for")
    func visits() throws {
        for (line, follows) in [
            ("visits", false), ("visits --follow", true), ("visits --count 3", true), ("visits --until 5s", true),
        ] {
            guard case .visits(let options) = try parse(line).action else { throw LocctlError("cannot", .usage) }
            #expect(options.follows == follows && options.app == "locctl")
        }
        #expect(try parse("visits stop --app a").action == .stopVisits(app: "a"))
    }

    @Test("a name is taken within its limits")
    func names() throws {
        #expect(throws: LocctlError.self) { try Invocation(["locctl", "watch", "--app", ""]) }
        #expect(throws: LocctlError.self) { try Invocation(["locctl", "watch", "--app", "a\nb"]) }
        #expect(throws: LocctlError.self) {
            try Invocation(["locctl", "watch", "--app", String(repeating: "a", count: 129)])
        }
        let longest = String(repeating: "ä", count: 64)
        guard case .follow(let options) = try Invocation(["locctl", "watch", "--app", longest]).action else { return }
        #expect(options.app == longest)
    }
}
