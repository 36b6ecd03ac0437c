// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("A malformed request", .blocking)
struct MalformedRequestTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let what: String
        let line: [UInt8]
        let code: Int
        var id: JSON = .null
        var names: [String] = []

        init(_ what: String, _ line: String, _ code: Int, id: JSON = .null, names: [String] = []) {
            self.init(what, Array(line.utf8), code, id: id, names: names)
        }
        init(_ what: String, _ line: [UInt8], _ code: Int, id: JSON = .null, names: [String] = []) {
            (self.what, self.line, self.code, self.id, self.names) = (what, line, code, id, names)
        }
        var testDescription: String { what }
    }

    private static func call(_ method: String, _ params: String) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
    }
    private static func nested(_ depth: Int) -> String {
        let inner = String(repeating: "[", count: depth - 2) + String(repeating: "]", count: depth - 2)
        return call("location", #"{"x":\#(inner)}"#)
    }

    private static let unreadable: [Case] = [
        Case("no JSON", "hello", -32700),
        Case("a word alone", "tru", -32700),
        Case("a comma at the end", #"{"jsonrpc":"2.0","id":1,"method":"location",}"#, -32700),
        Case("a comma at the end of an array", call("location", "{\"x\":[1,]}"), -32700),
        Case("two values", #"{"jsonrpc":"2.0","id":1,"method":"location"} {}"#, -32700),
        Case("a repeated member", #"{"jsonrpc":"2.0","id":1,"id":1,"method":"location"}"#, -32700),
        Case("a repeated member, once escaped", #"{"jsonrpc":"2.0","id":1,"\u0069d":1,"method":"location"}"#, -32700),
        Case("a repeated member inside", call("requestLocation", #"{"timeout":1,"timeout":1}"#), -32700),
        Case("a lone high surrogate", #"{"jsonrpc":"2.0","id":"\ud800","method":"location"}"#, -32700),
        Case("a lone low surrogate", #"{"jsonrpc":"2.0","id":"\udc00x","method":"location"}"#, -32700),
        Case(
            "invalid UTF-8",
            Array(#"{"jsonrpc":"2.0","id":""#.utf8) + [0xC3, 0x28] + Array(#"","method":"location"}"#.utf8), -32700),
        Case(
            "an overlong form of UTF-8",
            Array(#"{"jsonrpc":"2.0","id":""#.utf8) + [0xC0, 0x80] + Array(#"","method":"location"}"#.utf8), -32700),
        Case("depth 17", nested(17), -32700),
        Case("depth 1000", nested(1000), -32700),
        Case("a number with a leading zero", #"{"jsonrpc":"2.0","id":01,"method":"location"}"#, -32700),
        Case("a plus", call("requestLocation", #"{"timeout":+1}"#), -32700),
        Case("NaN", call("requestLocation", #"{"timeout":NaN}"#), -32700),
        Case("a comment", #"{"jsonrpc":"2.0","id":1,"method":"location"}//"#, -32700),
        Case("a tab in a string", "{\"jsonrpc\":\"2.0\",\"id\":\"\t\",\"method\":\"location\"}", -32700),
        Case("a byte order mark", [0xEF, 0xBB, 0xBF] + Array(call("location", "{}").utf8), -32700),
        Case("zero bytes", [0, 0, 0], -32700),
    ]

    private static let notRequests: [Case] = [
        Case("a batch", #"[{"jsonrpc":"2.0","id":1,"method":"location"}]"#, -32600),
        Case("an empty batch", "[]", -32600),
        Case("a string", #""location""#, -32600),
        Case("null", "null", -32600),
        Case("no id", #"{"jsonrpc":"2.0","method":"location"}"#, -32600),
        Case("id null", #"{"jsonrpc":"2.0","id":null,"method":"location"}"#, -32600),
        Case("id with a fraction", #"{"jsonrpc":"2.0","id":1.5,"method":"location"}"#, -32600),
        Case("id true", #"{"jsonrpc":"2.0","id":true,"method":"location"}"#, -32600),
        Case("id an array", #"{"jsonrpc":"2.0","id":[1],"method":"location"}"#, -32600),
        Case("no version", #"{"id":1,"method":"location"}"#, -32600, id: .number(1)),
        Case("another version", #"{"jsonrpc":"1.0","id":1,"method":"location"}"#, -32600, id: .number(1)),
        Case("a version that is a number", #"{"jsonrpc":2.0,"id":1,"method":"location"}"#, -32600, id: .number(1)),
        Case("no method", #"{"jsonrpc":"2.0","id":1}"#, -32600, id: .number(1)),
    ]

    private static let refused: [Case] = [
        Case("an unknown method", call("locate", "{}"), -32601, id: .number(1), names: ["locate"]),
        Case("a method in capitals", call("Location", "{}"), -32601, id: .number(1), names: ["Location"]),
        Case("an unknown member", call("location", #"{"speling":1}"#), -32602, id: .number(1), names: ["speling"]),
        Case(
            "an unknown member beside params", #"{"jsonrpc":"2.0","id":1,"method":"location","parms":{}}"#, -32602,
            id: .number(1), names: ["parms"]),
        Case(
            "an unknown member of an object inside",
            call("hello", #"{"protocol":1,"usageDescriptions":{"whenUse":"x"}}"#),
            -32602, id: .number(1), names: ["whenUse"]),
        Case(
            "a number beyond a double", call("requestLocation", #"{"timeout":1e999}"#), -32602, id: .number(1),
            names: ["timeout"]),
        Case(
            "a huge integer", call("setProperties", #"{"distanceFilter":\#(String(repeating: "9", count: 400))}"#),
            -32602,
            id: .number(1), names: ["distanceFilter"]),
        Case("depth 16 is read", nested(16), -32602, id: .number(1), names: ["x"]),
        Case(
            "a string of 257 bytes",
            call("hello", #"{"protocol":1,"app":"\#(String(repeating: "a", count: 257))"}"#), -32602, id: .number(1),
            names: ["app"]),
        Case(
            "a number in place of a string", call("setPresence", #"{"presence":1}"#), -32602, id: .number(1),
            names: ["presence", "foreground", "background"]),
        Case(
            "a string in place of a number", call("requestLocation", #"{"timeout":"10"}"#), -32602, id: .number(1),
            names: ["timeout", "600"]),
        Case(
            "a timeout of 0", call("requestLocation", #"{"timeout":0}"#), -32602, id: .number(1),
            names: ["timeout", "0"]),
        Case(
            "a timeout of 601", call("requestLocation", #"{"timeout":601}"#), -32602, id: .number(1),
            names: ["timeout", "601", "600"]),
        Case(
            "a deferral until a word", call("allowDeferredLocationUpdates", #"{"timeout":"soon"}"#), -32602,
            id: .number(1), names: ["timeout", "soon"]),
        Case(
            "a deferral until a beginning", call("allowDeferredLocationUpdates", #"{"untilTraveled":[1]}"#), -32602,
            id: .number(1), names: ["untilTraveled"]),
        Case(
            "a negative sequence", call("startUpdatingLocation", #"{"resumeAfter":-1}"#), -32602, id: .number(1),
            names: ["resumeAfter", "-1"]),
        Case(
            "a sequence with a fraction", call("startUpdatingLocation", #"{"resumeAfter":1.5}"#), -32602,
            id: .number(1),
            names: ["resumeAfter", "1.5"]),
        Case("no presence", call("setPresence", "{}"), -32602, id: .number(1), names: ["presence"]),
        Case("params as an array", call("location", "[]"), -32602, id: .number(1), names: ["params"]),
        Case(
            "another protocol", call("hello", #"{"protocol":2}"#), -32602, id: .number(1),
            names: ["protocol", "2", "1"]),
        Case(
            "a token that is none", call("hello", #"{"protocol":1,"manager":"x"}"#), -32602, id: .number(1),
            names: ["manager"]),
    ]

    @Test("is refused with the code for its fault and changes nothing", arguments: unreadable + notRequests + refused)
    func refusal(fault: Case) throws {
        let daemon = try DaemonFixture()
        let client = try JSONLineConnection(path: daemon.socket)
        try client.send(bytes: fault.line + [UInt8(ascii: "\n")])
        let text = try client.nextLine()
        let reply = try JSON(parsing: text)
        #expect(reply.names == ["jsonrpc", "id", "error"])
        #expect(reply["id"] == fault.id)
        #expect(reply["error"]?["code"]?.int == fault.code, "\(text)")
        let names = [
            -32700: "parseError", -32600: "invalidRequest", -32601: "methodNotFound", -32602: "invalidParams",
        ]
        #expect(reply["error"]?["data"]?["name"]?.string == names[fault.code])
        let message = reply["error"]?["message"]?.string ?? ""
        for name in fault.names { #expect(message.contains(name), "\(message)") }
        // The connection goes on, and hello may still be its first request.
        try client.send(#"{"jsonrpc":"2.0","id":"next","method":"hello","params":{"protocol":1}}"#)
        let next = try JSON(parsing: try client.nextLine())
        #expect(next["id"]?.string == "next")
        if [-32700, -32600, -32601].contains(fault.code) || !text.contains("hello") {
            #expect(next["result"]?["rejoined"]?.bool == false, "\(next)")
        }
    }

    @Test("hello is the first request or none")
    func lateHello() throws {
        let daemon = try DaemonFixture()
        for method in ["location", "getProperties", "status", "startUpdatingLocation", "hello"] {
            let client = try daemon.connect()
            try client.call(method, method == "hello" ? #"{"protocol":1}"# : nil)
            let refusal = try client.refusal("hello", #"{"protocol":1}"#)
            #expect(refusal.code == -32600, "after \(method)")
        }
    }

    @Test("params may be absent or empty where nothing is needed")
    func absentParams() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        for params in [nil, "{}"] as [String?] {
            #expect(try client.call("location", params) == .null)
            #expect(try client.call("stopUpdatingLocation", params) == .object([:]))
        }
    }
}
