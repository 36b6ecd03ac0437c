// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices
import LocationTestSupport
import Testing

@testable import LocationDaemon

/// Providers of the tests are programs of root, and GeoClue's file is the test's own.
private func house(_ place: String? = nil, _ more: String = "") throws -> (DaemonFixture, file: String) {
    let (directory, path) = try geolocationFile(place)
    let daemon = try DaemonFixture(awake + "\n[Providers]\nGeolocationFile=\(path)\n" + more)
    // The daemon watches it.
    daemon.belongings.append(directory)
    return (daemon, path)
}

/// A path in a directory of its own, with a text or nothing at it.
private func geolocationFile(_ text: String?) throws -> (TemporaryDirectory, path: String) {
    let directory = try TemporaryDirectory()
    if let text { try directory.write(text, to: "geolocation") }
    return (directory, directory.file("geolocation"))
}

/// A service without a receiver, to which programs of the user 12002 may provide locations.
private final class ProvidingBench {
    let bench: ServiceBench
    let provided: ProvidedLocations
    private let sources: FixSources
    private let directory: TemporaryDirectory
    /// How often somebody was told where the device is.
    var told: UInt64 { bench.service.engine.accepted }

    /// `place`: the text of GeoClue's file.
    init(_ place: String? = nil) throws {
        var configuration = Configuration()
        configuration.providers.programs = AuthorizationRules.Subjects(users: ["12002"])
        let bench = try ServiceBench(configuration)
        let (directory, path) = try geolocationFile(place)
        self.directory = directory
        let provided = ProvidedLocations(
            stateDirectory: nil, file: path, patience: .seconds(10), loop: nil,
            date: { [unowned bench] in bench.date }, journal: { Journal(level: .error) })
        (self.bench, self.provided) = (bench, provided)
        sources = FixSources([provided], for: bench.service, configuration.gpsd)
        bench.service.host.answerProvider = { request throws(RPCError) in try provided.answer(request) }
        bench.service.host.providerLeft = { client, now in provided.clientLeft(client, at: now) }
        bench.service.host.surroundings = { [unowned bench] in
            var around = StatusSurroundings()
            around.providers = { all in provided.status(all: all, at: bench.now) }
            return around
        }
    }

    func advance(seconds: Double) {
        bench.advance(seconds: seconds)
        sources.wakeDue(at: bench.now)
    }

