// SPDX-License-Identifier: Apache-2.0

/// 64 bits over `count` whole words, quick enough for every fix.
///
/// Every step is a bijection of its lane, so a change within one word always changes the result; four lanes let the
/// multiplications overlap. Made against torn and damaged records, not against forgery.
@inline(__always)
func checksum(_ words: UnsafeRawPointer, count: Int, seed: UInt64) -> UInt64 {
    var lanes = (seed, ~seed, seed ^ 0x6C6F_6361_7469_6F6E, seed &+ 0x9E37_79B9_7F4A_7C15)
    var index = 0
    while index + 4 <= count {
        lanes.0 = mixed(lanes.0, words, index)
        lanes.1 = mixed(lanes.1, words, index + 1)
        lanes.2 = mixed(lanes.2, words, index + 2)
        lanes.3 = mixed(lanes.3, words, index + 3)
        index += 4
    }
    if index < count { lanes.0 = mixed(lanes.0, words, index) }
    if index + 1 < count { lanes.1 = mixed(lanes.1, words, index + 1) }
    if index + 2 < count { lanes.2 = mixed(lanes.2, words, index + 2) }
    return lanes.0 ^ rotated(lanes.1, 17) ^ rotated(lanes.2, 31) ^ rotated(lanes.3, 47)
}

/// The checksum of some bytes and of how many they are.
func checksum(of bytes: [UInt8]) -> UInt64 {
    // Whole words, the last filled up with zeros.
    let padded = bytes + [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
    return padded.withUnsafeBytes { content in
        content.baseAddress.map { checksum($0, count: content.count / 8, seed: UInt64(bytes.count)) } ?? 0
    }
}

@inline(__always)
private func mixed(_ lane: UInt64, _ words: UnsafeRawPointer, _ index: Int) -> UInt64 {
    let product = (lane ^ words.load(fromByteOffset: index * 8, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
    return product ^ product >> 29
}

@inline(__always)
private func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
