// SPDX-License-Identifier: Apache-2.0

/// Turns a line into a request, or into the refusal to answer with.
///
/// The decoder answers a line that is not JSON as RFC 8259 has it with -32700, and JSON that is not one JSON-RPC 2.0 request with -32600.
/// It answers `params` that are no object, everything wrong inside them, and unknown members beside them with -32602.
package struct RequestDecoder: Sendable {
    /// Whether the member `at` is read: only in a replay's request file.
    package var acceptsTime: Bool

    /// A decoder of requests.
    package init(acceptsTime: Bool = false) { self.acceptsTime = acceptsTime }

    /// The request in `line`.
    package func decode(_ line: ArraySlice<UInt8>) -> Result<RequestEnvelope, Refusal> {
        let text: JSONText
        do {
            text = try JSONText(line)
        } catch {
            let message = "cannot read the line as JSON: \(error.reason) (byte \(error.offset))"
            return .failure(Refusal(id: nil, error: RPCError(.parseError, message)))
        }
        switch text.nodes[0].kind {
        case .object: break
        case .array: return .failure(Refusal(id: nil, error: notARequest("batches are not taken")))
        default: return .failure(Refusal(id: nil, error: notARequest("it is not an object")))
        }
        guard let id = RequestID(text) else { return .failure(Refusal(id: nil, error: badID(text))) }
        do throws(RPCError) {
            return .success(try envelope(id, text))
        } catch {
            return .failure(Refusal(id: id, error: error))
        }
    }

    private func badID(_ text: JSONText) -> RPCError {
        let member = text.member("id", of: 0)
        let isUnusual = member.map { text.nodes[$0].kind == .number && !text.isInteger($0) } ?? false
        let given =
            isUnusual
            ? "a number with a point, an exponent or as -0" : member.flatMap { text.given($0) } ?? "nothing"
        let allowed = "an integer or a string of at most \(RequestID.maximumStringLength) bytes"
        return notARequest("its id must be \(allowed), given \(given)")
    }

    private func envelope(_ id: RequestID, _ text: JSONText) throws(RPCError) -> RequestEnvelope {
        guard let version = text.member("jsonrpc", of: 0), text.isString(version, "2.0") else {
            throw notARequest("its jsonrpc must be \"2.0\"")
        }
        guard let member = text.member("method", of: 0), text.nodes[member].kind == .string else {
            throw notARequest("its method must be a string")
        }
        let envelope = GivenObject(text)
        var at: Double?
        if acceptsTime {
            try envelope.refuseOthers(than: ["jsonrpc", "id", "method", "params", "at"])
            at = try RequestDecoder.time.read(envelope)
        } else {
            try envelope.refuseOthers(than: ["jsonrpc", "id", "method", "params"])
        }
        let name = text.string(member)
        guard let method = Method.named(name) else {
            throw RPCError(.methodNotFound, "cannot find the method \(quoted(name)); rpc.discover lists all")
        }
        if let badNumber = text.badNumber {
            let place = badNumber.member.isEmpty ? "a number" : badNumber.member
            throw RPCError(
                .invalidParams,
                "cannot take \(place): the number at byte \(badNumber.offset) is \(badNumber.reason), "
                    + "allowed is what a double holds"
            )
        }
        return RequestEnvelope(id: id, method: method, call: try method.read(try params(text)), at: at)
    }

    private static let time = optional(
        "at",
        .number(.amount, allowed: "a number of seconds from the track's first time, 0 or more") { $0 >= 0 },
        "when to ask")

    private func params(_ text: JSONText) throws(RPCError) -> GivenObject {
        guard let params = text.member("params", of: 0) else { return GivenObject(nil) }
        guard text.nodes[params].kind == .object else {
            throw GivenObject(text).refusal("params", allowed: "an object or nothing")
        }
        return GivenObject(text, params)
    }

    /// The answer to a line longer than the framer's limit; the connection is closed after it.
    package static func overlongLine(limit: Int) -> Refusal {
        Refusal(id: nil, error: notARequest("the line is longer than \(limit) bytes"))
    }
}

private func notARequest(_ reason: String) -> RPCError {
    RPCError(.invalidRequest, "cannot take the line as a JSON-RPC 2.0 request: \(reason)")
}

extension RequestID {
    // The member `id` of a request, if it can be echoed as it was given.
    fileprivate init?(_ text: JSONText) {
        guard let member = text.member("id", of: 0) else { return nil }
        switch text.nodes[member].kind {
        case .number:
            guard text.isInteger(member), let number = text.integer(member, Int64.self) else { return nil }
            self = .integer(number)
        case .string:
            let string = text.string(member)
            guard string.utf8.count <= RequestID.maximumStringLength else { return nil }
            self = .string(string)
        default: return nil
        }
    }
}

extension JSONText {
    // Whether the number at `node` is written as integers are: without a fraction or an exponent, and not as -0.
    fileprivate func isInteger(_ node: Int) -> Bool {
        let text = number(node)
        return !text.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
            && !text.elementsEqual("-0".utf8)
    }
}
