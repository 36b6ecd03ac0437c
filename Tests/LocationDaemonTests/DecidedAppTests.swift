// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("A decision", .blocking, .needsOtherUsers)
struct DecidedAppTests {
    @Test("names the identity that it is about, which is never that of a label")
    func identity() throws {
        let daemon = try DaemonFixture(manifests: [:])
        _ = try daemon.connect(uid: 12001, #","app":"daemon""#)
        let uid = "uid:1"
        let decided = try daemon.asAdministrator("authorize", #"{"app":"daemon","authorizationStatus":"denied"}"#)
        #expect(decided["app"]?.string == uid)
        #expect(try daemon.asAdministrator("resetAuthorization", #"{"app":"daemon"}"#)["app"]?.string == uid)
        try daemon.authorize("daemon", "denied")
        #expect(try daemon.asAdministrator("forgetApp", #"{"app":"daemon"}"#)["app"]?.string == uid)
        #expect(try daemon.asAdministrator("setLocationServicesEnabled", #"{"enabled":true}"#)["app"] == nil)
    }
}
