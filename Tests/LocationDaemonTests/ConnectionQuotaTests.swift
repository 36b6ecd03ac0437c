// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import SystemSupport
import Testing

@testable import LocationDaemon

@Suite("Who may have another connection")
struct ConnectionQuotaTests {
    private let limits = Configuration().limits

    private static func client(_ account: UInt32, _ pid: Int32) -> ConnectionQuota.Client {
        ConnectionQuota.Client(account: account, pid: pid)
    }

    /// Connects as often as it is let, at most `most` times.
    private func fill(
        _ quota: inout ConnectionQuota, _ client: ConnectionQuota.Client, most: Int = 10_000, isAdmin: Bool = false
    ) -> Int {
        for taken in 0..<most {
            guard quota.objection(to: client, limits, isAdmin: { isAdmin }) == nil else { return taken }
            quota.enter(client)
        }
        return most
    }

    @Test("a program that takes all it can leaves room for the user's other programs")
    func otherPrograms() {
        var quota = ConnectionQuota()
        let greedy = ConnectionQuotaTests.client(1000, 1)
        #expect(fill(&quota, greedy) == 56)
        #expect(
            quota.objection(to: greedy, limits, isAdmin: { false })
                == "process 1 has 56 already, and the last 8 of the 64 of user 1000 are kept for its other programs")
        #expect(fill(&quota, ConnectionQuotaTests.client(1000, 2)) == 4)
        #expect(fill(&quota, ConnectionQuotaTests.client(1000, 3)) == 4)
        #expect(
            quota.objection(to: ConnectionQuotaTests.client(1000, 4), limits, isAdmin: { false })
                == "user 1000 has its 64 already")
        quota.leave(greedy)
        #expect(fill(&quota, greedy) == 0)
        #expect(fill(&quota, ConnectionQuotaTests.client(1000, 4)) == 1)
    }

    @Test("administrators have their reserve, and the number that is told is the real one")
    func reserve() {
        var quota = ConnectionQuota()
        for user in 0..<100 { _ = fill(&quota, ConnectionQuotaTests.client(2000 + UInt32(user), 1)) }
        #expect(quota.total == 1016)
        let late = ConnectionQuotaTests.client(5000, 1)
        #expect(
            quota.objection(to: late, limits, isAdmin: { false })
                == "the 1016 that are not kept for administrators are taken")
        #expect(fill(&quota, late, most: 7, isAdmin: true) == 7)
        #expect(fill(&quota, ConnectionQuotaTests.client(0, 1), isAdmin: true) == 1)
        #expect(
            quota.objection(to: ConnectionQuotaTests.client(0, 1), limits, isAdmin: { true }) == "all 1024 are taken")
    }

    @Test("whether somebody administers is asked only when that matters")
    func asksLate() {
        let quota = ConnectionQuota()
        var asked = 0
        _ = quota.objection(to: ConnectionQuotaTests.client(1000, 1), limits) {
            asked += 1
            return false
        }
        #expect(asked == 0)
    }

    @Test("subordinate users count with the user that they belong to; root's own are users as others are")
    func subordinates() {
        let accounts = Accounts(user: { ["bob": 1001, "root": 0][$0] }, group: { _ in nil })
        let text = """
            bob:100000:65536
            1002:165536:65536
            root:1000000:1000000
            nobody knows
            bob:x:3
            bob:0:5
            mallory:300000:5
            bob:4294967295:9

            """
        let users = SubordinateUsers(text: text, accounts: accounts)
        let expected: [UInt32: UInt32] = [
            0: 0, 3: 3, 1001: 1001, 99_999: 99_999, 100_000: 1001, 165_535: 1001, 165_536: 1002, 231_071: 1002,
            231_072: 231_072, 300_001: 300_001, 1_000_001: 1_000_001, .max: 1001,
        ]
        for (uid, account) in expected { #expect(users.account(of: uid) == account, "\(uid)") }
    }

    @Test("the file of subordinate users is read again when it changes")
    func file() throws {
        let directory = try TemporaryDirectory()
        var file = SubordinateUserFile(path: directory.path + "/subuid")
        #expect(file.account(of: 100_000) == 100_000)
        try directory.write("1001:100000:10\n", to: "subuid")
        #expect(file.account(of: 100_000) == 1001)
        try directory.write("1002:100000:100\n", to: "subuid")
        #expect(file.account(of: 100_000) == 1002)
    }
}
