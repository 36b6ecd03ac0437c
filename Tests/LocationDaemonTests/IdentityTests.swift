// SPDX-License-Identifier: Apache-2.0
import SystemSupport
import Testing

@testable import LocationDaemon

@Suite("An identity")
struct IdentityTests {
    private static let session = "/user.slice/user-1000.slice"
    private static let own = "/user.slice/user-1000.slice/user@1000.service/app.slice"

    @Test(
        "is the innermost service, else the application, else the user",
        arguments: [
            (nil, "uid:7"), ("/", "uid:7"), ("\(session)/session-2.scope", "uid:7"),
            ("/system.slice/gpxlogger.service", "unit:gpxlogger.service uid:7"),
            ("/system.slice/outer.service/inner.service/leaf", "unit:inner.service uid:7"),
            ("\(own)/mine.service", "user-unit:mine.service uid:7"), ("\(own)/run-u5.service", "uid:7"),
            ("/system.slice/run-u5.service", "uid:7"), (String(own.dropLast(10)), "uid:7"),
            ("\(own)/app-gnome-org.gnome.Maps-4711.scope", "app:org.gnome.Maps uid:7"),
            ("\(own)/app-org.gnome.Maps-4711.scope", "app:org.gnome.Maps uid:7"),
            ("\(own)/app-flatpak-a\\x2db-1.scope", "app:a-b uid:7"), ("\(own)/app-x.scope", "uid:7"),
            ("/system.slice/a\u{1B}[1m\u{202E}.service", "unit:a?[1m?.service uid:7"),
            ("/system.slice/_cpu.service", "unit:cpu.service uid:7"),
        ])
    func derived(cgroup: String?, description: String) {
        #expect(PeerIdentity(uid: 7, cgroup: cgroup).description == description)
    }

    @Test("knows what the system's manager runs from what a user's runs")
    func manager() {
        #expect(ControlGroup(path: "/system.slice/a.service").isSystem)
        #expect(!ControlGroup(path: "\(IdentityTests.own)/a.service").isSystem)
        #expect(!ControlGroup(path: "\(IdentityTests.session)/session-2.scope/a.service").isSystem)
        #expect(!ControlGroup(path: "/machine.slice/user@5.service/a.service").isSystem)
    }

    @Test("with a manifest's name is that name and the user")
    func named() { #expect(PeerIdentity(uid: 1000, name: "gpx").description == "gpx uid:1000") }

    @Test("is read from what it is written as, and with a user's name")
    func parsed() {
        let written = [
            PeerIdentity(uid: 0, name: nil), PeerIdentity(uid: .max, name: nil), PeerIdentity(uid: 5, name: "gpx"),
            PeerIdentity(uid: 5, name: "unit:a@b.service"), PeerIdentity(uid: 5, name: "app:org.gnome.Maps"),
            PeerIdentity(uid: 5, name: "unit:odd name.service"),
        ]
        for identity in written {
            #expect(PeerIdentity(parsing: identity.description, accounts: accounts) == identity)
        }
        #expect(PeerIdentity(parsing: "user:alice", accounts: accounts) == PeerIdentity(uid: 1001, name: nil))
        #expect(PeerIdentity(parsing: "gpx user:alice", accounts: accounts) == PeerIdentity(uid: 1001, name: "gpx"))
    }

    @Test(
        "is not read from anything else",
        arguments: [
            "", " ", "gpx", "uid:", "uid:-1", "uid:4294967296", "uid:x", "user:", "user:nobody-here", "alice",
            " uid:5", "gpx  uid:5", "a:b uid:5", "unit: uid:5", "app: uid:5", "uid:5 ", "uid:5 gpx", "a b uid:5",
            "gpx\u{202E} uid:5", "uid:5 uid:5", "gpx UID:5",
        ])
    func notParsed(text: String) { #expect(PeerIdentity(parsing: text, accounts: accounts) == nil) }

    @Test("this system's accounts know root by name and number")
    func system() {
        #expect(Accounts.system.uid("root") == 0 && Accounts.system.uid("17") == 17)
        #expect(Accounts.system.gid("root") == 0 && Accounts.system.uid("no-such-user-here") == nil)
        #expect(Accounts.groups(of: 0).contains(0))
        #expect(Accounts.groups(of: 4_000_000_001) == [])
    }
}

/// Two users and two groups.
let accounts = Accounts(
    user: { ["alice": 1001, "bob": 1002][$0] }, group: { ["gps": 201, "plugdev": 202][$0] })
