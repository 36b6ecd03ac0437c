// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import LocctlCommands
import Testing

@Suite("Completion in bash")
struct CompletionTests {
    /// What bash offers for the last of `words`.
    private func offers(_ words: [String]) throws -> Set<String> {
        let file = try BuildProducts.packageDirectory() + "/Sources/Clients/locctl/completions/locctl.bash"
        let script = """
            . "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _locctl; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let bash = try ChildProcess(
            try requireProgram("bash"), ["--norc", "-c", script, "bash", file, "locctl"] + words)
        #expect(try bash.waitForExit() == .exited(0))
        #expect(bash.standardError.isEmpty)
        return Set(bash.outputLines)
    }

    @Test("every command is offered, and nothing else")
    func commands() throws {
        let commands = Set(LocctlCommand.allCases.map(\.rawValue))
        #expect(try offers([""]) == commands)
        #expect(try offers(["--socket", "/s", "--json", ""]) == commands)
        #expect(try offers(["help", ""]) == commands)
        #expect(try offers(["sta"]) == ["status"])
    }

    @Test("every option of a command is offered, and nothing else", arguments: LocctlCommand.allCases)
    func options(_ command: LocctlCommand) throws {
        #expect(try offers([command.rawValue, "--"]) == Set(command.allOptions.map { "--\($0.name)" }))
    }

    @Test("the options without a command are offered")
    func optionsWithoutCommand() throws {
        #expect(try offers(["-"]) == Set((LocctlOption.common + [.version]).map { "--\($0.name)" }))
    }

    @Test(
        "every word that an option takes is offered",
        arguments: LocctlOption.allCases.filter { $0.takesArgument && $0 != .socket && $0 != .output })
    func words(_ option: LocctlOption) throws {
        let command = try #require(LocctlCommand.allCases.first { $0.options.contains(option) }).rawValue
        #expect(try offers([command, "--\(option.name)", ""]) == Set(option.words))
        #expect(try offers([command, "--\(option.name)", "=", ""]) == Set(option.words))
    }

    @Test("every word that a command takes is offered, and nothing else", arguments: LocctlCommand.allCases)
    func operands(_ command: LocctlCommand) throws {
        #expect(try offers([command.rawValue, ""]) == Set(command.operandWords.first))
        #expect(try offers([command.rawValue, "5", ""]) == Set(command.operandWords.second))
        #expect(try offers([command.rawValue, "--app", "5", ""]) == Set(command.operandWords.first))
    }
}
