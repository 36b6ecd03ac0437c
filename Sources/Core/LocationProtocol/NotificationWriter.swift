// SPDX-License-Identifier: Apache-2.0

package import LocationModel

/// Writes notifications as lines without their tail.
///
/// Every line is a prefix, which all clients share, and the tail `SEQ}}` LF, which is one client's own; `appendTail`
/// writes that.
package enum NotificationWriter {
    /// No notification line is longer, with its tail.
    package static let maximumLineLength = 61_440
    /// The longest tail: a number under 2^53, two braces and LF.
    package static let maximumTailLength = 19

    /// Ends a line whose prefix was written: `sequence` counts the connection's notification lines from 1.
    package static func appendTail(_ sequence: UInt64, to bytes: inout [UInt8]) {
        var writer = JSONWriter(appendingTo: [])
        swap(&writer.bytes, &bytes)
        writer.integer(sequence)
        writer.bytes.append(contentsOf: [UInt8(ascii: "}"), UInt8(ascii: "}"), UInt8(ascii: "\n")])
        swap(&writer.bytes, &bytes)
    }

    /// `didFailWithError`; `source` and `request` where they apply.
    package static func didFailWithError(
        _ error: LocationError, source: LocationSource? = nil, request: UInt64? = nil
    ) -> [UInt8] {
        line("didFailWithError") { writer in
            writer.name("error")
            error.append(to: &writer)
            if let source {
                writer.name("source")
                writer.string(source.word)
            }
            if let request {
                writer.name("request")
                writer.integer(request)
            }
        }
    }

    /// `didCancelRequest`: the one-shot request has no answer because of the method `by`.
    package static func didCancelRequest(_ request: UInt64, by cancellation: RequestCancellation) -> [UInt8] {
        line("didCancelRequest") { writer in
            writer.name("request")
            writer.integer(request)
            writer.name("by")
            writer.string(cancellation.rawValue)
        }
    }

    /// `didFinishDeferredUpdates`; `error` nil: a criterion was met.
    package static func didFinishDeferredUpdates(_ deferral: UInt64, error: LocationError?) -> [UInt8] {
        line("didFinishDeferredUpdates") { writer in
            writer.name("deferral")
            writer.integer(deferral)
            writer.name("error")
            if let error { error.append(to: &writer) } else { writer.null() }
        }
    }

    /// `didChangeAuthorization`; `accuracy` nil: not determined. `initial`: the first one, which tells no change.
    package static func didChangeAuthorization(
        _ status: AuthorizationStatus, accuracy: AccuracyAuthorization?, provisional: Bool, initial: Bool
    ) -> [UInt8] {
        line("didChangeAuthorization") { writer in
            writer.name("authorizationStatus")
            writer.string(status.word)
            writer.name("accuracyAuthorization")
            if let accuracy { writer.string(accuracy.word) } else { writer.null() }
            writer.name("provisional")
            writer.bool(provisional)
            writer.name("initial")
            writer.bool(initial)
        }
    }

    static func begin(_ method: StaticString, _ writer: inout JSONWriter) {
        writer.raw(#"{"jsonrpc":"2.0","method":""#)
        method.withUTF8Buffer { writer.bytes.append(contentsOf: $0) }
        "\",\"params\":{".utf8.forEach { writer.bytes.append($0) }
    }

    static func line(_ method: StaticString, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(320)
        begin(method, &writer)
        members(&writer)
        writer.name("seq")
        return writer.bytes
    }
}
