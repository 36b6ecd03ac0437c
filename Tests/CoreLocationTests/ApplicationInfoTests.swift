// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationProtocol
import LocationTestSupport
import Synchronization
import Testing

@testable import CoreLocation

@Suite("What a program declares")
struct ApplicationInfoTests {
    private typealias Key = CLApplicationInfo.Key

    private func merged(_ places: [DeclaringPlace]) -> (CLApplicationInfo, [String]) {
        var problems: [String] = []
        let info = CLApplicationInfo(merging: places, problems: &problems)
        return (info, problems)
    }

    private func file(_ list: [String: Any], at path: String = "/app/Info.plist") -> DeclaringPlace {
        DeclaringPlace(propertyList: list, at: .file(path))
    }

    @Test("is nothing where nothing is said")
    func nothing() {
        let (info, problems) = merged([])
        #expect(info == CLApplicationInfo())
        #expect(problems.isEmpty)
    }

    @Test(
        "has the executable's name where it gives itself none",
        arguments: [
            ("/usr/bin/hike", "hike"), ("/usr/bin/hike (deleted)", "hike"), (nil, nil), ("/x/a\u{1B}b", nil),
            ("/x/" + String(repeating: "n", count: 129), nil),
        ] as [(String?, String?)])
    func assumedName(executable: String?, name: String?) {
        let files = ApplicationFiles(executable: executable)
        let assumed = CLApplicationInfo().sessionApplication(of: files)
        #expect(assumed.name == name && assumed.isNameAssumed)
        let given = CLApplicationInfo(identifier: "org.example.hike").sessionApplication(of: files)
        #expect(given.name == "org.example.hike" && !given.isNameAssumed)
    }

    @Test("is read from Apple's keys")
    func keys() {
        let (info, problems) = merged([
            file([
                "CFBundleIdentifier": "org.example.hike", "NSLocationWhenInUseUsageDescription": "to draw your track",
                "NSLocationAlwaysAndWhenInUseUsageDescription": "to draw it in your pocket",
                "NSLocationTemporaryUsageDescriptionDictionary": ["Summit": "to find the summit"],
                "NSLocationDefaultAccuracyReduced": true, "NSLocationRequireExplicitServiceSession": true,
                "UIBackgroundModes": ["location"], "CFBundleName": 7,
            ])
        ])
        #expect(problems.isEmpty)
        #expect(info.identifier == "org.example.hike")
        #expect(info.whenInUseUsageDescription == "to draw your track")
        #expect(info.alwaysAndWhenInUseUsageDescription == "to draw it in your pocket")
        #expect(info.temporaryUsageDescriptions == ["Summit": "to find the summit"])
        #expect(info.defaultAccuracyReduced)
        #expect(info.requiresExplicitServiceSession)
        #expect(info.backgroundModes == ["location"])
        #expect(info.origins[.whenInUse] == .file("/app/Info.plist"))
        #expect(info.origins.count == 7)
        let hello = info.sessionApplication
        #expect(hello.name == "org.example.hike")
        #expect(hello.usageDescriptions.whenInUse == "to draw your track")
        #expect(hello.usageDescriptions.always == "to draw it in your pocket")
        #expect(hello.usageDescriptions.temporaryFullAccuracy == ["Summit": "to find the summit"])
    }

    @Test("is read from variables of the same names, and from LOCATIOND_APP")
    func environment() {
        let (info, problems) = merged([
            DeclaringPlace(environment: [
                "LOCATIOND_APP": "hike", "CFBundleIdentifier": "other",
                "NSLocationWhenInUseUsageDescription": "to draw", "NSLocationDefaultAccuracyReduced": "YES",
                "NSLocationRequireExplicitServiceSession": "0", "UIBackgroundModes": "location, fetch",
                "NSLocationTemporaryUsageDescriptionDictionary": #"{"Summit":"to find it"}"#,
                "NSLocationAlwaysAndWhenInUseUsageDescription": "", "HOME": "/root",
            ])
        ])
        #expect(problems.isEmpty)
        #expect(info.identifier == "hike")
        #expect(info.origins[.identifier] == .environment("LOCATIOND_APP"))
        #expect(info.whenInUseUsageDescription == "to draw")
        #expect(info.alwaysAndWhenInUseUsageDescription == nil)
        #expect(info.defaultAccuracyReduced)
        #expect(!info.requiresExplicitServiceSession)
        #expect(info.backgroundModes == ["location", "fetch"])
        #expect(info.temporaryUsageDescriptions == ["Summit": "to find it"])
    }

