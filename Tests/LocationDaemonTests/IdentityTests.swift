// SPDX-License-Identifier: Apache-2.0
import SystemSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("An identity")
struct IdentityTests {
    private static let session = "/user.slice/user-7.slice"
    private static let ownManager = "/user.slice/user-7.slice/user@7.service"
    private static let own = "\(ownManager)/app.slice"

    @Test(
        "is the service of the unit that systemd would name, else its application, else the user",
        arguments: [
            (nil, "uid:7"), ("", "uid:7"), ("/", "uid:7"), ("/init.scope", "uid:7"),
            ("\(session)/session-2.scope", "uid:7"), ("/system.slice", "uid:7"), ("/x", "uid:7"),
            ("/system.slice/gpxlogger.service", "unit:gpxlogger.service uid:7"),
            ("/gpxlogger.service", "unit:gpxlogger.service uid:7"),
            ("/system.slice/system-getty.slice/getty@tty1.service/x", "unit:getty@tty1.service uid:7"),
            ("/system.slice/getty@.service", "uid:7"), ("/system.slice/@a.service", "uid:7"),
            ("/system.slice/.service", "uid:7"), ("/system.slice/run-u5.service", "uid:7"),
            ("/system.slice/gpsd.socket", "uid:7"), ("/system.slice/a b.service", "uid:7"),
            ("/system.slice/a\u{1B}[1m\u{202E}.service", "uid:7"),
            ("/system.slice/_cpu.service", "unit:cpu.service uid:7"),
            ("/system.slice/user@bob.service/mine.service", "unit:user@bob.service uid:7"),
            ("/user.slice/user-7.slice/user-runtime-dir@7.service", "unit:user-runtime-dir@7.service uid:7"),
            ("\(own)/mine.service", "user-unit:mine.service uid:7"),
            ("\(own)/app-a.slice/mine@1.service", "user-unit:mine@1.service uid:7"),
            ("\(own)/run-u5.service", "uid:7"), (ownManager, "uid:7"), ("\(ownManager)/init.scope", "uid:7"),
            ("\(own)/app-gnome-org.gnome.Maps-4711.scope", "app:org.gnome.Maps uid:7"),
            ("\(own)/app-org.gnome.Maps-4711.scope", "app:org.gnome.Maps uid:7"),
            ("\(own)/app-flatpak-a\\x2db-1.scope", "app:a-b uid:7"), ("\(own)/app-x.scope", "uid:7"),
        ])
    func derived(cgroup: String?, description: String) {
        #expect(PeerIdentity(uid: 7, cgroup: cgroup).description == description)
    }

    @Test(
        "is never what somebody below a unit calls his groups",
        arguments: [
            // A service with Delegate=yes, a runner of containers.
            ("/system.slice/ci.service/gpxlogger.service", "unit:ci.service uid:7"),
            ("/system.slice/ci.service/system.slice/gpxlogger.service", "unit:ci.service uid:7"),
            ("/system.slice/ci.service/app-gnome-org.gnome.Maps-1.scope", "unit:ci.service uid:7"),
            ("/system.slice/ci.service/user@7.service/app.slice/mine.service", "unit:ci.service uid:7"),
            ("/system.slice/run-u5.service/gpxlogger.service", "uid:7"),
            ("/system.slice/run-u5.service/app-a-1.scope", "uid:7"),
            // Machines.
            ("/machine.slice/machine-a.scope/payload/system.slice/gpxlogger.service", "uid:7"),
            (
                "/machine.slice/systemd-nspawn@a.service/payload/system.slice/gpxlogger.service",
                "unit:systemd-nspawn@a.service uid:7"
            ),
            ("/machine.slice/systemd-nspawn@a.service/supervisor", "unit:systemd-nspawn@a.service uid:7"),
            // Containers, by systemd's driver and by the other one, and in a pod of slices.
            ("/system.slice/docker-0123abcd.scope/system.slice/gpxlogger.service", "uid:7"),
            ("/docker/0123abcd/system.slice/gpxlogger.service", "uid:7"),
            ("/kubepods.slice/kubepods-pod1.slice/cri-containerd-1.scope/gpxlogger.service", "uid:7"),
            // What is outside of our own namespace.
            ("/../system.slice/gpxlogger.service", "uid:7"), ("/../../gpxlogger.service", "uid:7"),
            // A login, and what a user's own manager left to a unit of the user.
            ("\(session)/session-2.scope/gpxlogger.service", "uid:7"),
            ("\(own)/mine.service/other.service", "user-unit:mine.service uid:7"),
            ("\(own)/mine.service/app-a-1.scope", "user-unit:mine.service uid:7"),
            ("\(own)/app-a-1.scope/other.service", "app:a uid:7"),
            ("\(own)/x/other.service", "uid:7"),
            ("\(own)/user@8.service/other.service", "user-unit:user@8.service uid:7"),
            // What another user's manager started: its names are that user's choice.
            ("/user.slice/user-8.slice/user@8.service/app.slice/mine.service", "uid:7"),
            ("/user.slice/user-8.slice/user@8.service/app.slice/app-a-1.scope", "uid:7"),
        ])
    func delegated(cgroup: String, description: String) {
        #expect(PeerIdentity(uid: 7, cgroup: cgroup).description == description)
    }

    @Test("knows what the system's manager runs from what a user's runs")
    func managers() {
        #expect(ControlGroup(path: "/system.slice/a.service").isSystem)
        #expect(ControlGroup(path: "/system.slice/a.service/user@5.service/b.service").isSystem)
        #expect(!ControlGroup(path: "\(IdentityTests.own)/a.service").isSystem)
        #expect(!ControlGroup(path: "/machine.slice/user@5.service/a.service").isSystem)
        #expect(ControlGroup(path: "\(IdentityTests.own)/a.service").userManager == 7)
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
