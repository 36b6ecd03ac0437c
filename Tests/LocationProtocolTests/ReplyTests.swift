// SPDX-License-Identifier: Apache-2.0

import LocationModel
import LocationProtocol
import Testing

private func reply(_ line: [UInt8]) throws -> Reply {
    #expect(line.last == UInt8(ascii: "\n") && line.count { $0 == UInt8(ascii: "\n") } == 1)
    guard case .reply(let reply) = try ServerMessage.decode(line) else {
        throw RPCError(.parseError, "not a reply: \(text(line))")
    }
    return reply
}

@Suite("Replies")
struct ReplyTests {
    @Test("an empty result, both ways")
    func empty() throws {
        let line = ReplyWriter.empty(.string("a\"b"))
        #expect(text(line) == #"{"jsonrpc":"2.0","id":"a\"b","result":{}}"# + "\n")
        let reply = try reply(line)
        #expect(reply.id == .string("a\"b") && reply.error == nil)
        #expect(try reply.result(JSONValue.self) == .object([:]))
    }

    @Test("every refusal has its number and its name, both ways", arguments: RPCErrorCode.names.map(\.code))
    func refusals(_ code: RPCErrorCode) throws {
        let error = RPCError(code, "cannot do that")
        let line = ReplyWriter.refusal(.integer(-3), error)
        #expect(
            text(line)
                == #"{"jsonrpc":"2.0","id":-3,"error":{"code":\#(code.rawValue),"message":"cannot do that","#
                + #""data":{"name":"\#(code.name)"}}}"# + "\n")
        let reply = try reply(line)
        #expect(reply.id == .integer(-3) && reply.error == error)
        #expect(throws: error) { try reply.result(JSONValue.self) }
        #expect(try decode(RPCError.self, try encoded(error)) == error)
    }

    @Test("what cannot be understood is said in words, with the member")
    func unreadable() throws {
        func sentence(_ result: String) throws -> String? {
            let reply = try reply(Array(#"{"jsonrpc":"2.0","id":1,"result":\#(result)}"#.utf8) + [UInt8(ascii: "\n")])
            return #expect(throws: UnreadableAnswer.self) { try reply.result(MonitorResult.self) }?.description
        }
        let beginning = "cannot understand what the daemon said: "
        #expect(try sentence("{}") == beginning + "result.monitor is missing")
        #expect(try sentence(#"{"monitor":null}"#)?.hasPrefix(beginning + "result.monitor is") == true)
        #expect(try sentence(#"{"monitor":"one"}"#) == beginning + "result.monitor is of another type")
        let greeting = try reply(
            Array(#"{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"authorizationStatus":"maybe"}}"#.utf8) + [10])
        let error = #expect(throws: UnreadableAnswer.self) { try greeting.result(AuthorizationOnly.self) }
        #expect(error?.description == beginning + "result.authorizationStatus: unknown word maybe")
    }

    private struct AuthorizationOnly: Decodable { var authorizationStatus: AuthorizationStatus }

    @Test("of a greeting in another version of the protocol only the versions are read, whatever its words are")
    func newerGreeting() throws {
        let line = #"{"jsonrpc":"2.0","id":1,"result":{"protocol":2,"version":"9.0","authorizationStatus":"maybe"}}"#
        let hello = try reply(Array(line.utf8) + [UInt8(ascii: "\n")]).result(HelloResult.self)
        #expect(hello.protocolVersion == 2 && hello.version == "9.0")
        #expect(hello.authorizationStatus == .notDetermined && !hello.rejoined)
    }

    @Test("the numbers and names of the refusals are the protocol's")
    func codes() {
        let expected = [
            -32700: "parseError", -32600: "invalidRequest", -32601: "methodNotFound", -32602: "invalidParams",
            -32001: "notPermitted", -32002: "missingUsageDescription", -32003: "identityMismatch",
            -32004: "limitExceeded", -32005: "notFound", -32006: "tooManyConnections", -32007: "unavailable",
        ]
        #expect(Dictionary(uniqueKeysWithValues: RPCErrorCode.names.map { ($0.code.rawValue, $0.name) }) == expected)
        #expect(RPCErrorCode(rawValue: -1).name == "unknown")
    }

    @Test("a refusal without an id has null")
    func withoutID() throws {
        let refusal = Refusal(id: nil, error: RPCError(.tooManyConnections, "cannot take more"))
        let line = ReplyWriter.refusal(refusal)
        #expect(text(line).hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32006,"#))
        #expect(try reply(line).id == nil)
    }

    @Test("a state has what applies, both ways")
    func state() throws {
        let line = ReplyWriter.result(.integer(1), StateResult(.running, reason: "no receiver", request: 3))
        #expect(
            text(line)
                == #"{"jsonrpc":"2.0","id":1,"result":{"reason":"no receiver","request":3,"state":"running"}}"# + "\n")
        let read = try reply(line).result(StateResult.self)
        #expect(read == StateResult(.running, reason: "no receiver", request: 3))
        #expect(try encoded(StateResult(.denied)) == #"{"state":"denied"}"#)
        #expect(try encoded(StateResult(.running, deferral: 2)) == #"{"deferral":2,"state":"running"}"#)
    }

    @Test("hello's result has every member, null where there is nothing, both ways")
    func hello() throws {
        let result = HelloResult(
            version: "0.1", app: nil, identity: "uid:1000", manager: ManagerToken(high: 1, low: 2), rejoined: true,
            authorizationStatus: .authorizedWhenInUse, accuracyAuthorization: nil,
            capabilities: Capabilities(
                regionMonitoring: true, visits: true, maximumRegionMonitoringDistance: 100_000, maximumRegions: 10,
                maximumConditions: 20),
            eventsDropped: 4)
        let line = ReplyWriter.result(.integer(1), result)
        #expect(
            text(line)
                == #"{"jsonrpc":"2.0","id":1,"result":{"accuracyAuthorization":null,"app":null,"#
                + #""authorizationStatus":"authorizedWhenInUse","capabilities":{"deferredLocationUpdates":true,"#
                + #""heading":false,"maximumConditions":20,"maximumRegionMonitoringDistance":100000,"maximumRegions":10,"#
                + #""ranging":false,"regionMonitoring":true,"significantLocationChangeMonitoring":true,"#
                + #""standardUpdates":true,"visits":true},"eventsDropped":4,"identity":"uid:1000","#
                + #""manager":"00000000000000010000000000000002","protocol":1,"rejoined":true,"version":"0.1"}}"# + "\n"
        )
        #expect(try reply(line).result(HelloResult.self) == result)
    }

    @Test("hello says nothing of events and abilities that there are not, both ways")
    func leastHello() throws {
        let result = HelloResult(
            version: "0.1", app: "a", identity: "i", manager: ManagerToken(high: 1, low: 2), rejoined: false,
            authorizationStatus: .denied, accuracyAuthorization: .full)
        let json = try encoded(result)
        #expect(json.contains(#""eventsDropped":0"#) && !json.contains("maximum"))
        #expect(try decode(HelloResult.self, json) == result)
        #expect(
            try decode(Capabilities.self, "{}")
                == Capabilities(
                    standardUpdates: false, significantLocationChangeMonitoring: false, deferredLocationUpdates: false))
    }

    @Test("the last location is an object or null, both ways", arguments: [fullLocation, nil])
    func location(_ location: Location?) throws {
        let line = ReplyWriter.result(.integer(1), LocationResult(location))
        #expect(try reply(line).result(LocationResult.self).location == location)
        if location == nil { #expect(text(line).hasSuffix("\"result\":null}\n")) }
    }
}
