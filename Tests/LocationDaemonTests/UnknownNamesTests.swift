// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("Names that this system does not know", .blocking)
struct UnknownNamesTests {
    private static let rules = """
        [Authorization]
        AlwaysUsers=root no-such-user 4711
        DeniedUsers=no-such-denied
        WhenInUseGroups=no-such-group
        AdminGroup=no-such-admins

        """

    @Test("are in the journal with their key, at the start and at each reload")
    func warned() throws {
        let daemon = try DaemonFixture(Self.rules)
        let warnings = [
            "warning: [Authorization] AlwaysUsers= names no-such-user: this system knows no such user",
            "warning: [Authorization] DeniedUsers= names no-such-denied: this system knows no such user",
            "warning: [Authorization] WhenInUseGroups= names no-such-group: this system knows no such group",
            "warning: [Authorization] AdminGroup= names no-such-admins: this system knows no such group",
        ]
        func count(_ text: String) -> Int { daemon.journal.split(separator: "\n").count { $0.contains(text) } }
        for warning in warnings { #expect(count(warning) == 1, "\(warning)") }
        #expect(count("4711") == 0 && count("root") == 0)
        try daemon.reload(Self.rules)
        for warning in warnings { #expect(count(warning) == 2, "\(warning)") }
    }

    @Test("are no fault where the file does not name them")
    func defaults() throws {
        let daemon = try DaemonFixture()
        #expect(!daemon.journal.contains("this system knows no"))
    }
}
