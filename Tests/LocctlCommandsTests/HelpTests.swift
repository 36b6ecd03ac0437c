// SPDX-License-Identifier: Apache-2.0
import LocctlCommands
import Testing

@Suite("Help")
struct HelpTests {
    @Test("the help of every command is as it was agreed", arguments: LocctlCommand.allCases)
    func helpOfCommand(_ command: LocctlCommand) throws {
        try Golden.expect(HelpText.text(for: command), "help-\(command.rawValue)")
    }

    @Test("the overview is as it was agreed")
    func overview() throws {
        try Golden.expect(HelpText.overview, "help")
    }

    @Test("the help of a command names each of its options", arguments: LocctlCommand.allCases)
    func namesOptions(_ command: LocctlCommand) {
        let text = HelpText.text(for: command)
        for option in command.allOptions { #expect(text.contains("  --\(option.name)")) }
    }
}