    /// A client of a user about whose programs that was decided.
    func connect(uid: UInt32, _ status: String) throws -> BenchClient {
        let client = bench.connect(uid: uid)
        try client.ask("hello", #"{"protocol":1}"#)
        let decision = #"{"app":"uid:\#(uid)","authorizationStatus":"\#(status)","accuracyAuthorization":"full"}"#
        _ = try bench.connect(uid: 0, isAdmin: true).ask("authorize", decision)
        return client
    }
}

private let harbour = #"{"latitude":53.5,"longitude":8.1,"horizontalAccuracy":30,"kind":"wifi","lifetime":600}"#
private let town = #"{"latitude":53.5,"longitude":8.1,"horizontalAccuracy":25000,"kind":"network","lifetime":600}"#

@Suite("A location without a receiver", .blocking)
struct ProvidedLocationTests {
    @Test func `set by hand is told as such, kept over a restart, and forgotten when it is cleared`() throws {
        let (daemon, _) = try house()
        let admin = try daemon.connect()
        try admin.call("setPlace", #"{"latitude":-33.86,"longitude":151.2,"horizontalAccuracy":40,"altitude":5}"#)
        for _ in 0..<2 {
            let client = try daemon.connect()
            try client.call("requestLocation", #"{"timeout":1}"#)
            let location = try client.hear("didUpdateLocations")["locations"]?.array?.first
            #expect(location?["latitude"]?.double == -33.86)
            #expect(location?["altitude"]?.double == 5)
            #expect(location?["sourceInformation"]?["kind"]?.string == "manual")
            #expect(location?["sourceInformation"]?["isCoarse"] == nil)
            try daemon.restart(kill: SIGTERM)
        }
        try daemon.connect().call("clearPlace")
        let client = try daemon.connect()
        try client.call("requestLocation", #"{"timeout":1}"#)
        #expect(try client.hear("didFailWithError")["error"]?["code"]?.int == 0)
    }

    @Test func `comes from GeoClue's file, and follows it`() throws {
        let (daemon, file) = try house("53.5\n8.1\n2\n15\n")
        let client = try daemon.startUpdating()
        #expect(try client.hear("didUpdateLocations")["locations"]?.array?.first?["horizontalAccuracy"]?.double == 15)
        try write("54.5\n8.1\n2\n15\n", to: file)
        #expect(try client.hear("didUpdateLocations")["locations"]?.array?.first?["latitude"]?.double == 54.5)
        try write("54.5\n8.1\n", to: file)
        try waitUntil("the file is found to be wrong") { daemon.journal.contains("it has no altitude") }
        let providers = try client.call("status", #"{"scope":"all"}"#)["providers"]?.array ?? []
        let problems = providers.compactMap { $0["problem"]?.string }
        #expect(
            problems == [
                "cannot use \(file): it has no altitude: latitude, longitude, altitude, accuracy are needed"
            ])
    }

    @Test func `does not end with a fix of a place that there is not, which status counts`() throws {
        let (daemon, _) = try house("53.5\n8.1\n2\n15\n")
        let client = try daemon.startUpdating()
        try client.hear("didUpdateLocations")
        try daemon.waitForWatch()
        let members = #""time":"2026-11-21T10:00:00.000Z","lat":91.0,"lon":2.0,"eph":5.0"#
        try daemon.gpsd.push(#"{"class":"TPV","device":"\#(Simulation.device)","mode":3,\#(members)}"#)
        try waitUntil("it is counted") { try daemon.status()["fixes"]?["rejected"]?["invalid"]?.int == 1 }
        #expect(try daemon.status()["providers"]?.array?.first?["told"]?.bool == true)
    }

    @Test func `is told while a receiver repeats its time, and status says that it does`() throws {
        let (daemon, _) = try house(nil, "[GPSD]\nLossSec=1\n")
        let (provider, client) = (try daemon.connect(), try daemon.startUpdating())
        try provider.call("offerLocation", harbour)
        try client.hear("didUpdateLocations")
        try daemon.fixes(count: 3)
        try daemon.waitUntilAccepted()
        let members = #""time":"2026-11-21T10:00:00.000Z","lat":1.0,"lon":2.0,"eph":5.0"#
        try waitUntil("the place is told again") {
            try daemon.gpsd.push(#"{"class":"TPV","device":"\#(Simulation.device)","mode":3,\#(members)}"#)
            return try daemon.status()["providers"]?.array?.first?["told"]?.bool == true
        }
        let status = try daemon.status()
        #expect(status["fixes"]?["rejected"]?["repeatedTime"]?.int ?? 0 > 1)
        #expect(status["receivers"]?.array?.first?["repeatsTime"]?.bool == true)
        let reason = try daemon.connect().call("startUpdatingLocation")["reason"]?.string
        #expect(reason?.hasPrefix("the receiver \(Simulation.device) repeats its time; ") == true, "\(reason ?? "")")
    }

    @Test func `that was set by hand and is damaged is named until it is set or cleared; a directory is not cleared`()
        throws
    {
        let (daemon, _) = try house()
        let path = daemon.directory.file("state/place")
        func problems() throws -> [String] {
            try (daemon.status()["providers"]?.array ?? []).compactMap { $0["problem"]?.string }
        }
        for mend in [("setPlace", #"{"latitude":1,"longitude":2,"horizontalAccuracy":3}"#), ("clearPlace", "{}")] {
            try daemon.stop(SIGTERM)
            try daemon.directory.write(#"{"latitude":1"#, to: "state/place")
            try daemon.start()
            #expect(try problems() == ["cannot use \(path): it is damaged; set the place again"])
            try daemon.connect().call(mend.0, mend.1)
            #expect(try problems() == [])
            try daemon.restart(kill: SIGTERM)
            #expect(try problems() == [])
        }
        try daemon.stop(SIGTERM)
        #expect(mkdir(path, 0o700) == 0)
        try daemon.start()
        let said = ["cannot use \(path): it is not a file"]
        #expect(try problems() == said)
        for request in ["clearPlace", "setPlace"] {
            let place = #"{"latitude":1,"longitude":2,"horizontalAccuracy":3}"#
            let message = try daemon.connect().refusal(request, request == "setPlace" ? place : "{}").message
            #expect(message.hasSuffix("\(path) is a directory: remove it"), "\(message)")
        }
        #expect(try problems() == said)
    }

    @Test func `is named by status, and ends with the connection of who provided it`() throws {
        let (daemon, _) = try house()
        let client = try daemon.startUpdating()
        let provider = try daemon.connect()
        try provider.call("offerLocation", harbour)
        #expect(
            try client.hear("didUpdateLocations")["locations"]?.array?.first?["sourceInformation"]?["kind"]?.string
                == "wifi")
        let shown = try client.call("status", #"{"scope":"all"}"#)["providers"]?.array?.first
        #expect(shown?["told"]?.bool == true)
        #expect(shown?["kind"]?.string == "wifi")
        provider.close()
        #expect(try client.hear("didFailWithError")["error"]?["code"]?.int == 0)
        #expect(try client.call("status", #"{"scope":"all"}"#)["providers"] == nil)
    }

    @Test func `gives way to a receiver's fix`() throws {
        let (daemon, _) = try house()
        let client = try daemon.startUpdating()
        let provider = try daemon.connect()
        try provider.call("offerLocation", harbour)
        try client.hear("didUpdateLocations")
        try daemon.fix()
        #expect(try client.hear("didUpdateLocations")["locations"]?.array?.first?["sourceInformation"]?["kind"] == nil)
        try daemon.connect().call("offerLocation", town)
        try client.settle()
        #expect(client.heard("didUpdateLocations").count == 2)
    }

    @Test func `that is known only roughly is told so, also to who gets it reduced`() throws {
        let (daemon, _) = try house()
        let client = try daemon.startUpdating()
        let live = try daemon.connect()
        try live.call("startLiveUpdates")
        let reduced = try daemon.connect()
        try reduced.call("setProperties", #"{"desiredAccuracy":"reduced"}"#)
        try reduced.call("startUpdatingLocation")
        try daemon.connect().call("withdrawLocation")
        let provider = try daemon.connect()
        try provider.call("offerLocation", town)
        let exact = try client.hear("didUpdateLocations")["locations"]?.array?.first
        #expect(exact?["sourceInformation"]?["isCoarse"]?.bool == true)
        #expect(try live.hear("didUpdate")["accuracyLimited"]?.bool == true)
        let rough = try reduced.hear("didUpdateLocations")["locations"]?.array?.first
        #expect(rough?["horizontalAccuracy"]?.double == 25_000)
    }

    @Test func `is told of to an app without a word of who provides it, and of what is in the file`() throws {
        let house = try ProvidingBench("53.5\n8.1\n")
        let client = try house.connect(uid: 12_001, "authorizedAlways")
        let admin = house.bench.connect(uid: 0, isAdmin: true)
        #expect(try house.bench.connect(uid: 12_002).ask("offerLocation", harbour)["result"] != nil)
        try client.ask("startUpdatingLocation")
        try client.ask("requestLocation", #"{"timeout":1}"#)
        let status = try client.ask("status", #"{"scope":"all"}"#)["result"]
        let shown = status?["providers"]?.array ?? []
        #expect(shown.count == 1)
        #expect(shown.first?["name"] == nil)
        #expect(shown.first?["kind"]?.string == "wifi" && shown.first?["told"]?.bool == true)
        let reason = status?["managers"]?.array?.first?["services"]?.array?.first?["reason"]?.string
        #expect(reason?.hasSuffix("another program says where the device is, to 30 m") == true)
        #expect(!client.heard.contains { "\($0)".contains("12002") || "\($0)".contains("altitude:") })
        let all = try admin.ask("status", #"{"scope":"all"}"#)["result"]?["providers"]?.array ?? []
        #expect(all.first?["name"]?.string == "uid:12002")
        #expect(all.last?["problem"]?.string?.contains("it has no altitude") == true)
    }

    @Test func `is told again to who asks, once a second at most, and not because of who may not know it`() throws {
        let house = try ProvidingBench()
        let client = try house.connect(uid: 12_001, "authorizedAlways")
        let denied = try house.connect(uid: 12_003, "denied")
        try house.bench.connect(uid: 12_002).ask("offerLocation", harbour)
        try client.ask("startUpdatingLocation")
        #expect(house.told == 1)
        house.advance(seconds: 5)
        for method in ["startUpdatingLocation", "requestLocation", "startLiveUpdates"] { try denied.ask(method) }
        #expect(house.told == 1)
        for _ in 0..<3 { try client.ask("requestLocation") }
        #expect(house.told == 2)
        house.advance(seconds: 0.5)
        for _ in 0..<3 { try client.ask("requestLocation") }
        #expect(house.told == 2)
        house.advance(seconds: 0.5)
        #expect(house.told == 3)
        house.advance(seconds: 10)
        #expect(house.told == 3)
    }

    @Test func `is refused from who is not named`() throws {
        let house = try ProvidingBench()
        let stranger = house.bench.connect(uid: 12_001)
        let place = #"{"latitude":1,"longitude":0}"#
        for (method, params) in [
            ("offerLocation", harbour), ("withdrawLocation", "{}"), ("setPlace", place), ("clearPlace", "{}"),
        ] {
            #expect(try stranger.ask(method, params)["error"]?["data"]?["name"]?.string == "notPermitted", "\(method)")
        }
        #expect(house.provided.places.offers.isEmpty)
    }

    @Test func `is refused when it is nonsense`() throws {
        let (daemon, _) = try house()
        let admin = try daemon.connect()
        let nowhere = #"{"latitude":91,"longitude":0,"horizontalAccuracy":30,"kind":"wifi","lifetime":600}"#
        #expect(try admin.refusal("offerLocation", nowhere).name == "invalidParams")
        let measured = #"{"latitude":1,"longitude":0,"horizontalAccuracy":30,"kind":"receiver","lifetime":600}"#
        #expect(try admin.refusal("offerLocation", measured).name == "invalidParams")
        let eternal = #"{"latitude":1,"longitude":0,"horizontalAccuracy":30,"kind":"wifi","lifetime":1e9}"#
        #expect(try admin.refusal("offerLocation", eternal).name == "invalidParams")
        let exact = #"{"latitude":1,"longitude":0,"horizontalAccuracy":0,"kind":"wifi","lifetime":60}"#
        #expect(try admin.refusal("offerLocation", exact).name == "invalidParams")
    }

    @Test(.needsOtherUsers) func `is taken from a user whom the configuration names, and from no other`() throws {
        let daemon = try DaemonFixture(awake + "\n[Providers]\nUsers=12001\n", manifests: [:])
        try daemon.connect(uid: 12001).call("offerLocation", harbour)
        let stranger = try daemon.connect(uid: 12002)
        let refusal = try stranger.refusal("offerLocation", harbour)
        #expect(refusal.name == "notPermitted")
        #expect(refusal.message.contains("[Providers]"))
        #expect(try stranger.refusal("setPlace", #"{"latitude":1,"longitude":0}"#).name == "notPermitted")
    }

    @Test(.needsOtherUsers) func `ends when a reload no longer names who provides it, and others' stay`() throws {
        let daemon = try DaemonFixture(awake + "\n[Providers]\nUsers=12001\n", manifests: [:])
        let client = try daemon.startUpdating()
        let admin = try daemon.connect()
        try admin.call("offerLocation", town)
        let provider = try daemon.connect(uid: 12001)
        try provider.call("offerLocation", harbour)
        func accuracy() throws -> Double? {
            try client.hear("didUpdateLocations")["locations"]?.array?.first?["horizontalAccuracy"]?.double
        }
        #expect(try accuracy() == 25_000)
        #expect(try accuracy() == 30)
        try daemon.reload(awake)
        #expect(try accuracy() == 25_000)
        #expect(try provider.refusal("offerLocation", harbour).name == "notPermitted")
    }

    private func write(_ text: String, to path: String) throws {
        let new = path + ".new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        _ = text.withCString { Glibc.write(descriptor, $0, strlen($0)) }
        close(descriptor)
        guard rename(new, path) == 0 else { throw TestFailure("cannot replace \(path)") }
    }
}

@Suite("The place that is kept")
struct PlaceByHandTests {
    @Test(arguments: [
        (#"{"latitude":1,"longitude":2,"horizontalAccuracy":3}"#, 1), (#"{"latitude":1,"longitude":2"#, 0),
        (#"{"latitude":100,"longitude":2,"horizontalAccuracy":3}"#, 0), (String(repeating: " ", count: 5000), 0),
    ])
    func `is told to who wanted it before the daemon had read it, unless it is damaged`(text: String, told: Int) throws
    {
        let directory = try TemporaryDirectory()
        try directory.write(text, to: "place")
        let now = BootInstant(nanoseconds: 1_000_000_000_000)
        let provided = ProvidedLocations(
            stateDirectory: directory.path, file: directory.file("geolocation"), patience: .seconds(10), loop: nil,
            date: { WallTime(milliseconds: 1_750_000_000_000) }, journal: { Journal(level: .error) })
        var fixes: [Fix] = []
        provided.fixReceived = { fix, _ in fixes.append(fix) }
        provided.setDemand(true, at: now)
        #expect(fixes.isEmpty)
        provided.start(at: now)
        #expect(fixes.map(\.location.kind) == [LocationKind](repeating: .manual, count: told))
    }
}
