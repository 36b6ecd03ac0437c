// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

/// Nobody looked: the desktop is python-dbusmock's.
@Suite("locctl agent --desktop", .blocking, .enabled(if: Home.isPossible, Comment(rawValue: Home.reason)))
struct DesktopTests {
    private static let notice = RegionNotice(title: "You are home", text: "Shoes off", on: .both)

    @Test func `a crossing is shown on the desktop and acknowledged, and its app is told nothing`() throws {
        let home = try Home()
        try home.tell("arrive")
        let agent = try home.startAgent()
        try home.watch(Self.notice)
        try home.stay(at: 400)
        let shown = try home.waitUntilShown(1)
        #expect(shown[0].array?.prefix(2).compactMap(\.string) == ["house (uid:0)", "You are home"])
        // It may be a moment late, and says so then.
        #expect(shown[0].array?[2].string?.split(separator: "\n").first == "Shoes off")
        try home.waitUntilStored(0)
        #expect(shown[0].array?[5].int == 0 && shown[0].array?[6]["urgency"] == nil)
        try home.stay(at: 0)
        let second = try home.waitUntilShown(2)[1]
        #expect(second.array?[5].int == 1, "in place of the first")
        #expect(second.array?[6]["urgency"]?.int == 0 && second.array?[6]["suppress-sound"]?.int == 1)
        #expect(agent.isRunning)
    }

    @Test func `an agent that finds no locationd says once what it waits for, and goes on when it is there`() throws {
        let home = try Home()
        try home.tell("arrive")
        let later = home.directory.file("later")
        let agent = try home.startAgent(socket: later)
        try waitUntil("it says what it waits for: \(agent.standardError)") {
            agent.standardError.contains("cannot connect to \(later): ")
        }
        #expect(symlink(home.directory.file("socket"), later) == 0)
        try home.watch(Self.notice)
        try home.stay(at: 400)
        try home.waitUntilShown(1)
        #expect(agent.standardError.split(separator: "\n").count { $0.hasSuffix("; waiting for it") } == 1)
    }

    @Test
    func `what was missed is shown to an agent that comes late, with its time, over a kill of locationd, and once`()
        throws
    {
        let home = try Home()
        try home.tell("arrive")
        try home.watch(Self.notice)
        try home.stay(at: 400)
        try home.waitUntilStored(1)
        try home.restartDaemon()
        let first = try home.startAgent()
        let shown = try home.waitUntilShown(1)
        #expect(shown[0].array?[2].string?.contains("\nMissed: ") == true)
        try home.waitUntilStored(0)
        first.terminate()
        try first.waitForExit()
        let second = try home.startAgent()
        try home.stay(at: 400)
        try home.stay(at: 0)
        try home.waitUntilShown(2)
        try home.waitUntilStored(0)
        #expect(try home.waitUntilShown(2).count == 2)
        #expect(second.isRunning)
    }

    @Test func `of two agents one shows, and the other when that is gone`() throws {
        let home = try Home()
        try home.tell("arrive")
        let first = try home.startAgent()
        try home.watch(Self.notice)
        try home.stay(at: 400)
        try home.waitUntilShown(1)
        let second = try home.startAgent()
        try home.stay(at: 0)
        try home.waitUntilShown(2)
        try home.waitUntilStored(0)
        first.terminate()
        try first.waitForExit()
        try home.stay(at: 400)
        #expect(try home.waitUntilShown(3).count == 3)
        #expect(second.isRunning)
    }

    @Test func `without a screen a notice waits for one, and is not acknowledged`() throws {
        let home = try Home()
        let agent = try home.startAgent()
        try home.watch(Self.notice)
        try home.stay(at: 400)
        try waitUntil("it cannot be shown: \(agent.standardError)") { agent.standardError.contains("cannot show it") }
        try home.waitUntilStored(1)
        try home.tell("arrive")
        #expect(try home.waitUntilShown(1).count == 1)
        try home.waitUntilStored(0)
    }

    @Test func `an agent goes on with a locationd that was killed`() throws {
        let home = try Home()
        try home.tell("arrive")
        let agent = try home.startAgent()
        try home.watch(Self.notice)
        try home.stay(at: 400)
        try home.waitUntilShown(1)
        try home.waitUntilStored(0)
        try home.restartDaemon()
        try home.stay(at: 400)
        try home.stay(at: 0)
        #expect(try home.waitUntilShown(2).count == 2)
        #expect(agent.isRunning)
    }

    @Test(.enabled(if: getuid() == 0, "only root can be somebody else"))
    func `questions about apps have buttons, and nobody but the desktop presses them`() throws {
        let home = try Home()
        try home.tell("arrive")
        let agent = try home.startAgent()
        let (app, process) = try home.question()
        let shown = try home.waitUntilShown(1)
        #expect(
            shown[0].array?[3].array?.compactMap(\.string) == ["whileUsing", "Allow", "once", "Once", "deny", "Deny"])
        #expect(shown[0].array?[4].int == 0)
        #expect(shown[0].array?[6]["urgency"]?.int == 2 && shown[0].array?[6]["resident"]?.int == 0)
        try home.tell("forge 1 whileUsing")
        try home.tell("press 1 deny")
        try waitUntil("it is denied") { try home.authorization(of: app) == .denied }
        #expect(agent.isRunning && process.isRunning)
    }
}
