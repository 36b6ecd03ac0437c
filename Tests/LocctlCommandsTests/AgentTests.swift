// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("locctl agent")
struct AgentTests {
    private let run: LocctlRun

    init() throws { run = try LocctlRun() }

    /// Starts `locctl` with `line` and makes it an agent.
    private func begin(_ line: String) throws -> (locctl: ChildProcess, client: FakeDaemonClient) {
        let locctl = try run.start(line)
        let client = try run.daemon.accept()
        try client.answer(.registerAgent)
        return (locctl, client)
    }

    @Test("without a terminal the questions and what becomes of them are shown, and nothing is answered")
    func shownOnly() throws {
        let (locctl, client) = try begin("agent")
        client.notify(NotificationWriter.authorizationRequested(Sample.request()))
        client.notify(NotificationWriter.authorizationRequestClosed(3, .whileUsing))
        try locctl.waitForOutput { $0 == "request 3 was answered: while-using" }
        locctl.terminate(SIGINT)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(try client.nextRequest() == nil)
        #expect(locctl.standardOutput.hasPrefix("request 3: unit:gpxlogger.service uid:1000 asks for the location at"))
    }

    @Test("--answer answers every question, and a late answer is no reason to stop")
    func answersAll() throws {
        let (locctl, client) = try begin("agent --answer once")
        client.notify(NotificationWriter.authorizationRequested(Sample.request(3)))
        client.notify(NotificationWriter.authorizationRequested(Sample.request(4, .whenInUse)))
        try client.refuse(.answerRequest, RPCError(.notFound, "cannot find request 3"))
        #expect(try client.answer(.answerRequest) == .answerRequest(request: 4, .once))
        locctl.terminate(SIGTERM)
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.standardError.contains("cannot find request 3"))
    }

    @Test("with --json every notification is a line, and is answered only with --answer")
    func json() throws {
        let (locctl, client) = try begin("agent --json --answer deny")
        let line = client.notify(NotificationWriter.authorizationRequested(Sample.request()))
        #expect(try client.answer(.answerRequest) == .answerRequest(request: 3, .deny))
        locctl.terminate()
        #expect(try locctl.waitForExit() == .exited(0))
        #expect(locctl.outputLines == [line])
    }

    @Test("the agent registers anew with a daemon that comes back")
    func reconnect() throws {
        let (locctl, first) = try begin("agent --answer always")
        first.hangUp()
        let second = try run.daemon.accept()
        try second.answer(.registerAgent)
        second.notify(NotificationWriter.authorizationRequested(Sample.request()))
        #expect(try second.answer(.answerRequest) == .answerRequest(request: 3, .always))
        locctl.terminate()
        #expect(try locctl.waitForExit() == .exited(0))
    }

    @Test("who may not be an agent is told so, status 1")
    func refusedAgent() throws {
        let locctl = try run.start("agent")
        try run.daemon.accept().refuse(.registerAgent, RPCError(.notPermitted, "cannot make you an agent"))
        #expect(try locctl.waitForExit() == .exited(1))
    }

    /// Starts `locctl agent` at a terminal.
    private func beginAtTerminal() throws -> (terminal: ChildProcess, client: FakeDaemonClient) {
        let terminal = try run.startAtTerminal("agent", as: "dumb")
        let client = try run.daemon.accept()
        try client.answer(.registerAgent)
        return (terminal, client)
    }

    private func waitForPrompts(_ count: Int, _ terminal: ChildProcess) throws {
        try waitUntil("a question stands there") {
            terminal.standardOutput.split(separator: "[d]eny?", omittingEmptySubsequences: false).count > count
        }
    }

    @Test("at a terminal the person answers with a letter, one question after the other")
    func terminal() throws {
        let (terminal, client) = try beginAtTerminal()
        client.notify(NotificationWriter.authorizationRequested(Sample.request(3)))
        client.notify(NotificationWriter.authorizationRequested(Sample.request(4)))
        try waitForPrompts(1, terminal)
        #expect(!terminal.standardOutput.contains("request 4"))
        try terminal.write("x\n".utf8)
        try waitForPrompts(2, terminal)
        try terminal.write("w\n".utf8)
        #expect(try client.answer(.answerRequest) == .answerRequest(request: 3, .whileUsing))
        try waitForPrompts(3, terminal)
        try terminal.write("Deny\n".utf8)
        #expect(try client.answer(.answerRequest) == .answerRequest(request: 4, .deny))
        try terminal.write([4])
        #expect(try terminal.waitForExit() == .exited(0))
    }

    @Test("a question that somebody else has answered is taken away, and the next one put")
    func answeredElsewhere() throws {
        let (terminal, client) = try beginAtTerminal()
        client.notify(NotificationWriter.authorizationRequested(Sample.request(3)))
        client.notify(NotificationWriter.authorizationRequested(Sample.request(4)))
        try waitForPrompts(1, terminal)
        client.notify(NotificationWriter.authorizationRequestClosed(3, .deny))
        try waitUntil("it says how to go on") { terminal.standardOutput.contains("Press Enter for the next question.") }
        try terminal.write("\n".utf8)
        try waitForPrompts(2, terminal)
        try terminal.write("a\n".utf8)
        #expect(try client.answer(.answerRequest) == .answerRequest(request: 4, .always))
        try terminal.write([4])
        #expect(try terminal.waitForExit() == .exited(0))
        #expect(terminal.standardOutput.contains("request 3 was answered: deny"))
    }

    @Test("what was typed for a question that has gone is never the answer to another", arguments: [true, false])
    func typedForAnother(_ anotherWaits: Bool) throws {
        let (terminal, client) = try beginAtTerminal()
        client.notify(NotificationWriter.authorizationRequested(Sample.request(3)))
        if anotherWaits { client.notify(NotificationWriter.authorizationRequested(Sample.request(4))) }
        try waitForPrompts(1, terminal)
        try terminal.write("a".utf8)
        try waitUntil("it is typed") { terminal.standardOutput.hasSuffix("a") }
        client.notify(NotificationWriter.authorizationRequestClosed(3, .withdrawn))
        if !anotherWaits { client.notify(NotificationWriter.authorizationRequested(Sample.request(4))) }
        try waitUntil("it says how to go on") { terminal.standardOutput.contains("Press Enter for the next question.") }
        try terminal.write("lways\n".utf8)
        try waitForPrompts(2, terminal)
        try terminal.write("d\n".utf8)
        #expect(try client.answer(.answerRequest) == .answerRequest(request: 4, .deny))
        try terminal.write([4])
        #expect(try terminal.waitForExit() == .exited(0))
    }

    @Test("what was typed before a question stood there is not its answer")
    func typedBefore() throws {
        let (terminal, client) = try beginAtTerminal()
        client.notify(NotificationWriter.authorizationRequested(Sample.request(3)))
        client.notify(NotificationWriter.authorizationRequested(Sample.request(4)))
        try waitForPrompts(1, terminal)
        try terminal.write("w\na\n".utf8)
        #expect(try client.answer(.answerRequest) == .answerRequest(request: 3, .whileUsing))
        try waitForPrompts(2, terminal)
        try terminal.write("d\n".utf8)
        #expect(try client.answer(.answerRequest) == .answerRequest(request: 4, .deny))
        try terminal.write([4])
        #expect(try terminal.waitForExit() == .exited(0))
    }
}
