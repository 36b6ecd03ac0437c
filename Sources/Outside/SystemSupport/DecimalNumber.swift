// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger {
    /// A number of decimal digits and nothing else, not even a sign.
    package init?(digits: Substring) {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(digits)
    }
}