    @Test("comes from the first place that says it, key by key")
    func order() {
        let (info, problems) = merged([
            DeclaringPlace(code: CLApplicationInfo(whenInUseUsageDescription: "code")),
            DeclaringPlace(environment: [
                "NSLocationWhenInUseUsageDescription": "environment", "LOCATIOND_APP": "environment",
            ]),
            file([
                "NSLocationWhenInUseUsageDescription": "file", "CFBundleIdentifier": "file", "UIBackgroundModes": ["a"],
            ]),
            DeclaringPlace(propertyList: ["UIBackgroundModes": ["b"]], at: .mainBundle),
        ])
        #expect(problems.isEmpty)
        #expect(info.whenInUseUsageDescription == "code")
        #expect(info.identifier == "environment")
        #expect(info.backgroundModes == ["a"])
        #expect(
            info.origins == [
                .whenInUse: .code, .identifier: .environment("LOCATIOND_APP"),
                .backgroundModes: .file("/app/Info.plist"),
            ])
    }

    @Test("at any time may be said with the key from before iOS 11, unless the newer one is anywhere")
    func olderAlways() {
        let older = file(["NSLocationAlwaysUsageDescription": "older"])
        #expect(merged([older]).0.alwaysAndWhenInUseUsageDescription == "older")
        let newer = file(["NSLocationAlwaysAndWhenInUseUsageDescription": "newer"])
        #expect(merged([older, newer]).0.alwaysAndWhenInUseUsageDescription == "newer")
        #expect(merged([newer, older]).0.alwaysAndWhenInUseUsageDescription == "newer")
    }

    @Test(
        "that may not be is told with its key, place, reason and what is allowed, and the next place counts",
        arguments: [
            ("NSLocationWhenInUseUsageDescription", "to \u{1B}[2J draw", "control", "text without control"),
            ("NSLocationAlwaysAndWhenInUseUsageDescription", "a\u{202E}b", "bidirectional", "text without control"),
            ("CFBundleIdentifier", String(repeating: "x", count: 129), "129 bytes", "1 to 128 bytes"),
            ("NSLocationTemporaryUsageDescriptionDictionary", "{", "it is a string", "dictionary of strings"),
            (
                "NSLocationTemporaryUsageDescriptionDictionary", #"{"Summit":"\u0007"}"#, "Summit",
                "text without control"
            ),
            ("NSLocationTemporaryUsageDescriptionDictionary", #"{"":"x"}"#, "purpose key", "1 to 128 bytes"),
            ("NSLocationDefaultAccuracyReduced", "perhaps", "it is a string", "YES or NO"),
        ])
    func refused(key: String, text: String, reason: String, allowed: String) {
        let (info, problems) = merged([DeclaringPlace(environment: [key: text])])
        #expect(info == CLApplicationInfo())
        #expect(problems.count == 1)
        for part in [key, "the environment variable", reason, allowed] {
            #expect(problems.first?.contains(part) == true, "\(part) in \(problems)")
        }
        let good = file(["NSLocationWhenInUseUsageDescription": "good"])
        #expect(merged([DeclaringPlace(environment: [key: text]), good]).0.whenInUseUsageDescription == "good")
    }

    @Test("may be as long as the daemon takes it")
    func longest() {
        let text = String(repeating: "é", count: 128)
        let (info, problems) = merged([file(["NSLocationWhenInUseUsageDescription": text])])
        #expect(info.whenInUseUsageDescription == text)
        #expect(problems.isEmpty)
    }

    @Test(
        "is called what people can see and take for no identity, as the daemon has it",
        arguments: ["uid:1000", "Unit:ssh.service", " ", "\u{2800}", "\u{200B}uid:0"])
    func identifier(refused: String) {
        let (info, problems) = merged([
            DeclaringPlace(environment: ["CFBundleIdentifier": refused]), file(["CFBundleIdentifier": "hike"]),
        ])
        #expect(info.identifier == "hike")
        #expect(problems.count == 1 && problems[0].contains("does not begin with uid: or unit:"), "\(problems)")
        // A purpose key is no name.
        let keys = merged([file(["NSLocationTemporaryUsageDescriptionDictionary": [refused: "to find it"]])])
        #expect(keys.1.isEmpty && keys.0.temporaryUsageDescriptions.count == 1)
    }

    @Test("is cut at a character where people could not be shown all of it, and that is said")
    func cut() {
        let text = String(repeating: "道", count: 101)
        let family = String(repeating: "x", count: 240) + "👨‍👩‍👧‍👦" + "y"
        let (info, problems) = merged([
            file([
                "NSLocationWhenInUseUsageDescription": text, "NSLocationAlwaysAndWhenInUseUsageDescription": "short",
                "NSLocationTemporaryUsageDescriptionDictionary": ["Summit": family],
            ])
        ])
        #expect(info.whenInUseUsageDescription == String(repeating: "道", count: 84) + "…")
        #expect(info.alwaysAndWhenInUseUsageDescription == "short")
        #expect(info.temporaryUsageDescriptions == ["Summit": String(repeating: "x", count: 240) + "…"])
        #expect(problems.count == 2)
        for (key, problem) in zip(
            ["NSLocationTemporaryUsageDescriptionDictionary", "NSLocationWhenInUseUsageDescription"], problems.sorted())
        {
            #expect(problem.hasPrefix(key) && problem.contains("is cut"), "\(problem)")
        }
    }

    @Test("of a wrong type in a property list is told")
    func wrongTypes() {
        let (info, problems) = merged([
            file([
                "CFBundleIdentifier": ["a"], "UIBackgroundModes": "location",
                "NSLocationDefaultAccuracyReduced": "YES", "NSLocationAlwaysUsageDescription": Date(),
            ])
        ])
        #expect(info == CLApplicationInfo())
        #expect(problems.count == 4)
    }

    @Test("and lacks for a request is named, with where to put it")
    func complaints() throws {
        let nothing = CLApplicationInfo()
        #expect(nothing.missingKeys(for: .whenInUse) == [.whenInUse])
        #expect(nothing.missingKeys(for: .always) == [.always, .whenInUse])
        #expect(nothing.missingKeys(for: .temporaryFullAccuracy(purposeKey: "Summit")) == [.temporary])
        let always = try #require(nothing.complaint(about: .always))
        #expect(always.contains("NSLocationAlwaysAndWhenInUseUsageDescription and NSLocationWhenInUseUsageDescription"))
        #expect(always.contains("-Info.plist"))
        let summit = try #require(nothing.complaint(about: .temporaryFullAccuracy(purposeKey: "Summit")))
        #expect(summit.contains(#"NSLocationTemporaryUsageDescriptionDictionary["Summit"]"#))
        let all = CLApplicationInfo(
            whenInUseUsageDescription: "a", alwaysAndWhenInUseUsageDescription: "b",
            temporaryUsageDescriptions: ["Summit": "c"])
        #expect(all.complaint(about: .whenInUse) == nil)
        #expect(all.complaint(about: .always) == nil)
        #expect(all.complaint(about: .temporaryFullAccuracy(purposeKey: "Summit")) == nil)
        #expect(all.complaint(about: .temporaryFullAccuracy(purposeKey: "Lake")) != nil)
    }
}

