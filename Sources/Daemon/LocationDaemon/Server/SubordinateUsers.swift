// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemSupport

/// Users that another user can become as it likes, by /etc/subuid: what bounds a user bounds all of them together.
struct SubordinateUsers {
    private var ranges: [(first: UInt32, last: UInt32, owner: UInt32)] = []

    init() {}

    /// Reads lines of `USER:FIRST:COUNT` as subuid(5) has them. What is no such line counts for nothing.
    init(text: String, accounts: Accounts) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 3, let owner = accounts.uid(String(fields[0])), let first = UInt32(digits: fields[1]),
                let count = UInt32(digits: fields[2]), count > 0, first > 0
            else { continue }
            ranges.append(
                (first, first.addingReportingOverflow(count - 1).overflow ? .max : first + (count - 1), owner))
        }
    }

    /// The user that a user is charged to: the one whose subordinate it is, else itself. Root's own subordinate users are users as others
    /// are, because nothing bounds root.
    func account(of uid: UInt32) -> UInt32 {
        guard uid != 0, let range = ranges.first(where: { $0.first <= uid && uid <= $0.last }), range.owner != 0 else {
            return uid
        }
        return range.owner
    }
}

/// /etc/subuid as it is now: it is read again when it has changed.
struct SubordinateUserFile {
    private let path: String
    private var users = SubordinateUsers()
    private var stamp: (seconds: Int, nanoseconds: Int, size: Int, inode: UInt64) = (0, 0, 0, 0)
    /// Room for a million users.
    private static let limit = 1 << 26

    init(path: String = "/etc/subuid") { self.path = path }

    /// The user that a user is charged to.
    mutating func account(of uid: UInt32) -> UInt32 {
        guard uid != 0 else { return 0 }
        var status = stat()
        guard stat(path, &status) == 0 else { return uid }
        let now = (
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec, size: Int(status.st_size),
            inode: UInt64(status.st_ino)
        )
        if now != stamp {
            stamp = now
            let text = SmallFile(at: path, limit: Self.limit).text ?? ""
            users = SubordinateUsers(text: text, accounts: .system)
        }
        return users.account(of: uid)
    }
}
