// SPDX-License-Identifier: Apache-2.0
import LocationProtocol

/// What a process belongs to, from the path of its control group (protocol.md, Identity).
package struct ControlGroup: Sendable, Hashable {
    /// The innermost service that is neither a user's own manager nor a transient run, with its `.service`; nil: none.
    package let service: String?
    /// The application of the innermost `app-….scope`, if there is no service; nil: none.
    package let application: String?
    /// Whether this was started by the system's manager: what a user's own manager runs is named by the user.
    package let isSystem: Bool

    /// The group at `path` in the unified hierarchy; nil: unknown.
    package init(path: String?) {
        let units = (path ?? "").split(separator: "/").map { ControlGroup.unescaped(String($0)) }
        let service = units.last { name in
            name.hasSuffix(".service") && !name.hasPrefix("user@") && !name.hasPrefix("run-")
        }
        let scope = units.last { $0.hasPrefix("app-") && $0.hasSuffix(".scope") }
        self.service = service.map(ControlGroup.printable)
        application =
            service == nil ? scope.flatMap(ControlGroup.application(ofScope:)).map(ControlGroup.printable) : nil
        isSystem = !units.contains { $0 == "user.slice" || $0.hasPrefix("user@") && $0.hasSuffix(".service") }
    }

    // `app[-LAUNCHER]-ID-RANDOM.scope`; a dash inside ID is written \x2d.
    private static func application(ofScope scope: String) -> String? {
        let parts = scope.dropFirst("app-".count).dropLast(".scope".count).split(separator: "-")
        guard parts.count >= 2 else { return nil }
        return unitUnescaped(String(parts[parts.count - 2]))
    }

    // The kernel shows cgroup names as they are; systemd puts `_` before names that would clash with the kernel's own files.
    private static func unescaped(_ name: String) -> String { name.hasPrefix("_") ? String(name.dropFirst()) : name }

    private static func unitUnescaped(_ name: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "\\"), rest.count >= 4, rest[rest.startIndex + 1] == UInt8(ascii: "x"),
                let value = UInt8(
                    String(decoding: rest[(rest.startIndex + 2)..<(rest.startIndex + 4)], as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(4)
            } else {
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func printable(_ name: String) -> String {
        String(name.unicodeScalars.map { isPlain($0) ? Character($0) : "?" })
    }
}
