// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("What an app calls itself", .blocking, .needsOtherUsers)
struct LabelTests {
    @Test(
        "is refused where it looks like an identity or cannot be seen, with what is allowed",
        arguments: ["uid:1002", "UID:1002", "unit:a.service", " uid:0", " ", "\\u200b", "\\u2800", "\\u00a0 \\u3164"])
    func refused(_ label: String) throws {
        let daemon = try DaemonFixture(manifests: [:])
        let refusal = try DaemonClient(path: daemon.socket, uid: 12001).refusal(
            "hello", #"{"protocol":1,"app":"\#(label)"}"#)
        #expect(refusal.code == -32602)
        #expect(refusal.message.contains("something visible") && refusal.message.contains("uid: or unit:"))
    }

    @Test("stands behind who it is by the kernel's word, as a claim", arguments: ["maps", "root", "a \\\"b"])
    func claim(_ label: String) throws {
        let daemon = try DaemonFixture(manifests: [:])
        let app = try daemon.connect(uid: 12001, #","app":"\#(label)""#)
        let reason = try app.call("startUpdatingLocation")["reason"]?.string ?? ""
        let shown = label.replacing("\\\"", with: "'")
        #expect(reason.contains(#"whether uid:12001 (calls itself "\#(shown)") may have locations"#))
        try daemon.authorize("uid:12001", "denied")
        let service = try daemon.status()["managers"]?.array?.first { $0["uid"]?.int == 12001 }?["services"]?.array?
            .first
        #expect(service?["reason"]?.string == #"locations are denied to uid:12001 (calls itself "\#(shown)")"#)
    }
}
