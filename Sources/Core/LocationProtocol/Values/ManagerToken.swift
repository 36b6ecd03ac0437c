// SPDX-License-Identifier: Apache-2.0

/// The secret with which a client takes its manager back after a reconnect: 128 random bits.
public struct ManagerToken: Sendable, Hashable, BitwiseCopyable {
    /// The first 64 bits.
    public var high: UInt64
    /// The last 64 bits.
    public var low: UInt64

    /// The token of these bits; whoever makes a new one takes them from the kernel's random numbers.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The token written as 32 lowercase hexadecimal digits; nil for anything else.
    public init?(text: String) {
        var words: [UInt64] = [0, 0]
        let digits = Array(text.utf8)
        guard digits.count == 32 else { return nil }
        for (index, digit) in digits.enumerated() {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            words[index / 16] = words[index / 16] << 4 | UInt64(value)
        }
        self.init(high: words[0], low: words[1])
    }

    /// 32 lowercase hexadecimal digits.
    public var text: String { ManagerToken.digits(high) + ManagerToken.digits(low) }

    private static func digits(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension ManagerToken: Codable {
    /// Reads the 32 digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = ManagerToken(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a manager token")
        }
        self = token
    }

    /// Writes the 32 digits.
    public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}
