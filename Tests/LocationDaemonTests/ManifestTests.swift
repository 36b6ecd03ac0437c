// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationTestSupport
import SystemSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("A manifest")
struct ManifestTests {
    @Test("has all its keys, and its file's name where it says no other")
    func whole() {
        let (manifest, problems) = read(
            """
            [App]
            User=alice 17
            User=bob
            Group=gps
            Unit=gpxlogger logger@*.service
            App=org.example.Log
            Agent=yes
            History=yes
            BackgroundModes=location
            [UsageDescriptions]
            WhenInUse=To show your way: today; and "tomorrow"
            Always=To note where you were
            [TemporaryFullAccuracy]
            Turn by turn=To guide you
            [Authorization]
            Default=authorizedWhenInUse
            DefaultAccuracy=reduced
            """)
        #expect(problems == [])
        var expected = AppManifest(identifier: "gpx")
        expected.users = [1001, 17, 1002]
        expected.groups = [201]
        expected.units = ["gpxlogger.service", "logger@*.service"].compactMap { UnitPattern($0) }
        expected.applications = ["org.example.Log"]
        expected.isAgent = true
        expected.readsHistory = true
        expected.hasLocationBackgroundMode = true
        expected.usageDescriptions = UsageDescriptions(
            whenInUse: "To show your way: today; and \"tomorrow\"", always: "To note where you were",
            temporaryFullAccuracy: ["Turn by turn": "To guide you"])
        expected.defaultStatus = .authorizedWhenInUse
        expected.defaultAccuracy = .reduced
        #expect(manifest == expected)
        #expect(read("[App]\nIdentifier=org.example\nUser=5").manifest?.identifier == "org.example")
        let emptied = read(
            "[App]\nUser=alice\nUser=\nUnit=a\nAgent=yes\nAgent=\n[Authorization]\nDefault=denied\nDefault=")
        #expect(emptied.manifest?.users == nil && emptied.manifest?.isAgent == false)
        #expect(emptied.manifest?.defaultStatus == nil)
    }

    @Test("tells every fault with file, line, what was given and what is allowed")
    func faults() {
        let (manifest, problems) = read(
            """
            Early=1
            [App]
            User=a:b
            Colour=red
            Identifier=two words
            Unit=a.socket
            Agent=perhaps
            BackgroundModes=audio
            nonsense
            [Apps]
            Agent=yes
            [UsageDescriptions]
            Never=x
            Always=turned \u{202E}text
            [TemporaryFullAccuracy]
            Key=\u{1B}[31mred
            [Authorization]
            Default=restricted
            DefaultAccuracy=some
            """)
        #expect(manifest == nil)
        let keys = "Identifier, User, Group, Unit, App, Agent, History, BackgroundModes, RequireExplicitServiceSession"
        let text = "is not a text of at most 256 bytes without control or bidirectional characters"
        let expected = [
            "1: Early stands before the first [Section]", "3: User=a:b is not names or numbers of users",
            "4: Colour is not a key of [App]; its keys are \(keys)",
            "5: Identifier=two words is not 1 to 128 bytes without space, colon, slash, control and bidirectional characters",
            "6: Unit=a.socket is not names or patterns of services; other kinds of units do not run programs",
            "7: Agent=perhaps is not yes or no", "8: BackgroundModes=audio is not location",
            "9: nonsense is neither a [Section], nor Key=Value, nor a comment",
            "11: [Apps] is not a section; the sections are App, UsageDescriptions, TemporaryFullAccuracy, Authorization",
            "13: Never is not a key of [UsageDescriptions]; its keys are WhenInUse, Always",
            "14: Always=turned \u{FFFD}text \(text)", "16: Key=\u{FFFD}[31mred \(text)",
            "18: Default=restricted is not authorizedAlways, authorizedWhenInUse, denied or ask",
            "19: DefaultAccuracy=some is not full or reduced",
        ]
        #expect(problems == expected.map { "cannot use /apps.d/gpx.conf:\($0)" })
    }

