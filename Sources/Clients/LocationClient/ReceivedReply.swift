// SPDX-License-Identifier: Apache-2.0
package import LocationProtocol

/// The reply to a request, which was not a refusal.
package struct ReceivedReply: Sendable {
    /// The daemon's answer, decoded from `line`.
    package var reply: Reply
    /// The line that it wrote, without its end.
    package var line: [UInt8]

    /// The result; throws for one that is not of this shape.
    package func result<Result: Decodable>(_ type: Result.Type) throws(LocationClientError) -> Result {
        do {
            return try reply.result(type)
        } catch let error as RPCError {
            throw .refused(error)
        } catch {
            throw .unreadable(reason: "\(error)")
        }
    }
}
