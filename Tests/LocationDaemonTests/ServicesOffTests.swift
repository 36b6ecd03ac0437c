// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("While location services are off", .blocking, .needsOtherUsers)
struct ServicesOffTests {
    @Test("apps tells all the same what was decided about each, or what a rule says")
    func decisions() throws {
        let daemon = try DaemonFixture("[Authorization]\nAlwaysUsers=root 12003\n", manifests: [:])
        try daemon.authorize("uid:12001", "authorizedAlways", "reduced")
        try daemon.authorize("uid:12002", "denied")
        let app = try daemon.connect(uid: 12003)
        for isEnabled in [true, false] {
            try daemon.asAdministrator("setLocationServicesEnabled", #"{"enabled":\#(isEnabled)}"#)
            for (identity, decision) in [
                ("uid:12001", "authorizedAlways"), ("uid:12002", "denied"), ("uid:12003", "authorizedAlways"),
            ] {
                let status = try daemon.app(identity)
                #expect(status?["decision"]?.string == decision)
                #expect(status?["authorizationStatus"]?.string == (isEnabled ? decision : "denied"))
            }
        }
        app.close()
    }
}
