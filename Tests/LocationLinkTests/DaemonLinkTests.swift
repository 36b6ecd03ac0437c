// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationLink
import LocationModel
import LocationProtocol
import LocationTestSupport
import SystemdSupport
import Testing

private final class Words {
    var said: [String] = []
}

/// A program that notes what its link does, and a daemon that the test plays. For one thread.
private final class NotedLink: DaemonLink {
    let daemon: FakeDaemon
    private let words = Words()
    /// Sentences for the administrator.
    var said: [String] { words.said }
    /// All that happened to the link, in order.
    private(set) var log: [String] = []
    /// What the next greetings throw; with none left they succeed.
    var refusals: [LocationClientError] = []
    var leavesWithRefusal = false
    var survivesRefusal = false
    /// How long it waits after a loss, if not as long as usual.
    var pause: TimeSpan?

    init(_ loop: EventLoop, _ directory: TemporaryDirectory) throws {
        daemon = try FakeDaemon(in: directory)
        try super.init(loop, DaemonAddress(path: daemon.path), say: { [words] in words.said.append($0) })
    }

    override func greet(_ connection: LocationConnection) throws(LocationClientError) -> () -> Void {
        log.append("greets")
        guard refusals.isEmpty else {
            if leavesWithRefusal { leave() }
            throw refusals.removeFirst()
        }
        return { [unowned self] in log.append(isConnected ? "works" : "works in vain") }
    }

    override func goesOn(after refusal: RPCError) -> Bool { survivesRefusal }

    override func heard(_ notification: Notification) {
        if case .authorizationRequestClosed(let number, _) = notification { log.append("heard \(number)") }
    }

    override func heardAll() { log.append("heard all") }

    override func lost(_ error: LocationClientError) {
        log.append("lost")
        complain(error.description)
        if let pause { wait(pause) }
    }

    /// Runs the loop until that holds.
    func run(until what: String, _ condition: () throws -> Bool) throws {
        let deadline = Deadline.within(patience)
        while try !condition() {
            guard !deadline.hasPassed else { throw TestFailure("cannot see that \(what): \(log), it said \(said)") }
            _ = try loop.runOnce(within: .milliseconds(Int64(deadline.milliseconds)))
        }
    }

    /// Whether nothing happens for longer than the first attempts of a link are apart.
    func isQuiet() throws -> Bool {
        while try loop.runOnce(within: .zero) {}
        return try !loop.runOnce(within: ReconnectBackoff.shortest + ReconnectBackoff.shortest)
    }

    func refuse() {
        ask { _ throws(LocationClientError) in throw .refused(RPCError(.notPermitted, "cannot do that")) }
    }
}

private func trouble(_ reason: String) -> LocationClientError { .unreadable(reason: "cannot read \(reason)") }

@Suite("A program's link to locationd", .blocking)
struct DaemonLinkTests {
    private let link: NotedLink

    init() throws { link = try NotedLink(try EventLoop(), try TemporaryDirectory()) }

    @Test func `it connects as soon as locationd is there, and says once that it was not`() throws {
        link.daemon.stop()
        link.connect()
        link.connect()
        #expect(link.said.count == 1 && link.said[0].hasPrefix("cannot connect to "))
        try link.daemon.start()
        try link.run(until: "it is connected") { link.isConnected }
        #expect(link.said.count == 1 && Array(link.log.prefix(2)) == ["greets", "works"])
        link.connect()
        #expect(link.log.count { $0 == "greets" } == 1)
    }

    @Test func `each cause is said once until it is connected, however they take turns`() throws {
        link.refusals = [trouble("a"), trouble("b"), trouble("a"), trouble("b")]
        link.connect()
        try link.run(until: "it is connected") { link.isConnected }
        #expect(link.log.count { $0 == "greets" } == 5)
        #expect(link.said == ["cannot read a", "cannot read b"])
        link.refusals = [trouble("b")]
        link.leave()
        link.connect()
        #expect(link.said == ["cannot read a", "cannot read b", "cannot read b"])
    }

    @Test func `it hears all in its order, then that this was all; it notes a loss and comes back`() throws {
        link.connect()
        let daemon = try link.daemon.accept()
        for number: UInt64 in 1...2 { daemon.notify(NotificationWriter.authorizationRequestClosed(number, .deny)) }
        try link.run(until: "it hears") { link.log.last == "heard all" }
        #expect(link.log == ["greets", "works", "heard 1", "heard 2", "heard all"])
        daemon.notify(NotificationWriter.authorizationRequestClosed(3, .deny))
        daemon.hangUp()
        try link.run(until: "it is lost") { link.log.contains("lost") && link.log.last == "heard all" }
        #expect(link.log.suffix(3).elementsEqual(["heard 3", "lost", "heard all"]))
        #expect(!link.isConnected)
        try link.run(until: "it is back") { link.isConnected }
        #expect(link.log.suffix(2).elementsEqual(["greets", "works"]))
    }

    @Test func `what is refused loses the connection, and is said once until a request is taken`()
        throws
    {
        link.connect()
        for _ in 1...3 {
            try link.run(until: "it is connected") { link.isConnected }
            link.refuse()
            #expect(!link.isConnected)
        }
        #expect(link.said.count == 1 && link.said[0].contains("cannot do that"))
        try link.run(until: "it is connected") { link.isConnected }
        link.ask { _ in }
        link.refuse()
        #expect(link.said.count == 2)
    }

    @Test func `a program may go on after a refusal, and what came with the reply is heard`() throws {
        link.survivesRefusal = true
        link.connect()
        try link.run(until: "it has heard") { link.log.last == "heard all" }
        link.refuse()
        #expect(link.isConnected && link.said.isEmpty)
        try link.run(until: "it hears") { link.log == ["greets", "works", "heard all", "heard all"] }
    }

    @Test func `after a loss it waits as long as the program says`() throws {
        link.pause = .seconds(3600)
        link.connect()
        link.refuse()
        #expect(try link.isQuiet())
    }

    @Test func `who leaves says farewell, hears nothing more and stays away`() throws {
        link.connect()
        let daemon = try link.daemon.accept()
        daemon.notify(NotificationWriter.authorizationRequestClosed(1, .deny))
        var farewells = 0
        link.leave { _ in farewells += 1 }
        #expect(try daemon.nextRequest() == nil)
        #expect(try link.isQuiet())
        link.leave { _ in farewells += 1 }
        link.ask { _ in farewells += 1 }
        #expect(farewells == 1 && !link.isConnected && !link.log.contains("heard 1"))
    }

    @Test func `who leaves while it is greeted says nothing, and does not try again`() throws {
        link.leavesWithRefusal = true
        link.refusals = [trouble("a")]
        link.connect()
        #expect(try link.isQuiet())
        #expect(link.said.isEmpty && link.log == ["greets"])
    }

    @Test func `who leaves while it is waiting does not try again`() throws {
        link.refusals = [trouble("a")]
        link.connect()
        link.leave()
        #expect(try link.isQuiet())
        #expect(link.log == ["greets"])
    }
}
