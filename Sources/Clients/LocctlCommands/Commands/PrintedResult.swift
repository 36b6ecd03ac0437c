// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

extension Session {
    /// Has the daemon do `call`; there is nothing to print but with `--json` the daemon's result.
    @discardableResult
    func order(_ call: Call, on connection: LocationConnection) throws(LocctlError) -> ReceivedReply {
        let reply = try asking { () throws(LocationClientError) in try connection.send(call) }
        if json, let document = JSONSlice.value(at: ["result"], in: reply.line[...]) { console.print(line: document) }
        return reply
    }

    /// Has the daemon do `request`; as for a call.
    @discardableResult
    func order(_ request: Request, on connection: LocationConnection) throws(LocctlError) -> ReceivedReply {
        try order(.asked(request), on: connection)
    }

    /// Asks for what `call` decides, and says about whom: what was typed may name another than was meant. That the disk has not taken it is
    /// said, too. It is in force all the same, so that it is no failure.
    func order(decision call: Call, on connection: LocationConnection) throws(LocctlError) {
        let reply = try order(call, on: connection)
        let result = try asking { () throws(LocationClientError) in try reply.result(DecisionResult.self) }
        guard !json else { return }
        if let sentence = RequestText.decided(call, result) { console.print(sentence) }
        if let sentence = RequestText.notStored(result) { console.tell(sentence) }
    }

    /// Asks `call` and prints its result: with `--json` as the daemon wrote it, else as `text` has it.
    func printResult<Result: Decodable>(
        of call: Call, on connection: LocationConnection, _ text: (Result) -> String
    ) throws(LocctlError) {
        let reply = try asking { () throws(LocationClientError) in try connection.send(call) }
        let result = try asking { () throws(LocationClientError) in try reply.result(Result.self) }
        if json, let document = JSONSlice.value(at: ["result"], in: reply.line[...]) {
            console.print(line: document)
        } else {
            console.print(text(result))
        }
    }
}
