// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationEngine
import LocationModel
import LocationProtocol
import LocationTestSupport
import SystemSupport
import Testing

@testable import LocationDaemon

@Suite("A server that stops", .blocking)
struct StopTests {
    @Test("waits for slow readers without a busy loop, whatever else is ready")
    func waits() throws {
        let house = try ServerInMemory()
        let (slow, eager) = (try house.connect(), try house.connect())
        try slow.send(#"{"jsonrpc":"2.0","id":1,"method":"startUpdatingLocation"}"#)
        try house.serve(until: { house.server.count == 2 && !slow.linesSoFar().isEmpty })
        while !house.server.hasSlowReaders { house.service.fix() }
        // What nobody reads any more.
        try eager.send(#"{"jsonrpc":"2.0","id":1,"method":"getProperties"}"#)
        let waits = house.server.stop(patience: .milliseconds(200))
        #expect(waits <= 2)
    }

    @Test("does not wait for one that is gone")
    func gone() throws {
        let house = try ServerInMemory()
        let slow = try house.connect()
        try slow.send(#"{"jsonrpc":"2.0","id":1,"method":"startUpdatingLocation"}"#)
        try house.serve(until: { house.server.count == 1 && !slow.linesSoFar().isEmpty })
        while !house.server.hasSlowReaders { house.service.fix() }
        slow.close()
        let waits = house.server.stop(patience: .seconds(60))
        #expect(waits <= 2)
    }
}
