// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("A manifest that cannot be used", .blocking, .needsOtherUsers)
struct ManifestFaultTests {
    @Test("is among the problems that status tells an administrator, until it is mended, and nobody else")
    func told() throws {
        let daemon = try DaemonFixture(manifests: ["nonsense": "[App]\nUser=root\nNonsense=1\n"])
        func problems() throws -> [String] {
            (try daemon.status()["daemon"]?["stateProblems"]?.array ?? []).compactMap(\.string)
        }
        #expect(try problems().contains { $0.contains("nonsense.conf:3: Nonsense is not a key of [App]") })
        let other = try daemon.connect(uid: 12001)
        #expect(try other.call("status")["daemon"]?["stateProblems"] == nil)
        try daemon.directory.write("[App]\nUser=root\n", to: "apps.d/nonsense.conf")
        try daemon.asAdministrator("reload")
        #expect(try problems().isEmpty)
    }
}
