// SPDX-License-Identifier: Apache-2.0
import LocationModel

// A notice as bytes: a version, title, text, the crossings, and whether it repeats. A later version goes on reading this one.
extension RegionNotice {
    private static let version: UInt8 = 1

    var encoded: [UInt8] {
        var writer = BlobWriter()
        writer.append(byte: RegionNotice.version)
        writer.append(title)
        writer.append(text)
        writer.append(crossing.rawValue)
        writer.append(byte: repeats ? 1 : 0)
        return writer.bytes
    }

    /// nil: the bytes are no notice.
    init?(decoding bytes: some Sequence<UInt8>) {
        let notice = Array(bytes).withUnsafeBytes { RegionNotice(reading: $0) }
        guard let notice else { return nil }
        self = notice
    }

    private init?(reading bytes: UnsafeRawBufferPointer) {
        var reader = BlobReader(bytes)
        guard reader.byte() == RegionNotice.version, let title = reader.text(), let text = reader.text(),
            let crossing = reader.text().flatMap({ Crossing(rawValue: $0) }), let repeats = reader.byte(),
            reader.isComplete
        else { return nil }
        self.init(title: title, text: text, on: crossing, repeats: repeats != 0)
    }
}