@Suite("A program's property lists")
struct ApplicationFilesTests {
    private static func plist(_ text: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>NSLocationWhenInUseUsageDescription</key><string>\(text)</string></dict></plist>
        """
    }

    private func read(_ directory: TemporaryDirectory) -> (texts: [DeclaredValue], problems: [String]) {
        var problems: [String] = []
        let places = ApplicationFiles(executable: directory.file("hike")).places(problems: &problems)
        return (places.compactMap { $0.values[.whenInUse]?.value }, problems)
    }

    @Test("are beside the executable and in its resource bundle, in this order")
    func places() throws {
        let directory = try TemporaryDirectory()
        #expect(read(directory).texts.isEmpty)
        for bundle in ["App_hike.resources", "App_hike.resources/Resources", "App_other.resources"] {
            try FileManager.default.createDirectory(
                atPath: directory.file(bundle), withIntermediateDirectories: true)
            try directory.write(Self.plist(bundle), to: "\(bundle)/Info.plist")
        }
        try directory.write(Self.plist("beside"), to: "Info.plist")
        try directory.write(Self.plist("own"), to: "hike-Info.plist")
        let (texts, problems) = read(directory)
        #expect(problems.isEmpty)
        #expect(
            texts
                == ["own", "beside", "App_hike.resources", "App_hike.resources/Resources"].map(DeclaredValue.text))
    }

    @Test(
        "that cannot be read are told with path and reason, and do no more harm",
        arguments: [
            ("not a property list at all {{{", "it is no property list"),
            ("<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>a</key>", "it is no property list"),
            ("", "it is no property list"),
            (
                "<?xml version=\"1.0\"?><plist version=\"1.0\"><array><string>a</string></array></plist>",
                "it is no dictionary"
            ),
            (String(repeating: "x", count: 1 << 20 + 1), "1048576 are allowed"),
        ])
    func malformed(text: String, reason: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write(text, to: "Info.plist")
        try directory.write(Self.plist("good"), to: "hike-Info.plist")
        let (texts, problems) = read(directory)
        #expect(texts == [.text("good")])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("cannot read \(directory.file("Info.plist")): ") == true, "\(problems)")
        #expect(problems.first?.contains(reason) == true, "\(problems)")
    }

    @Test("that are directories are told")
    func directory() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.file("Info.plist"), withIntermediateDirectories: true)
        let (texts, problems) = read(directory)
        #expect(texts.isEmpty)
        #expect(problems.count == 1)
    }

    @Test("damaged anywhere never crash the program")
    func damaged() throws {
        var random = SplitMix64()
        let sound: [[UInt8]] = [
            Array(Self.plist("to draw").utf8),
            Array(
                try PropertyListSerialization.data(
                    fromPropertyList: [
                        "NSLocationWhenInUseUsageDescription": "to draw", "UIBackgroundModes": ["location"],
                    ],
                    format: .binary, options: 0)),
        ]
        let directory = try TemporaryDirectory()
        for bytes in sound {
            for _ in 0..<200 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    damaged[Int.random(in: damaged.indices, using: &random)] = .random(
                        in: .min ... .max, using: &random)
                }
                try directory.write(damaged.prefix(Int.random(in: 1...damaged.count, using: &random)), to: "Info.plist")
                let (texts, problems) = read(directory)
                #expect(texts.count + problems.count <= 1, "\(random)")
            }
        }
    }

    @Test("of an executable that is not known are none")
    func unknownExecutable() {
        #expect(ApplicationFiles(executable: nil).candidates().isEmpty)
        #expect(ApplicationFiles.standard.executable?.hasPrefix("/") == true)
    }
}

@Suite("A process's declaration")
struct ApplicationInfoStoreTests {
    private final class Places: Sendable {
        let reads = Atomic(0)
        let reports = Mutex<[String]>([])
        let variables: [String: String]

        init(_ variables: [String: String] = [:]) { self.variables = variables }

        func store() -> ApplicationInfoStore {
            ApplicationInfoStore(
                environment: {
                    self.reads.add(1, ordering: .relaxed)
                    return self.variables
                },
                files: { ApplicationFiles(executable: nil) },
                mainBundle: { ["CFBundleIdentifier": "main"] },
                report: { line in self.reports.withLock { $0.append(line) } })
        }
    }

    @Test("is read once, when first asked for, by whichever thread")
    func once() async {
        let places = Places(["NSLocationWhenInUseUsageDescription": "to draw"])
        let store = places.store()
        #expect(places.reads.load(ordering: .relaxed) == 0)
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { store.current.whenInUseUsageDescription } }
            for await text in group { #expect(text == "to draw") }
        }
        #expect(places.reads.load(ordering: .relaxed) == 1)
        #expect(store.current.identifier == "main")
        #expect(store.current.origins[.identifier] == .mainBundle)
    }

    @Test("in code comes before everything else, and only before the first use")
    func declare() throws {
        let places = Places(["LOCATIOND_APP": "environment"])
        let store = places.store()
        try store.declare(CLApplicationInfo(identifier: "code"))
        #expect(store.current.identifier == "code")
        #expect { try store.declare(CLApplicationInfo(identifier: "late")) } throws: { error in
            "\(error)".contains("in use already")
        }
        #expect(store.current.identifier == "code")
    }

    @Test("in code that may not be is refused with its key, and leaves the one before")
    func refused() throws {
        let store = Places().store()
        try store.declare(CLApplicationInfo(identifier: "code"))
        #expect { try store.declare(CLApplicationInfo(whenInUseUsageDescription: "a\u{7}b")) } throws: { error in
            error.localizedDescription.contains("cannot declare NSLocationWhenInUseUsageDescription: it is a text with")
        }
        #expect(store.current.identifier == "code")
        #expect(store.current.whenInUseUsageDescription == nil)
    }

    @Test("tells what is wrong with the places once")
    func reports() {
        let places = Places(["NSLocationWhenInUseUsageDescription": "\u{7}"])
        let store = places.store()
        _ = store.current
        _ = store.current
        #expect(places.reports.withLock { $0.count } == 1)
    }
}
