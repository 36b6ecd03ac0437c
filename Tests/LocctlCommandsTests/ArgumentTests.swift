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

    static let faults: [(line: String, message: String)] = [
        ("", "cannot do anything without a command"),
        ("--json", "cannot do anything without a command"),
        ("stauts", "cannot do \"stauts\": the commands are status, get, watch, significant, why, version, help"),
        (
            "help stauts",
            "cannot explain \"stauts\": the commands are status, get, watch, significant, why, version, help"
        ),
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
        (
            "watch --defer-distance 9 --accuracy kilometer",
            "cannot use --defer-distance with --accuracy kilometer: only best and bestForNavigation are allowed with it"
        ),
    ]

    @Test("a wrong command line is told what was wrong and what is allowed", arguments: faults)
    func fault(_ line: String, _ message: String) {
        #expect(throws: LocctlError(message, .usage)) { try parse(line) }
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