    @Test("that names nobody is refused, since anybody could use its name")
    func nobody() {
        for text in ["", "[App]\nAgent=yes", "[App]\nUser=", "[UsageDescriptions]\nAlways=x"] {
            let (manifest, problems) = read(text)
            #expect(manifest == nil)
            #expect(
                problems == [
                    "cannot use /apps.d/gpx.conf: it names no User=, Group=, Unit= or App=; without one anybody could use its name"
                ])
        }
    }

    @Test("a user or group that does not exist fits nobody, and is said")
    func unknownNames() {
        var reader = ManifestReader(path: "/apps.d/gpx.conf", accounts: accounts)
        let manifest = reader.read(Array("[App]\nUser=carol\nGroup=gps nogroup-here".utf8))
        #expect(manifest?.users == [] && manifest?.groups == [201] && reader.problems == [])
        #expect(
            reader.warnings == [
                "cannot use /apps.d/gpx.conf:2: User=carol is no user of this system, and fits nobody",
                "cannot use /apps.d/gpx.conf:3: Group=nogroup-here is no group of this system, and fits nobody",
            ])
        #expect(manifest?.matches(peer(0, groups: [201])) == false)
    }

    @Test("fits a process that all of its keys fit")
    func matching() throws {
        let system = "/system.slice/gpx.service"
        let own = "/user.slice/user-1001.slice/user@1001.service/app.slice/gpx.service"
        let scope = "/user.slice/user-1001.slice/user@1001.service/app.slice/app-gnome-org.gpx-12.scope"
        let cases: [(text: String, peer: ManifestPeer, fits: Bool)] = [
            ("User=alice", peer(1001), true), ("User=alice", peer(0), false), ("User=alice 0", peer(0), true),
            ("Group=gps", peer(5, groups: [7, 201]), true), ("Group=gps", peer(5, groups: [202]), false),
            ("User=alice\nGroup=gps", peer(1001), false), ("User=alice\nGroup=gps", peer(1001, groups: [201]), true),
            ("Unit=gpx", peer(77, system), true), ("Unit=gp?.service", peer(77, system), true),
            ("Unit=gps", peer(77, system), false), ("Unit=gpx", peer(77), false),
            // A user can give an own service any name.
            ("Unit=gpx", peer(1001, own), false), ("Unit=gpx\nUser=alice", peer(1001, own), true),
            ("Unit=gpx\nUser=alice", peer(1002, own), false),
            ("Unit=gpx\nGroup=gps", peer(5, groups: [201], own), true),
            ("App=org.gpx", peer(1001, scope), true), ("App=org.other", peer(1001, scope), false),
            ("App=org.gpx\nUser=bob", peer(1001, scope), false),
            // And an own application, which must not answer for others then.
            ("App=org.gpx\nAgent=yes", peer(1001, scope), false),
            ("App=org.gpx\nUser=alice\nAgent=yes", peer(1001, scope), true),
            ("App=org.gpx\nUnit=gpx\nUser=alice", peer(1001, own), true),
            ("App=org.gpx\nUnit=gpx\nUser=alice", peer(1001, scope), true),
            ("App=org.gpx\nUnit=gpx\nUser=alice", peer(1001), false),
        ]
        for (text, peer, fits) in cases {
            let manifest = try #require(read("[App]\n\(text)").manifest)
            #expect(manifest.matches(peer) == fits, "\(text)")
        }
    }

    @Test("has an identifier that can name a file", arguments: ["a/b", "..", ".gpx", "/gpx", "../gpx"])
    func fileName(identifier: String) {
        let (manifest, problems) = read("[App]\nUser=alice\nIdentifier=\(identifier)")
        #expect(manifest == nil && problems.count == 1)
        #expect(read("[App]\nUser=alice\nIdentifier=gpx..x").problems == [])
    }

    @Test("grants nothing to an application that every user could start under its name")
    func grantToApplication() {
        let grant = "[Authorization]\nDefault=authorizedAlways"
        let (manifest, problems) = read("[App]\nApp=org.gpx\n\(grant)")
        #expect(manifest == nil)
        #expect(
            problems == [
                "cannot use /apps.d/gpx.conf:4: Default= cannot grant to App= without User= or Group=: "
                    + "every user can start an app of any name"
            ])
        #expect(read("[App]\nApp=org.gpx\nUser=alice\n\(grant)").problems == [])
        #expect(read("[App]\nUnit=gpx\n\(grant)").problems == [])
        #expect(read("[App]\nApp=org.gpx\n[Authorization]\nDefault=denied").problems == [])
    }

    @Test("is explained by an example that has every key and is one when its keys are uncommented")
    func example() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let lines = String(decoding: try readFile("/\(root)/Config/app.conf.example"), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        #expect(read(lines.joined(separator: "\n")).problems.first?.contains("it names no User=") == true)
        #expect(!lines.contains { $0.utf8.count > 120 })
        let keys = lines.filter { $0.hasPrefix("#") && $0.dropFirst().first?.isLetter == true && $0.contains("=") }
        let text = lines.map { keys.contains($0) ? String($0.dropFirst()) : String($0) }.joined(separator: "\n")
        let (manifest, problems) = read(text)
        #expect(problems == [])
        #expect(manifest?.identifier == "gpxlogger" && manifest?.users == [1001, 1001] && manifest?.groups == [])
        #expect(manifest?.usageDescriptions.temporaryFullAccuracy.count == 1 && manifest?.defaultAccuracy == .full)
        let names = keys.map { String($0.dropFirst().prefix { $0 != "=" }) }
        let all = ManifestReader.keys.flatMap { $0.names.isEmpty ? ["Navigation"] : $0.names }
        #expect(names == all)
    }

    @Test("of the bridge to the desktop grants use, to one service of one user")
    func bridge() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let (manifest, problems) = read(
            String(decoding: try readFile("/\(root)/Config/geoclue.conf"), as: UTF8.self))
        #expect(problems == [])
        #expect(manifest?.identifier == "geoclue" && manifest?.defaultStatus == .authorizedWhenInUse)
        #expect(manifest.map { !$0.isAgent } == true)
    }

    private func read(_ text: String) -> (manifest: AppManifest?, problems: [String]) {
        var reader = ManifestReader(path: "/apps.d/gpx.conf", accounts: accounts)
        let manifest = reader.read(Array(text.utf8))
        return (manifest, reader.problems)
    }

    private func peer(_ uid: UInt32, groups: [UInt32] = [], _ cgroup: String? = nil) -> ManifestPeer {
        ManifestPeer(uid: uid, group: ControlGroup(path: cgroup), isMember: { groups.contains($0) })
    }
}

