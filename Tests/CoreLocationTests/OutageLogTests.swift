// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationProtocol
import LocationTestSupport
import Testing

@testable import CoreLocation

@Suite("What is said while no daemon answers", .asynchronous)
struct OutageLogTests {
    private let outages = OutageLog()
    private let said = Notes<String>()

    private func note(_ error: LocationClientError) { outages.note(error) { said.add($0) } }

    @Test("is each reason once, whoever waits, and all again in the next outage")
    func once() {
        for _ in 0..<100 { note(.gone) }
        #expect(said.all.count == 1 && said.all.first?.contains("/nowhere") == true)
        for _ in 0..<100 { note(.refused(RPCError(.notPermitted, "cannot let you in"))) }
        #expect(said.all.count == 2)
        outages.noteAnswer()
        note(.gone)
        #expect(said.all.count == 3)
    }

    @Test("and whatever else is said once is remembered within bounds, the newest")
    func bounded() {
        let lines = SaidLines()
        for number in 0..<5 * SaidLines.limit {
            #expect(lines.isNews("\(number)"))
            #expect(!lines.isNews("\(number)"))
        }
        #expect(lines.isNews("0"))
    }

    @Test("is what to do where the daemon takes no more connections")
    func tooMany() throws {
        note(.refused(RPCError(.tooManyConnections, "cannot take another connection: the user has 64")))
        let line = try #require(said.all.first)
        #expect(line.contains("the user has 64") && line.contains("; each CLLocationManager takes a connection"))
    }

    @Test("is said of a manager after two seconds, and its delegate is told after ten")
    func manager() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        let reason = LocationClientError.refused(RPCError(.notPermitted, "cannot serve the test of managers"))
        try app.use { $0.startUpdatingLocation() }
        app.session.say(.disconnected(reason), .waiting(reason))
        await app.settle()
        #expect(app.log.all.count == 1 && app.log.all.first?.contains("the test of managers") == true)
        #expect(diary.all.isEmpty)
        app.session.say(.unreachable(reason))
        await app.settle()
        #expect(diary.all == ["error 2"])
    }
}
