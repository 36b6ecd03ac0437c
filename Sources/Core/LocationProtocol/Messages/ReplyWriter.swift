// SPDX-License-Identifier: Apache-2.0

/// A result made of what notifications are made of, too: it is written by the same code.
package protocol WrittenResult {
    /// Appends the result as one JSON value.
    func append(to writer: inout JSONWriter)
}

/// Writes replies as whole lines.
package enum ReplyWriter {
    /// A reply whose result has nothing to say: `{}`.
    package static func empty(_ id: RequestID) -> [UInt8] {
        line(id) { writer in
            writer.name("result")
            writer.raw("{}")
        }
    }

    /// A reply with `result`. What cannot be encoded is answered with -32007; no result of this module is.
    package static func result(_ id: RequestID, _ result: some Encodable) -> [UInt8] {
        do {
            return self.result(id, encoded: try JSONWriter.text(of: result))
        } catch {
            return refusal(id, RPCError(.unavailable, "cannot write the result as JSON: \(error)"))
        }
    }

    /// The reply to `rpc.discover`. The document never changes and takes milliseconds to make, so it is made once: whoever asks again and
    /// again shall not hold up the others.
    package static func discovery(_ id: RequestID) -> [UInt8] {
        switch encodedDocument {
        case .success(let encoded): result(id, encoded: encoded)
        case .failure(let error): refusal(id, RPCError(.unavailable, "cannot write the document as JSON: \(error)"))
        }
    }

    private static let encodedDocument = Result { try JSONWriter.text(of: OpenRPC.document()) }

    /// A reply with a result that is JSON already.
    package static func result(_ id: RequestID, encoded: some Collection<UInt8>) -> [UInt8] {
        line(id) { writer in
            writer.name("result")
            writer.raw(encoded)
        }
    }

    /// A reply with a result that writes itself.
    package static func result(_ id: RequestID, _ result: some WrittenResult) -> [UInt8] {
        line(id) { writer in
            writer.name("result")
            result.append(to: &writer)
        }
    }

    /// A refusal; `id` nil is null: the request's own could not be read.
    package static func refusal(_ id: RequestID?, _ error: RPCError) -> [UInt8] {
        line(id) { writer in
            writer.name("error")
            writer.beginObject()
            writer.member("code", error.code.rawValue)
            writer.member("message", error.message)
            writer.name("data")
            writer.beginObject()
            writer.member("name", error.name)
            writer.endObject()
            writer.endObject()
        }
    }

    /// The reply to a request that could not be carried out.
    package static func refusal(_ refusal: Refusal) -> [UInt8] { self.refusal(refusal.id, refusal.error) }

    private static func line(_ id: RequestID?, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw(#"{"jsonrpc":"2.0""#)
        writer.name("id")
        writer.append(id)
        members(&writer)
        writer.endObject()
        writer.bytes.append(UInt8(ascii: "\n"))
        return writer.bytes
    }
}

extension JSONWriter {
    mutating func append(_ id: RequestID?) {
        switch id {
        case .integer(let number): integer(number)
        case .string(let text): string(text)
        case nil: null()
        }
    }
}