@Suite("A directory of manifests")
struct ManifestDirectoryTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("that is missing or empty has none and is no fault")
    func none() {
        for path in [directory.path, directory.file("missing")] {
            let manifests = ManifestDirectory(path: path, accounts: accounts)
            #expect(manifests == ManifestDirectory())
        }
    }

    @Test("gives a process the first manifest by name that fits it")
    func first() throws {
        try directory.write("[App]\nUser=alice bob", to: "b.conf")
        try directory.write("[App]\nUser=alice\nIdentifier=first", to: "a.conf")
        try directory.write("[App]\nUser=17", to: "c.txt")
        try directory.write("[App]\nUser=17", to: ".d.conf")
        let manifests = ManifestDirectory(path: directory.path, accounts: accounts)
        #expect(manifests.manifests.map(\.identifier) == ["first", "b"] && manifests.problems == [])
        func name(_ uid: UInt32) -> String? {
            let peer = ManifestPeer(uid: uid, group: ControlGroup(path: nil), isMember: { _ in false })
            return manifests.manifest(for: peer)?.identifier
        }
        #expect(name(1001) == "first" && name(1002) == "b" && name(17) == nil)
        #expect(manifests.hasManifest(named: "first") && manifests.hasManifest(named: "b"))
        #expect(!manifests.hasManifest(named: "a") && !manifests.hasManifest(named: "c"))
        #expect(manifests.manifest(named: "b")?.users == [1001, 1002])
    }

    @Test("leaves out what it cannot use, says why, and uses the others")
    func faults() throws {
        try directory.write("[App]\nUser=alice", to: "a.conf")
        try directory.write("[App]\nUsers=alice", to: "b.conf")
        try directory.write("[App]\nUser=bob\nIdentifier=a", to: "c.conf")
        mkdir(directory.file("d.conf"), 0o700)
        try directory.write("[App]\nUser=bob", to: "e:f.conf")
        symlink("nowhere", directory.file("g.conf"))
        try directory.write("[App]\nUser=bob", to: "h.conf")
        let manifests = ManifestDirectory(path: directory.path, accounts: accounts)
        #expect(manifests.manifests.map(\.identifier) == ["a", "h"])
        let keys = "Identifier, User, Group, Unit, App, Agent, History, BackgroundModes, RequireExplicitServiceSession"
        let path = directory.path
        #expect(
            manifests.problems == [
                "cannot use \(path)/b.conf:2: Users is not a key of [App]; its keys are \(keys)",
                "cannot use \(path)/c.conf: a is the app of \(path)/a.conf already",
                "cannot use \(path)/d.conf: it is not a file",
                "cannot use \(path)/e:f.conf: its name e:f is not 1 to 128 bytes without space, colon, slash, control and "
                    + "bidirectional characters",
                "cannot use \(path)/g.conf: it is gone",
            ])
        let noDirectory = ManifestDirectory(path: "\(path)/a.conf", accounts: accounts)
        #expect(noDirectory.problems == ["cannot use \(path)/a.conf: Not a directory"])
    }
}
