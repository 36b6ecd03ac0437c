// SPDX-License-Identifier: Apache-2.0

/// Bytes in a JSON text: Base64 (RFC 4648, section 4), as version 0.1.0 wrote them.
struct KeptBytes: Codable {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let filler = UInt8(ascii: "=")

    var bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8> = []) { self.bytes = Array(bytes) }

    /// Throws where the text is no Base64.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = KeptBytes.bytes(of: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no Base64")
        }
        self.bytes = bytes
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    // Three bytes are four digits of six bits; fillers stand for the bytes that the last three have not.
    private var text: String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for place in 0..<4 {
                let digit = KeptBytes.digits[Int(bits >> (18 - 6 * UInt32(place)) & 63)]
                text.append(place <= group.count ? digit : KeptBytes.filler)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func bytes(of text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        let digits = text.prefix { $0 != filler }
        guard text.count.isMultiple(of: 4), text.count - digits.count <= 2,
            text[digits.count...].allSatisfy({ $0 == filler })
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var (bits, count) = (UInt32(0), UInt32(0))
        for digit in digits {
            guard let value = values[Int(digit)] else { return nil }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        return bytes
    }

    /// By digit.
    private static let values: [UInt8?] = (0...UInt8.max).map { digit in
        digits.firstIndex(of: digit).map(UInt8.init)
    }
}
