// SPDX-License-Identifier: Apache-2.0

/// The daemon answered something that this version does not know, in words for a person: Swift's own are for who wrote the decoder.
package struct UnreadableAnswer: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault, and the member that has it.
    package var reason: String
    /// For a person; begins with "cannot".
    package var description: String { "cannot understand what the daemon said: \(reason)" }

    /// Puts the error of a decoder into words.
    init(_ error: any Error) { reason = UnreadableAnswer.reason(error) }

    static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(place(context.codingPath + [key])) is missing"
        case DecodingError.valueNotFound(_, let context): "\(place(context.codingPath)) is null"
        case DecodingError.typeMismatch(_, let context): "\(place(context.codingPath)) is of another type"
        case let failure as JSONText.Failure: "it is no JSON as this protocol has it: \(failure.reason)"
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty: "it is not JSON"
        case DecodingError.dataCorrupted(let context): "\(place(context.codingPath)): \(context.debugDescription)"
        default: "\(error)"
        }
    }

    // As a client's author would write it: result.capabilities.heading.
    private static func place(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "it" : path.map(\.stringValue).joined(separator: ".")
    }
}
