// SPDX-License-Identifier: Apache-2.0
import SystemSupport
import Testing

@testable import LocationGeoClue

@Suite("Who is asked, and about whom")
struct OptionTests {
    private static let accounts = Accounts(
        user: { ["root": 0, "ada": 1000, "ben": 1001][$0] }, group: { ["locationd": 70, "staff": 50][$0] })

    private static func options(_ arguments: String...) throws(UsageError) -> GeoClueOptions {
        try GeoClueOptions(arguments: ["locationd-geoclue"] + arguments, accounts: accounts)
    }

    @Test(
        "as shipped, root and the members of the group locationd are always told, and who sits here has agents that are heard"
    )
    func shipped() throws {
        let rules = try OptionTests.options().rules
        #expect(rules.alwaysAllows(0, groups: []))
        #expect(rules.alwaysAllows(1000, groups: [1000, 70]))
        #expect(!rules.alwaysAllows(1000, groups: [1000]))
        #expect(rules.hearsAgent(of: 1000, sitsHere: true))
        #expect(!rules.hearsAgent(of: 1000, sitsHere: false))
        #expect(try OptionTests.options().idleSeconds == 60)
    }

    @Test("lists of users and groups take the place of those")
    func lists() throws {
        let rules = try OptionTests.options("--always-users", "ada,1005", "--always-groups", "staff").rules
        #expect(rules.alwaysUsers == [1000, 1005])
        #expect(rules.alwaysGroups == [50])
        #expect(try OptionTests.options("--always-users", "").rules.alwaysUsers.isEmpty)
    }

    @Test("agents of everybody, of nobody, or of some users are heard, wherever they sit")
    func agents() throws {
        #expect(try OptionTests.options("--agents", "everybody").rules.hearsAgent(of: 7, sitsHere: false))
        #expect(try !OptionTests.options("--agents", "nobody").rules.hearsAgent(of: 7, sitsHere: true))
        let rules = try OptionTests.options("--agents", "ada,ben").rules
        #expect(rules.hearsAgent(of: 1001, sitsHere: false))
        #expect(!rules.hearsAgent(of: 1002, sitsHere: true))
    }

    @Test(
        "what cannot be understood is refused, with what is allowed",
        arguments: [
            (["--always-users", "eve"], "cannot find a user eve: a name or a number is allowed"),
            (["--always-groups", "eve"], "cannot find a group eve: a name or a number is allowed"),
            (["--agents", "eve"], "cannot find a user eve: a name or a number is allowed"),
            (["--idle", "-1"], "cannot use --idle -1: 0 to 86400 seconds are allowed"),
            (["--idle", "soon"], "cannot use --idle soon: 0 to 86400 seconds are allowed"),
            (["--idle"], "cannot understand --idle: it needs an argument"),
            (["--fast"], "cannot understand the option --fast"),
            (["more"], "cannot understand more: no arguments are expected"),
        ])
    func refused(arguments: [String], message: String) {
        let error = #expect(throws: UsageError.self) {
            try GeoClueOptions(arguments: ["locationd-geoclue"] + arguments, accounts: OptionTests.accounts)
        }
        #expect(error?.message == message)
    }

    @Test("each of several threads reads its own command line")
    func together() async {
        await withTaskGroup(of: Void.self) { group in
            for user in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        let rules = try? OptionTests.options("--always-users", "\(user)", "--idle", "\(user)").rules
                        #expect(rules?.alwaysUsers == [UInt32(user)])
                    }
                }
            }
        }
    }
}
