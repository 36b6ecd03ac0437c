// SPDX-License-Identifier: Apache-2.0

/// A client's name for its request, which the reply repeats.
public enum RequestID: Sendable, Hashable {
    /// Any 64-bit integer; clients in languages whose numbers are doubles stay within 2^53.
    case integer(Int64)
    /// At most 128 bytes.
    case string(String)

    /// The longest string, in bytes of UTF-8.
    public static let maximumStringLength = 128
}

extension RequestID: Codable {
    /// Reads an integer or a string of at most 128 bytes; anything else is a decoding error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            self = .integer(try container.decode(Int64.self))
        } catch DecodingError.typeMismatch {
            let text = try container.decode(String.self)
            guard text.utf8.count <= RequestID.maximumStringLength else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "an id has at most \(RequestID.maximumStringLength) bytes")
            }
            self = .string(text)
        }
    }

    /// Writes the integer or the string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        }
    }
}
