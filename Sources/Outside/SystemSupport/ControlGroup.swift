// SPDX-License-Identifier: Apache-2.0
import LocationProtocol

/// The service or application that a process belongs to, from the path of its control group (Protocol 6.1).
///
/// The unit is the outermost one below the slices, as systemd has it (`cg_path_get_unit`). systemd may have left the tree below that unit to
/// the unit itself (`Delegate=yes`, containers, `user@UID.service`), which makes groups of any name there: none of those names counts, but
/// for the outermost below a user's own manager, which is the user's choice.
package struct ControlGroup: Sendable, Hashable {
    /// The unit with its `.service`, if it is a service that is neither a user's own manager nor a transient run; nil: it is not.
    package let service: String?
    /// The application of a unit that is an `app-….scope`; nil: it is something else.
    package let application: String?
    /// The user whose own manager started this; nil: the system's did.
    package let userManager: UInt32?

    /// Whether this was started by the system's manager: what a user's own manager runs is named by the user.
    package var isSystem: Bool { userManager == nil }

    /// The group at `path` in the unified hierarchy; nil: unknown.
    ///
    /// - Parameter user: The user of the process: a name that another user gave says nothing about it. nil: any.
    package init(path: String?, of user: UInt32? = nil) {
        var rest = (path ?? "").split(separator: "/").map { ControlGroup.unescaped(String($0)) }[...]
        var unit = ControlGroup.takeUnit(&rest)
        userManager = unit.flatMap(ControlGroup.userManager)
        if let userManager { unit = user == nil || user == userManager ? ControlGroup.takeUnit(&rest) : nil }
        service = unit.flatMap { $0.hasSuffix(".service") && !$0.hasPrefix("run-") ? $0 : nil }
        application = unit.flatMap(ControlGroup.application(ofScope:)).map(ControlGroup.printable)
    }

    // Takes the slices and the first group behind them off `rest`; nil: that one is no unit.
    private static func takeUnit(_ rest: inout ArraySlice<String>) -> String? {
        rest = rest.drop { $0.hasSuffix(".slice") && isUnit($0) }
        return rest.popFirst().flatMap { isUnit($0) ? $0 : nil }
    }

    // True for the name of a service, a scope or a slice that systemd can run: no template, and nothing that systemd would escape.
    private static func isUnit(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), [".service", ".scope", ".slice"].contains(name[dot...]) else {
            return false
        }
        let stem = name[..<dot]
        return name.utf8.count < 256 && !stem.isEmpty && !stem.hasPrefix("@") && !stem.hasSuffix("@")
            && stem.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || ":-_.\\@".utf8.contains(byte)
            }
    }

    private static func userManager(of unit: String) -> UInt32? {
        guard unit.hasPrefix("user@"), unit.hasSuffix(".service") else { return nil }
        return UInt32(digits: unit.dropFirst("user@".count).dropLast(".service".count))
    }

    // `app[-LAUNCHER]-ID-RANDOM.scope`; a dash inside ID is written \x2d.
    private static func application(ofScope scope: String) -> String? {
        guard scope.hasPrefix("app-"), scope.hasSuffix(".scope") else { return nil }
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
