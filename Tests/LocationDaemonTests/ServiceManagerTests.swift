// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

private func at(_ seconds: Double) -> BootInstant { BootInstant(nanoseconds: 0) + .seconds(seconds) }

@Suite("What systemctl status shows")
struct StatusLineTests {
    @Test(
        "is what every client is told: gpsd, connections, services that are off, and what is wrong with the state",
        arguments: [
            (StatusLine.Content(isGPSDConnected: true, connections: 3), "gpsd connected; 3 connections"),
            (StatusLine.Content(isGPSDConnected: false, connections: 1), "gpsd not connected; 1 connection"),
            (
                StatusLine.Content(areServicesEnabled: false, isGPSDConnected: true, connections: 0),
                "location services are off; gpsd connected; 0 connections"
            ),
            (
                StatusLine.Content(isGPSDConnected: true, connections: 0, problems: ["cannot write a:\nfull", "b"]),
                "gpsd connected; 0 connections; cannot write a: full; b"
            ),
        ])
    func text(content: StatusLine.Content, expected: String) { #expect(content.text == expected) }

    @Test("what stays the same is told once")
    func told() {
        var line = StatusLine()
        #expect(line.next(at: at(0)) { content(3) } != nil)
        #expect(line.next(at: at(10)) { content(3) } == nil)
        #expect(line.dueAt == nil)
    }

    @Test("changes are told once a second at the most, and none is forgotten")
    func often() {
        var line = StatusLine()
        #expect(line.next(at: at(0)) { content(1) } != nil)
        #expect(line.next(at: at(0.5)) { content(2) } == nil)
        #expect(line.dueAt == at(1))
        #expect(line.next(at: at(1)) { content(2) } == "gpsd connected; 2 connections")
        #expect(line.dueAt == nil)
    }

    private func content(_ connections: Int) -> StatusLine.Content {
        StatusLine.Content(isGPSDConnected: true, connections: connections)
    }
}

@Suite("Ending when idle")
struct IdleExitTests {
    @Test("an idle daemon ends after the configured time")
    func ends() {
        var exit = IdleExit()
        #expect(exit.look(at: at(5), limit: .seconds(10)) { true } == at(15))
        #expect(exit.look(at: at(14), limit: .seconds(10)) { true } == at(15))
        #expect(exit.look(at: at(16), limit: .seconds(10)) { true } == at(16))
    }

    @Test("the time counts anew from the last client")
    func interrupted() {
        var exit = IdleExit()
        #expect(exit.look(at: at(0), limit: .seconds(10)) { true } == at(10))
        #expect(exit.look(at: at(9), limit: .seconds(10)) { false } == nil)
        #expect(exit.look(at: at(12), limit: .seconds(10)) { true } == at(22))
    }

    @Test("without a time it never ends")
    func never() {
        var exit = IdleExit()
        #expect(exit.look(at: at(0), limit: .zero) { true } == nil)
    }
}

@Suite("The journal's message ids")
struct JournalEventTests {
    /// One of each kind; a new kind does not compile until it stands here.
    private static let all: [JournalEvent] = {
        let first: JournalEvent = .gpsdConnected(address: "a")
        switch first {
        case .gpsdConnected, .gpsdLost, .receiverFound, .receiverLost, .consentRequested, .consentChanged,
            .servicesSwitched, .useStarted, .useEnded, .clientClosed, .clientRefused, .userHeldBack, .appWoken,
            .storeFailed, .storeRepaired, .configurationReloaded, .configurationRefused, .serviceRefused:
            break
        }
        return [
            first, .gpsdLost(address: "a", reason: "r"), .receiverFound(path: "p"), .receiverLost(path: "p"),
            .consentRequested(app: "a", level: "l", request: 1), .consentChanged(app: "a", consent: "c", decider: "d"),
            .servicesSwitched(areEnabled: true, decider: "d"), .useStarted(app: "a"), .useEnded(app: "a"),
            .clientClosed(pid: 1, uid: 2, reason: "r"), .clientRefused(pid: 1, uid: 2, reason: "r"),
            .userHeldBack(uid: 2, connections: 3), .appWoken(app: "a"), .storeFailed(reason: "r"), .storeRepaired,
            .configurationReloaded, .configurationRefused(reason: "r"),
            .serviceRefused(reason: "r"),
        ]
    }()

    @Test("are different, and 128 bits each")
    func ids() {
        #expect(Set(JournalEventTests.all.map(\.messageID)).count == 18)
        for event in JournalEventTests.all {
            #expect(event.messageID.count == 32)
            #expect(event.messageID.allSatisfy { "0123456789abcdef".contains($0) })
        }
    }

    @Test("stand in the catalog, each with an explanation that uses no field but its own")
    func catalog() throws {
        let root = try BuildProducts.packageDirectory()
        let text = String(decoding: try readFile("\(root)/systemd/locationd.catalog"), as: UTF8.self)
        var entries: [String: String] = [:]
        for entry in text.split(separator: "\n-- ").dropFirst() {
            entries[String(entry.prefix(32))] = String(entry.dropFirst(32))
        }
        #expect(Set(entries.keys) == Set(JournalEventTests.all.map(\.messageID)))
        for event in JournalEventTests.all {
            let entry = entries[event.messageID] ?? ""
            let used = entry.split(separator: "@").filter { $0.hasPrefix("LOCATIOND_") && !$0.contains(" ") }
            #expect(Set(used.map(String.init)).isSubset(of: event.fields.map(\.name)), "\(event)")
            #expect(entry.contains("Subject: ") && entry.contains("Defined-By: locationd"))
        }
    }
}
