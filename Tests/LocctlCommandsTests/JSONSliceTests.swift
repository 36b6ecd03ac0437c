// SPDX-License-Identifier: Apache-2.0
import LocctlCommands
import Testing

@Suite("Values cut out of JSON")
struct JSONSliceTests {
    @Test(
        "a value is cut out as it stands there",
        arguments: [
            (#"{"id":1,"result":{"b":[1,{"c":"}"}],"a":null},"x":2}"#, ["result"], #"{"b":[1,{"c":"}"}],"a":null}"#),
            (#"{"result":"a\"],}\\"}"#, ["result"], #""a\"],}\\""#),
            (#" { "result" : -1.5e3 , "y" : 1 } "#, ["result"], "-1.5e3"),
            (
                #"{"params":{"locations":[{"latitude":1},{"latitude":2}]}}"#, ["params", "locations", "0"],
                #"{"latitude":1}"#
            ),
            (#"{"a":{"result":1},"result":true}"#, ["result"], "true"),
            (#"{"result":null}"#, ["result"], "null"),
        ])
    func found(_ text: String, _ path: [String], _ value: String) throws {
        let slice = try #require(JSONSlice.value(at: path, in: ArraySlice(text.utf8)))
        #expect(String(decoding: slice, as: UTF8.self) == value)
    }

    @Test(
        "what is not there is not found",
        arguments: [
            (#"{"a":1}"#, ["result"]), ("{}", ["result"]), ("[]", ["0"]), ("[1]", ["result"]), ("7", ["result"]),
            ("", ["result"]), (#"{"result""#, ["result"]), (#"{"a":{"b":1}"#, ["a", "c"]), (#"{"a":1 "b":2}"#, ["b"]),
        ])
    func missing(_ text: String, _ path: [String]) {
        #expect(JSONSlice.value(at: path, in: ArraySlice(text.utf8)) == nil)
    }
}
