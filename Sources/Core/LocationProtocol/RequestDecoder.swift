// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Turns a line into a request, or into the refusal to answer with.
///
/// What is not JSON as RFC 8259 has it is -32700; what is not one JSON-RPC 2.0 request is -32600; `params` that are not
/// by name, and everything inside them, are -32602, and so are unknown members beside them.
package struct RequestDecoder: Sendable {
    /// Whether the member `at` is read: only in a replay's request file.
    package var acceptsTime: Bool

    /// A decoder of requests.
    package init(acceptsTime: Bool = false) { self.acceptsTime = acceptsTime }

    /// The request in `line`.
    package func decode(_ line: ArraySlice<UInt8>) -> Result<RequestEnvelope, Refusal> {
        let notes: JSONScan.Notes
        do {
            notes = try JSONScan.read(line)
        } catch {
            let text = "cannot read the line as JSON: \(error.reason) (byte \(error.offset))"
            return .failure(Refusal(id: nil, error: RPCError(.parseError, text)))
        }
        switch line.first(where: { ![0x20, 0x09, 0x0D].contains($0) }) {
        case UInt8(ascii: "{"): break
        case UInt8(ascii: "["): return .failure(Refusal(id: nil, error: notARequest("batches are not taken")))
        default: return .failure(Refusal(id: nil, error: notARequest("it is not an object")))
        }
        let rules = EnvelopeRules(acceptsTime: acceptsTime, notes: notes)
        do {
            return try JSONDecoder().decode(DecodedEnvelope.self, from: Data(line), configuration: rules).outcome
        } catch {
            // The scan has read the text, so that this is a difference between the two readers.
            let text = "cannot read the line as JSON: the decoder does not take it"
            return .failure(Refusal(id: nil, error: RPCError(.parseError, text)))
        }
    }

    /// The answer to a line longer than the framer's limit; the connection is closed after it.
    package static func overlongLine(limit: Int) -> Refusal {
        Refusal(id: nil, error: notARequest("the line is longer than \(limit) bytes"))
    }
}

private struct EnvelopeRules: Sendable {
    var acceptsTime: Bool
    var notes: JSONScan.Notes
}

private func notARequest(_ reason: String) -> RPCError {
    RPCError(.invalidRequest, "cannot take the line as a JSON-RPC 2.0 request: \(reason)")
}

// Never throws for what a client wrote: a refusal is a value, because it needs the id.
private struct DecodedEnvelope: DecodableWithConfiguration {
    enum Member: String, CodingKey, CaseIterable { case jsonrpc, id, method, params }
    enum TimedMember: String, CodingKey, CaseIterable { case jsonrpc, id, method, params, at }

    var outcome: Result<RequestEnvelope, Refusal>

    init(from decoder: any Decoder, configuration rules: EnvelopeRules) throws {
        let container = try decoder.container(keyedBy: AnyMember.self)
        guard !rules.notes.hasUnusualID, let id = try? container.decode(RequestID.self, forKey: .id) else {
            outcome = .failure(Refusal(id: nil, error: DecodedEnvelope.badID(container, rules)))
            return
        }
        do {
            let envelope = try DecodedEnvelope.envelope(id, container, rules)
            outcome = .success(envelope)
        } catch {
            outcome = .failure(Refusal(id: id, error: error))
        }
    }

    private static func badID(_ container: KeyedDecodingContainer<AnyMember>, _ rules: EnvelopeRules) -> RPCError {
        let value = (try? container.decode(GivenValue.self, forKey: .id))?.text ?? "nothing"
        let given = rules.notes.hasUnusualID ? "a number with a point, an exponent or as -0" : value
        let allowed = "an integer or a string of at most \(RequestID.maximumStringLength) bytes"
        return notARequest("its id must be \(allowed), given \(given)")
    }

    private static func envelope(
        _ id: RequestID, _ container: KeyedDecodingContainer<AnyMember>, _ rules: EnvelopeRules
    ) throws(RPCError) -> RequestEnvelope {
        guard (try? container.decode(String.self, forKey: .jsonrpc)) == "2.0" else {
            throw notARequest("its jsonrpc must be \"2.0\"")
        }
        guard let name = try? container.decode(String.self, forKey: .method) else {
            throw notARequest("its method must be a string")
        }
        var at: Double?
        if rules.acceptsTime {
            let reader = try ParameterReader<TimedMember>(container)
            let allowed = "a number of seconds from the track's first time, 0 or more"
            at = try reader.number(.at, allowed: allowed)
            if let seconds = at, seconds < 0 { throw reader.refusal(.at, allowed: allowed) }
        } else {
            _ = try ParameterReader<Member>(container)
        }
        guard let method = Method(rawValue: name) else {
            throw RPCError(.methodNotFound, "cannot find the method \(quoted(name)); rpc.discover lists all")
        }
        if let badNumber = rules.notes.badNumber {
            let place = badNumber.member.isEmpty ? "a number" : badNumber.member
            throw RPCError(
                .invalidParams,
                "cannot take \(place): the number at byte \(badNumber.offset) is \(badNumber.reason), "
                    + "allowed is what a double holds"
            )
        }
        return RequestEnvelope(id: id, call: try Call(method, try params(container)), at: at)
    }

    // By JSON-RPC an array is a valid way of giving parameters, only not one that is taken here; null and plain values
    // are no valid request at all.
    private static func params(
        _ container: KeyedDecodingContainer<AnyMember>
    ) throws(RPCError) -> KeyedDecodingContainer<AnyMember>? {
        guard container.contains(.params) else { return nil }
        if let object = try? container.nestedContainer(keyedBy: AnyMember.self, forKey: .params) { return object }
        let given = (try? container.decode(GivenValue.self, forKey: .params))?.text ?? "something unreadable"
        if given == "an array" {
            throw RPCError(.invalidParams, "cannot take params: given an array, allowed is an object")
        }
        throw notARequest("its params must be an object or absent, given \(given)")
    }
}

extension AnyMember {
    fileprivate static let id = AnyMember(stringValue: "id")
    fileprivate static let jsonrpc = AnyMember(stringValue: "jsonrpc")
    fileprivate static let method = AnyMember(stringValue: "method")
    fileprivate static let params = AnyMember(stringValue: "params")
}
