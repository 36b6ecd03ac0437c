// SPDX-License-Identifier: Apache-2.0
import CLinux
import Dispatch
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("A session over a socket")
struct SocketSessionTests {
    private func session(at address: DaemonAddress, _ log: SessionLog) -> LocationSession {
        LocationSession(
            of: SessionApplication(name: "tests", usageDescriptions: UsageDescriptions(whenInUse: "to test")),
            over: SocketTransport(to: address), handler: log.handler)
    }

    @Test("says hello, then what was wished before, and delivers what comes")
    func deliversLocations() throws {
        let server = try FakeDaemon(in: TemporaryDirectory())
        let log = SessionLog()
        let session = session(at: server.address, log)
        session.perform(.startUpdatingLocation)
        let client = try server.accept()
        let hello = try client.greet()
        #expect(hello.app == "tests")
        #expect(hello.usageDescriptions.whenInUse == "to test")
        #expect(hello.events)
        #expect(hello.manager == nil)
        #expect(
            try client.answer(.startUpdatingLocation, StateResult(.running)) == .startUpdatingLocation(resumeAfter: nil)
        )
        client.update(1)
        client.update(2, 3)
        try log.waitFor(["connected", "running", "1", "2", "3"])
        #expect(session.standing()?.version == "9.9")
    }

    @Test("takes its manager back after a loss, and delivers nothing twice")
    func rejoins() throws {
        let server = try FakeDaemon(in: TemporaryDirectory())
        let log = SessionLog()
        let session = session(at: server.address, log)
        session.perform(.startUpdatingLocation)
        var client = try server.accept()
        try client.greet(5)
        try client.answer(.startUpdatingLocation, StateResult(.running))
        client.update(1, 2)
        client.hangUp()
        client = try server.accept()
        #expect(try client.greet(5, rejoined: true).manager == ManagerToken(high: 7, low: 5))
        client.update(2, 3)
        try log.waitFor(["connected", "running", "1", "2", "disconnected", "rejoined", "3"])
    }

    @Test("wants the same of a daemon that has forgotten it, behind the last location")
    func restores() throws {
        let server = try FakeDaemon(in: TemporaryDirectory())
        let log = SessionLog()
        let session = session(at: server.address, log)
        session.perform(.startUpdatingLocation)
        var client = try server.accept()
        try client.greet(5)
        try client.answer(.startUpdatingLocation, StateResult(.running))
        client.update(1, 2)
        try log.waitFor(["connected", "running", "1", "2"])
        client.hangUp()
        client = try server.accept()
        try client.greet(6)
        #expect(
            try client.answer(.startUpdatingLocation, StateResult(.running)) == .startUpdatingLocation(resumeAfter: 2))
        client.update(3)
        try log.waitFor(["connected", "running", "1", "2", "disconnected", "connected", "3"])
    }
}
