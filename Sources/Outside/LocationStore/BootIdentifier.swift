// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Tells one run of the kernel from another.
package struct BootIdentifier: Sendable, Equatable {
    /// The identifier's text, 64 bits of it.
    package let word: UInt64

    /// The boot that the kernel calls `text`.
    package init(_ text: String) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        word = hash
    }

    /// The running kernel's: as `/proc` has it, else as `LOCATIOND_BOOT_ID` of the environment does, for a service that sees of `/proc`
    /// only processes. Where neither says it, one that no file was ever written with: nothing is taken for fresh.
    package static var current: BootIdentifier {
        current(
            file: "/proc/sys/kernel/random/boot_id", variable: getenv("LOCATIOND_BOOT_ID").map { String(cString: $0) })
    }

    /// Returns the boot that the file at `file` names, else the one that `variable` does. The kernel writes hyphens, systemd does not.
    static func current(file: String, variable: String?) -> BootIdentifier {
        let text = (content(of: file) ?? variable ?? "").filter(\.isHexDigit)
        return BootIdentifier(text.isEmpty ? "process \(getpid())" : text)
    }

    private static func content(of file: String) -> String? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let text = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
