// SPDX-License-Identifier: Apache-2.0

/// Writes requests as a client sends them.
package enum RequestWriter {
    /// The line of `call`, with LF. Members that have their default are left out, and so is `params` without members.
    package static func line(_ id: RequestID, _ call: Call) -> [UInt8] {
        let method = call.method
        var writer = JSONWriter()
        writer.raw(#"{"jsonrpc":"2.0""#)
        writer.name("id")
        writer.append(id)
        writer.member("method", method.name)
        let end = writer.bytes.count
        writer.name("params")
        writer.beginObject()
        let empty = writer.bytes.count
        method.write(call, &writer)
        if writer.bytes.count > empty {
            writer.endObject()
        } else {
            writer.bytes.removeLast(empty - end)
        }
        writer.endObject()
        writer.bytes.append(UInt8(ascii: "\n"))
        return writer.bytes
    }
}
