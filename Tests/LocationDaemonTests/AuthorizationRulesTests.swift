// SPDX-License-Identifier: Apache-2.0
import ConfigurationReading
import LocationModel
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("What an app may do while nobody decided")
struct AuthorizationRulesTests {
    @Test("as shipped root and the group locationd are authorized always, everyone else is asked")
    func shipped() throws {
        for text in ["", "[Authorization]\n", "[Authorization]\nDefault=\n", "[Authorization]\nDefaultAccuracy=full\n"]
        {
            let rules = try configuration(of: text).authorization
            #expect(rules.decision(for: subject(0)) == decision(.authorizedAlways, "AlwaysUsers"))
            #expect(
                rules.decision(for: subject(1000, groups: ["locationd"])) == decision(.authorizedAlways, "AlwaysGroups")
            )
            #expect(rules.decision(for: subject(1000, groups: ["users"])) == decision(.notDetermined, "Default"))
            #expect(rules.decision(for: subject(1, service: "a.service")) == decision(.notDetermined, "Default"))
        }
    }

    @Test(
        "a file that sets Default means root, too, unless it names the users that are authorized always",
        arguments: [
            ("ask", AuthorizationStatus.notDetermined), ("notDetermined", .notDetermined), ("denied", .denied),
            ("restricted", .restricted), ("authorizedAlways", .authorizedAlways),
            ("authorizedWhenInUse", .authorizedWhenInUse),
        ])
    func explicitDefault(word: String, status: AuthorizationStatus) throws {
        let alone = try configuration(of: "[Authorization]\nDefault=\(word)").authorization
        for uid in [UInt32(0), 1000] { #expect(alone.decision(for: subject(uid)) == decision(status, "Default")) }
        #expect(
            alone.decision(for: subject(5, groups: ["locationd"])) == decision(.authorizedAlways, "AlwaysGroups"))
        let both = try configuration(of: "[Authorization]\nAlwaysUsers=root\nDefault=\(word)").authorization
        #expect(both.decision(for: subject(0)) == decision(.authorizedAlways, "AlwaysUsers"))
        #expect(both.decision(for: subject(1000)) == decision(status, "Default"))
        let takenBack = try configuration(of: "[Authorization]\nDefault=\(word)\nDefault=").authorization
        #expect(takenBack == Configuration().authorization)
    }

    @Test("the most specific rule counts: unit, user, group, default")
    func specific() throws {
        let rules = try configuration(
            of: """
                [Authorization]
                Default=restricted
                AlwaysUnits=log*.service
                DeniedUnits=evil.service
                WhenInUseUnits=map
                DeniedUsers=bob 7
                AlwaysUsers=carol root
                WhenInUseGroups=plugdev 100
                DeniedGroups=guests
                """
        ).authorization
        let cases: [(AuthorizationSubject, AuthorizationStatus, String)] = [
            (subject(7, service: "logger.service"), .authorizedAlways, "AlwaysUnits"),
            (subject(0, service: "evil.service"), .denied, "DeniedUnits"),
            (subject(7, service: "map.service"), .authorizedWhenInUse, "WhenInUseUnits"),
            (subject(7, service: "other.service"), .denied, "DeniedUsers"),
            (subject(1001, name: "bob", groups: ["plugdev"]), .denied, "DeniedUsers"),
            (subject(1002, name: "carol", groups: ["guests"]), .authorizedAlways, "AlwaysUsers"),
            (subject(0), .authorizedAlways, "AlwaysUsers"),
            (subject(1003, name: "dave", groups: ["100"]), .authorizedWhenInUse, "WhenInUseGroups"),
            (subject(1003, name: "dave", groups: ["plugdev", "guests"]), .denied, "DeniedGroups"),
            (subject(1003, name: "dave"), .restricted, "Default"), (subject(70), .restricted, "Default"),
        ]
        for (subject, status, key) in cases { #expect(rules.decision(for: subject) == decision(status, key)) }
    }

    @Test("of two rules of the same kind the one that allows less counts")
    func less() throws {
        let text = "[Authorization]\nAlwaysUsers=a b c\nWhenInUseUsers=b c\nDeniedUsers=c\n"
        let rules = try configuration(of: text).authorization
        #expect(rules.decision(for: subject(1, name: "a")).status == .authorizedAlways)
        #expect(rules.decision(for: subject(1, name: "b")).status == .authorizedWhenInUse)
        #expect(rules.decision(for: subject(1, name: "c")).status == .denied)
    }

    @Test("a service of a user's own manager is granted nothing by its name, but may be denied by it")
    func usersOwn() throws {
        let text = "[Authorization]\nAlwaysUnits=a.service\nWhenInUseUnits=b.service\nDeniedUnits=c.service\n"
        let rules = try configuration(of: text).authorization
        for name in ["a.service", "b.service"] {
            #expect(rules.decision(for: subject(5, service: name, isSystem: false)).status == .notDetermined)
            #expect(rules.decision(for: subject(5, service: name)).status != .notDetermined)
        }
        #expect(rules.decision(for: subject(5, service: "c.service", isSystem: false)).status == .denied)
    }

    @Test("a manifest's own default comes before all rules, member by member")
    func manifest() throws {
        let rules = try configuration(of: "[Authorization]\nDeniedUsers=5\nDefaultAccuracy=reduced").authorization
        var manifest = AppManifest(identifier: "x")
        #expect(rules.decision(for: subject(5), manifest: manifest).status == .denied)
        manifest.defaultAccuracy = .full
        #expect(
            rules.decision(for: subject(6), manifest: manifest) == decision(.notDetermined, "Default"))
        manifest.defaultStatus = .authorizedWhenInUse
        let found = rules.decision(for: subject(5), manifest: manifest)
        #expect(found.status == .authorizedWhenInUse && found.accuracy == .full && found.rule == "the app's manifest")
    }

    @Test("an absent app is judged by its user, its user's groups and the unit that it was seen as")
    func absent() throws {
        let text = "[Authorization]\nDefault=denied\nWhenInUseGroups=0\nAlwaysUnits=a.service\n"
        let rules = try configuration(of: text).authorization
        func status(_ uid: UInt32, _ name: String?, isSystem: Bool) -> AuthorizationStatus {
            let identity = PeerIdentity(uid: uid, name: name)
            return rules.decision(for: AuthorizationSubject(absent: identity, isSystemService: isSystem)).status
        }
        #expect(status(0, nil, isSystem: false) == .authorizedWhenInUse)
        #expect(status(4_000_000_001, nil, isSystem: true) == .denied)
        #expect(status(4_000_000_001, "unit:a.service", isSystem: true) == .authorizedAlways)
        #expect(status(4_000_000_001, "unit:a.service", isSystem: false) == .denied)
        #expect(status(4_000_000_001, "app:a.service", isSystem: true) == .denied)
    }

    @Test("an absent app whose manifest names units is judged by the one that is allowed least, by none of a pattern")
    func absentUnits() throws {
        let text =
            "[Authorization]\nDefault=ask\nAlwaysUnits=a.service c.service\nWhenInUseUnits=b.service\nDeniedUnits=d.service\n"
        let rules = try configuration(of: text).authorization
        func status(_ names: String, isSystem: Bool = true) throws -> AuthorizationStatus {
            var manifest = AppManifest(identifier: "x")
            manifest.units = try names.split(separator: " ").map { try #require(UnitPattern($0)) }
            var subject = subject(5, isSystem: isSystem)
            subject.possibleServices = manifest.services
            return rules.decision(for: subject, manifest: manifest).status
        }
        #expect(try status("a") == .authorizedAlways)
        #expect(try status("a c") == .authorizedAlways)
        #expect(try status("a b") == .authorizedWhenInUse)
        #expect(try status("b other a") == .notDetermined)
        #expect(try status("a d") == .denied)
        #expect(try status("a*") == .notDetermined)
        #expect(try status("a", isSystem: false) == .notDetermined)
        #expect(try status("d", isSystem: false) == .denied)
    }

    @Test("lists that contradict their neighbours are told")
    func together() {
        #expect(
            configurationProblems("[Regions]\nCushionMinimumMeters=300")
                == ["cannot use test.conf:2: CushionMinimumMeters=300 is more than CushionMaximumMeters=200"])
        #expect(
            configurationProblems("[Visits]\nDepartureMeters=50")
                == ["cannot use test.conf:2: RadiusMeters=100 is more than DepartureMeters=50"])
    }

    private func subject(
        _ uid: UInt32, name: String? = nil, service: String? = nil, isSystem: Bool = true, groups: [String] = []
    ) -> AuthorizationSubject {
        AuthorizationSubject(
            uid: uid, userName: name, service: service, isSystemService: isSystem, isMember: { groups.contains($0) })
    }

    private func decision(_ status: AuthorizationStatus, _ key: String) -> DefaultDecision {
        DefaultDecision(
            status: status, accuracy: .full, rule: "[Authorization] \(key)=", isAboutTheApp: key.hasSuffix("Units"))
    }
}
