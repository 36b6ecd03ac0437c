// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// Looks up the numbers of users and groups by name.
package struct Accounts: Sendable {
    /// The number of a user; nil: there is none of the name.
    package var user: @Sendable (String) -> UInt32?
    /// The number of a group; nil: there is none of the name.
    package var group: @Sendable (String) -> UInt32?

    /// Looks names up with `user` and `group`.
    package init(user: @escaping @Sendable (String) -> UInt32?, group: @escaping @Sendable (String) -> UInt32?) {
        self.user = user
        self.group = group
    }

    /// This system's. Root is known even where no database of users is.
    package static let system = Accounts(
        user: { name in name == "root" ? 0 : userNumbers.withLock { $0.answer(to: name, at: bootClock()) } },
        group: { name in name == "root" ? 0 : groupNumbers.withLock { $0.answer(to: name, at: bootClock()) } })
    private static let userNumbers = Mutex(RecentAnswers<String, UInt32> { getpwnam($0)?.pointee.pw_uid })
    private static let groupNumbers = Mutex(RecentAnswers<String, UInt32> { getgrnam($0)?.pointee.gr_gid })
    private static let memberships = Mutex(RecentAnswers<UInt32, [UInt32]> { readGroups(of: $0) })

    /// The user that a name or a number means.
    package func uid(_ text: String) -> UInt32? { UInt32(digits: text[...]) ?? user(text) }

    /// The group that a name or a number means.
    package func gid(_ text: String) -> UInt32? { UInt32(digits: text[...]) ?? group(text) }

    /// The name of a user of this system; nil: it has none.
    package static func name(of uid: UInt32) -> String? {
        getpwuid(uid).map { String(cString: $0.pointee.pw_name) }
    }

    /// The groups that a user is in by this system's databases, for an app of which no process is there to ask the kernel about.
    package static func groups(of uid: UInt32) -> [UInt32] {
        memberships.withLock { $0.answer(to: uid, at: bootClock()) } ?? []
    }

    private static func readGroups(of uid: UInt32) -> [UInt32] {
        guard let entry = getpwuid(uid) else { return [] }
        var groups = [gid_t](repeating: 0, count: 64)
        var count = CInt(groups.count)
        while getgrouplist(entry.pointee.pw_name, entry.pointee.pw_gid, &groups, &count) < 0 {
            guard count > groups.count else { return [] }
            groups = [gid_t](repeating: 0, count: Int(count))
        }
        return Array(groups[..<Int(count)])
    }

    /// Whether `text` can name a user or a group, or is its number: what Debian's tools take.
    package static func isName(_ text: some StringProtocol) -> Bool {
        let isPlain = text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
        return isPlain && (1...32).contains(text.utf8.count) && !text.hasPrefix("-")
    }
}
