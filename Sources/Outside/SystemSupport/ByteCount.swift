// SPDX-License-Identifier: Apache-2.0

extension Int {
    /// A number of bytes in its largest whole unit, as files of settings have it: `64K`, `1M`, in steps of 1,024.
    package var inBytes: String {
        if self >= 1 << 20, self % (1 << 20) == 0 { return "\(self >> 20)M" }
        if self >= 1 << 10, self % (1 << 10) == 0 { return "\(self >> 10)K" }
        return "\(self)"
    }
}
