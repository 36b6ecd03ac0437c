// SPDX-License-Identifier: Apache-2.0

/// A line that the daemon wrote.
package enum ServerMessage: Sendable {
    /// The answer to a request.
    case reply(Reply)
    /// A notification, and its number on this connection, from 1 without a gap.
    case notification(Notification, sequence: UInt64)

    /// Reads a line. Unknown members are passed over; throws for what is neither reply nor notification.
    package static func decode(_ line: some Collection<UInt8>) throws(ServerMessageError) -> ServerMessage {
        let line = Array(line)
        if let (notification, sequence) = FixLine.read(line) { return .notification(notification, sequence: sequence) }
        if let (id, page) = FixLine.readPage(line) {
            return .reply(Reply(id: .integer(id), page: page, line: line))
        }
        return try decodeAnyForm(line)
    }

    /// Decodes a line of any form; `decode` calls it for lines that `FixLine` does not read.
    static func decodeAnyForm(_ line: [UInt8]) throws(ServerMessageError) -> ServerMessage {
        do {
            let text = try JSONText(line[...])
            return try text.value(DecodedMessage.self).message(text)
        } catch {
            throw ServerMessageError(
                line: String(decoding: line.prefix(200), as: UTF8.self), reason: UnreadableAnswer.reason(error))
        }
    }
}

/// A line of the daemon that cannot be read.
public struct ServerMessageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The beginning of the line.
    public var line: String
    /// The reason why it cannot be read, in words for a person.
    public var reason: String
    /// For a person.
    public var description: String { "cannot read what the daemon wrote: \(reason), in \(quoted(line))" }
}

/// The answer to a request.
package struct Reply: Sendable {
    /// Which request; nil: the daemon could not read its id, or refuses the connection.
    package var id: RequestID?
    /// The refusal.
    package var error: RPCError?
    private var answer: Answer

    private enum Answer {
        /// The whole line.
        case text(JSONText)
        /// A result that is read already, and its line.
        case page(HistoryPage, line: [UInt8])
    }

    fileprivate init(id: RequestID, page: HistoryPage, line: [UInt8]) {
        self.id = id
        answer = .page(page, line: line)
    }

    fileprivate init(id: RequestID?, error: RPCError?, text: JSONText) {
        self.id = id
        self.error = error
        answer = .text(text)
    }

    /// The result, or the refusal as an error. Throws an `UnreadableAnswer` for a result of another shape.
    package func result<Result: Decodable>(_ type: Result.Type) throws -> Result {
        if let error { throw error }
        do {
            switch answer {
            case .text(let text): return try text.value(ResultLine<Result>.self).result
            case .page(let page as Result, _): return page
            case .page(_, let line): return try JSONText.value(ResultLine<Result>.self, of: line).result
            }
        } catch {
            throw UnreadableAnswer(error)
        }
    }
}

private struct ResultLine<Result: Decodable>: Decodable {
    var result: Result
}

private struct DecodedMessage: Decodable {
    private enum Member: String, CodingKey { case id, method, params, error, result }

    private var id: RequestID?
    private var error: RPCError?
    private var notification: (Notification, UInt64)?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        if let method = try container.decodeIfPresent(String.self, forKey: .method) {
            let params = try container.nestedContainer(keyedBy: MemberKey.self, forKey: .params)
            notification = (
                try Notification(method, params), try params.decode(UInt64.self, forKey: MemberKey(stringValue: "seq"))
            )
            return
        }
        id = try container.decodeIfPresent(RequestID.self, forKey: .id)
        error = try container.decodeIfPresent(RPCError.self, forKey: .error)
        guard error != nil || container.contains(.result) else {
            throw DecodingError.keyNotFound(
                Member.result, .init(codingPath: [], debugDescription: "neither result nor error nor method"))
        }
    }

    func message(_ text: JSONText) -> ServerMessage {
        guard let (notification, sequence) = notification else {
            return .reply(Reply(id: id, error: error, text: text))
        }
        return .notification(notification, sequence: sequence)
    }
}
