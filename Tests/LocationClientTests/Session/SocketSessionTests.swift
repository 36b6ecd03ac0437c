// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("A session over a socket")
struct SocketSessionTests {
    private let server: FakeDaemon
    private let log = SessionLog()
    /// Has been told to start updates.
    private let session: LocationSession

    init() throws {
        server = try FakeDaemon(in: TemporaryDirectory())
        session = LocationSession(
            of: SessionApplication(name: "tests", usageDescriptions: UsageDescriptions(whenInUse: "to test")),
            over: SocketTransport(to: server.address), handler: log.handler)
        session.perform(.startUpdatingLocation(resumeAfter: nil))
    }

    /// The daemon's end of a connection over which locations 1 and 2 went.
    private func updated() throws -> FakeDaemonClient {
        let client = try server.accept()
        try client.greet(5)
        try client.answer(.startUpdatingLocation, StateResult(.running))
        client.update(1, 2)
        return client
    }

    @Test("says hello, then what was wished before, and delivers what comes")
    func deliversLocations() throws {
        let client = try server.accept()
        let hello = try client.greet()
        #expect(hello.app == "tests")
        #expect(hello.usageDescriptions.whenInUse == "to test")
        #expect(hello.events)
        #expect(hello.manager == nil)
        #expect(
            try client.answer(.startUpdatingLocation, StateResult(.running))
                == .asked(.startUpdatingLocation(resumeAfter: nil))
        )
        client.update(1)
        client.update(2, 3)
        try log.waitFor(["connected", "running", "1", "2", "3"])
        #expect(session.standing()?.version == "9.9")
    }

    @Test("takes its manager back after a loss, and delivers nothing twice")
    func rejoins() throws {
        var client = try updated()
        client.hangUp()
        client = try server.accept()
        #expect(try client.greet(5, rejoined: true).manager == ManagerToken(high: 7, low: 5))
        client.update(2, 3)
        try log.waitFor(["connected", "running", "1", "2", "disconnected", "rejoined", "3"])
    }

    @Test("wants the same of a daemon that has forgotten it, behind the last location")
    func restores() throws {
        var client = try updated()
        try log.waitFor(["connected", "running", "1", "2"])
        client.hangUp()
        client = try server.accept()
        try client.greet(6)
        #expect(
            try client.answer(.startUpdatingLocation, StateResult(.running))
                == .asked(.startUpdatingLocation(resumeAfter: 2)))
        client.update(3)
        try log.waitFor(["connected", "running", "1", "2", "disconnected", "connected", "3"])
    }
}
