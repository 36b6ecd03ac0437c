// SPDX-License-Identifier: Apache-2.0

/// The text that `--help` prints; from the tables of commands and options.
package enum HelpText {
    /// The commands.
    package static var overview: String {
        var lines = [
            "Usage: locctl [OPTION]... COMMAND [ARGUMENT]...", "",
            "Asks locationd, the location service, where this device is.", "", "Commands:",
        ]
        lines += LocctlCommand.allCases.map { command in
            let operand = command.operand.map { " " + (command.needsOperand ? $0 : "[\($0)]") } ?? ""
            return leftAligned("  \(command.rawValue)\(operand)", 26) + command.summary
        }
        lines += ["", "Options everywhere:"]
        lines += LocctlOption.common.map { describe($0, $0.commonHelp) }
        lines += ["", "Options without a command:"] + [describe(.version)]
        lines += [
            "", "`locctl help COMMAND` tells more about a command.",
            "Exit status: 0 done, 1 the daemon said no, 2 wrong command line, 3 no daemon.", "",
        ]
        return lines.joined(separator: "\n")
    }

    /// How a command is written, from its name on.
    package static func usages(of command: LocctlCommand) -> [String] {
        let forms = command.forms
        let usages = forms.isEmpty ? [command.operand.map { "[OPTION]... [\($0)]" } ?? "[OPTION]..."] : forms
        return usages.map { "\(command.rawValue) \($0)" }
    }

    /// One command.
    package static func text(for command: LocctlCommand) -> String {
        var lines = usages(of: command).enumerated().map { number, form in
            (number == 0 ? "Usage: " : "       ") + "locctl \(form)"
        }
        lines += ["", paragraphs(command.explanation)]
        if !command.options.isEmpty { lines += [""] + command.options.map(describe) }
        lines += [""] + command.commonOptions.map(describe)
        if !command.examples.isEmpty { lines += ["", "Examples:"] + command.examples.map { "  " + $0 } }
        lines += ["", paragraphs(command.exitStatus), ""]
        return lines.joined(separator: "\n")
    }

    private static let style = Style(width: 80)

    private static func describe(_ option: LocctlOption) -> String { describe(option, option.help) }

    private static func describe(_ option: LocctlOption, _ text: String) -> String {
        let name = "  --\(option.name)" + (option.placeholder.map { " \($0)" } ?? "")
        return style.wrapped(text, behind: leftAligned(name, 30))
    }

    // Paragraphs are kept, the breaks of lines within them are made anew.
    private static func paragraphs(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .split(separator: "")
            .map { style.wrapped($0.joined(separator: " ")) }
            .joined(separator: "\n\n")
    }
}
