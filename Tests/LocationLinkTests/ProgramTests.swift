// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("The programs beside locationd", .blocking)
struct ProgramTests {
    static let names = ["locationd-agent", "locationd-beacons", "locationd-geoclue", "locationd-uplink"]
    // Nobody answers there.
    private static let environment = [
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere",
    ]

    @Test(arguments: names)
    func `they print their usage when asked, and with what is wrong in a command line`(_ name: String) throws {
        let helped = try ChildProcess(try BuildProducts.program(name), ["--help"])
        #expect(try helped.waitForExit() == .exited(0))
        #expect(helped.standardOutput.hasPrefix("Usage: \(name) [OPTION]...\n"))
        let refused = try ChildProcess(try BuildProducts.program(name), ["--colour"])
        #expect(try refused.waitForExit() == .exited(64))
        #expect(
            refused.standardError
                == "\(name): cannot understand the option --colour\n\n\(helped.standardOutput)")
    }

    @Test(arguments: names.prefix(3))
    func `they say that they cannot do their work without the bus`(_ name: String) throws {
        let program = try ChildProcess(try BuildProducts.program(name), [], environment: Self.environment)
        #expect(try program.waitForExit() == .exited(1))
        #expect(program.standardError.hasPrefix("\(name): cannot "))
    }
}
