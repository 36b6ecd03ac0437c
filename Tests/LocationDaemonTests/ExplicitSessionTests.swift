// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("An app whose manifest demands explicit service sessions", .blocking, .needsOtherUsers)
struct ExplicitSessionTests {
    private static let manifest =
        "[App]\nUser=12001\nRequireExplicitServiceSession=yes\n[Authorization]\nDefault=authorizedWhenInUse\n"

    @Test("gets nothing of live updates without a session, nor in the background without a background activity session")
    func streams() throws {
        let daemon = try DaemonFixture(awake, manifests: ["trails": ExplicitSessionTests.manifest])
        let client = try daemon.connect(uid: 12001)
        try client.call("startLiveUpdates")
        let first = try client.hear("didUpdate")
        #expect(first["serviceSessionRequired"]?.bool == true && first["insufficientlyInUse"]?.bool == true)
        #expect(first["location"]?.isNull == true)
        try client.call("startServiceSession", #"{"requirement":"whenInUse"}"#)
        #expect(try client.hear("serviceSessionDiagnostic")["insufficientlyInUse"]?.bool == true)
        let second = try client.hear("didUpdate")
        #expect(second["serviceSessionRequired"] == nil && second["insufficientlyInUse"]?.bool == true)
        try client.call("startBackgroundActivitySession")
        #expect(try client.hear("serviceSessionDiagnostic")["insufficientlyInUse"] == nil)
        try daemon.fix()
        #expect(try client.hear("didUpdate")["location"]?["latitude"]?.double != nil)
        try daemon.directory.write(
            ExplicitSessionTests.manifest.replacing("Session=yes", with: "Session=no"), to: "apps.d/trails.conf")
        try client.call("invalidateServiceSession", #"{"session":1}"#)
        #expect(try client.hear("didUpdate")["serviceSessionRequired"]?.bool == true)
        try daemon.reload(awake)
        try daemon.fix()
        #expect(try client.hear("didUpdate")["location"]?["latitude"]?.double != nil)
    }
}
