// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocctlCommands
import Testing

@Suite("The screen of status")
struct StatusTextTests {
    @Test(
        "the screen of a state is as it was agreed",
        arguments: [
            ("working", Sample.working()), ("gpsd-absent", Sample.withoutGPSD()),
            ("no-receiver", Sample.withoutReceiver()), ("no-fix", Sample.withoutFix()),
            ("sleeping", Sample.sleeping()), ("denied", Sample.denied()), ("idle", Sample.idle()),
            ("many-clients", Sample.crowded()), ("resting", Sample.resting()),
            ("services-off", Sample.working { $0.locationServicesEnabled = false }),
        ])
    func screen(_ name: String, _ status: Status) throws {
        try Golden.expect(StatusText.screen(status, now: lookedAt, .utc), "status-\(name)")
    }

    @Test("who waits for a decision is counted, with the command that shows them")
    func prompts() {
        let screen = StatusText.screen(Sample.working(), prompts: 2, now: lookedAt, .utc)
        #expect(screen.contains("\nwaiting   2 apps for a decision: `locctl requests`\n"))
        #expect(!StatusText.screen(Sample.working(), now: lookedAt, .utc).contains("decision"))
    }

    @Test("that gpsd tells everybody is said while it is so")
    func openGPSD() {
        let screen = StatusText.screen(Sample.working { $0.gpsd.openToAll = true }, now: lookedAt, .utc)
        #expect(screen.contains("\nprivacy   every program here can have the location from gpsd itself, whatever is"))
        for isOpen in [false, nil] {
            #expect(
                !StatusText.screen(Sample.working { $0.gpsd.openToAll = isOpen }, now: lookedAt, .utc).contains(
                    "privacy"))
        }
    }

    @Test("why a service does not run is a sentence, also of services whose names are plural")
    func states() {
        let status = Sample.working {
            $0.managers?[0].services = [
                .init(service: .standard, state: .denied, reason: "it was decided"),
                .init(service: .liveUpdates, state: .denied), .init(service: .significantChange, state: .denied),
                .init(service: .request, state: .waitingForAuthorization),
                .init(service: .heading, state: .unavailable),
            ]
        }
        let screen = StatusText.screen(status, now: lookedAt, .utc)
        #expect(screen.contains("        standard updates are denied: it was decided\n"))
        #expect(screen.contains("        live updates are denied\n"))
        #expect(screen.contains("        significant changes are denied\n"))
        #expect(screen.contains("        one location waits for a decision\n"))
        #expect(screen.contains("        headings are not available\n"))
    }

    @Test(
        "programs that hear beacons are shown with what they are asked for",
        arguments: [
            (WantedBeacons(), "nobody wants any"), (WantedBeacons(any: true), "all are ranged"),
            (WantedBeacons(uuids: ["A", "B"], onlyMonitored: true), "those of A, B are monitored"),
        ])
    func ears(wanted: WantedBeacons, words: String) {
        let screen = StatusText.screen(
            Sample.working { $0.managers?[0].beaconsWanted = wanted }, now: lookedAt, .utc)
        #expect(screen.contains("        hears beacons: \(words)\n"))
    }

    @Test("users are shown with their names, and names that are too long whole")
    func names() {
        let status = Sample.working { status in
            status.managers?[0].app = nil
            status.managers?[0].user = "alice"
            var long = Sample.client(4, app: nil)
            long.identity = "user-unit:a-logger-with-a-very-long-name.service uid:1000"
            status.managers?.append(long)
        }
        let screen = StatusText.screen(status, now: lookedAt, .utc)
        #expect(screen.contains("    3 uid:1000 (alice)"))
        #expect(screen.contains("\n      user-unit:a-logger-with-a-very-long-name.service uid:1000\n"))
    }

    @Test("whoever is held back is named, with the number that closes its connection")
    func heldBack() {
        let status = Sample.working {
            $0.connections = ConnectionsStatus(
                total: 9, limit: 1024, refused: 1200,
                users: [
                    .init(uid: 1000, connections: 1),
                    .init(uid: 1001, connections: 8, waitingForTurn: 6, notReading: 1),
                ],
                clients: (1...6).map { .init(connection: $0, pid: 77, uid: 1001, age: 9, waitingForTurn: 3) } + [
                    .init(connection: 7, uid: 1001, identity: "uid:1001", age: 9, notReading: 12),
                    .init(connection: 8, pid: 78, uid: 1001, age: 40),
                    .init(connection: 9, pid: 1203, uid: 1000, identity: "uid:1000", age: 50),
                ])
        }
        let screen = StatusText.screen(status, now: lookedAt, .utc).replacing("\n          ", with: " ")
        #expect(screen.contains("9 connections of at most 1,024, 1,200 refused"))
        #expect(
            screen.contains(
                " user 1001: 8 connections, requests of 6 wait until others had their turn, output of 1 is not read #1:"
            ))
        #expect(screen.contains("#1: process 77 of user 1001 asks for more than its share, for 3.0 s"))
        #expect(screen.contains("and 2 more like it"))
        #expect(screen.contains("#7: user 1001 has not read for 12 s"))
        #expect(
            screen.contains("#8: process 78 of user 1001 has asked for nothing that depends on who it is, for 40 s"))
        #expect(!screen.contains("#9:") && !screen.contains("user 1000:"))
    }

    @Test("a receiver whose clock stands still is named in place of its fix")
    func standingClock() {
        let screen = StatusText.screen(Sample.working { $0.receivers?[0].repeatsTime = true }, now: lookedAt, .utc)
        let words = screen.replacing("\n          ", with: " ")
        #expect(words.contains("it repeats its time, so that its fixes are not taken, 9 of 14 satellites"), "\(screen)")
        #expect(!words.contains("3D fix"))
    }

    @Test("the connection that only asks is not shown")
    func ownProcess() {
        let screen = StatusText.screen(Sample.working(), now: lookedAt, .utc, ownProcess: 1203)
        #expect(!screen.contains("1203"))
    }

    @Test("colours come only where they are wanted")
    func colors() {
        let plain = StatusText.screen(Sample.working(), now: lookedAt, .utc, Style(usesColor: false))
        let colored = StatusText.screen(Sample.working(), now: lookedAt, .utc, Style(usesColor: true))
        #expect(!plain.contains("\u{1B}"))
        #expect(colored.contains("\u{1B}[32mLocations come"))
    }

    @Test("names from outside cannot command the terminal")
    func hostileNames() {
        let status = Sample.working {
            $0.receivers?[0].path = "/dev/\u{1B}[2Jtty"
            $0.managers?[0].app = "evil\u{202E}\u{7}"
            $0.gpsd.lastError = "\u{1B}]0;title"
            $0.daemon.version = "1\u{9B}31m"
        }
        let screen = StatusText.screen(status, now: lookedAt, .utc)
        let isHarmless = screen.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 32 && $0.value != 0x9B) }
        #expect(isHarmless && !screen.unicodeScalars.contains("\u{202E}"))
    }

    @Test("numbers without end are shown and stop nothing")
    func absurdNumbers() {
        let status = Sample.working {
            $0.daemon.uptime = 1e300
            $0.receivers?[0].fixAge = -5
            $0.receivers?[0].rate = .greatestFiniteMagnitude
            $0.power?.on = false
            $0.power?.nextOn = 1e300
            $0.managers?[0].deferral = .init(number: .max, held: .max, distanceLeft: 1e300, timeLeft: 1e300)
            $0.managers?[0].delivered = .max
        }
        #expect(StatusText.screen(status, now: lookedAt, .utc).contains("locationd 0.1.0"))
    }
}
