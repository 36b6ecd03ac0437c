// SPDX-License-Identifier: Apache-2.0
import LocationProtocol
import LocctlCommands

/// A page with lines such as `@methods@`, each of which stands for what the code knows.
enum Template {
    /// The page with all such lines replaced.
    static func filled(_ lines: [String], settings: [String]) throws(PageError) -> [String] {
        var page: [String] = []
        for line in lines {
            guard line.hasPrefix("@"), line.hasSuffix("@"), line.utf8.count > 2 else {
                page.append(line)
                continue
            }
            switch line.dropFirst().dropLast() {
            case "settings": page += settings
            case "common-options": page += Commands.commonOptions
            case "commands": page += Commands.all
            case "methods": page += Protocol.methods
            case "notifications": page += Protocol.notifications
            case "errors": page += Protocol.errors
            default: throw PageError(description: "cannot fill \(line): nothing is known by that name")
            }
        }
        return page
    }

    /// `text` with what scdoc takes for markup escaped.
    static func escaped(_ text: some StringProtocol) -> String {
        String(text.flatMap { "\\*_#".contains($0) ? ["\\", $0] : [$0] })
    }

    /// An entry of a list: a term in bold, an operand, and paragraphs below it.
    static func entry(_ term: String, _ operand: String? = nil, _ paragraphs: [String]) -> [String] {
        let head = "*\(escaped(term))*" + (operand.map { " _\(escaped($0))_" } ?? "")
        return [head] + paragraphs.enumerated().flatMap { ($0.offset > 0 ? [""] : []) + ["\t" + escaped($0.element)] }
            + [""]
    }
}

/// The sections and keys of the shipped configuration file, which has each key with its default, unit and range.
enum Settings {
    /// A heading for each section, an entry for each key.
    static func sections(_ lines: [String]) -> [String] {
        var page: [String] = []
        var comment: [String] = []
        for line in lines {
            if line.hasPrefix("[") {
                let about = comment.joined(separator: " ").drop { $0 == "-" || $0 == " " }
                page += ["# \(Template.escaped(line)) SECTION", "", Template.escaped(about), ""]
                comment = []
            } else if line.hasPrefix("# ") {
                comment.append(String(line.dropFirst(2)))
            } else if line.hasPrefix("#"), let equals = line.firstIndex(of: "="), !page.isEmpty {
                let key = line[line.index(after: line.startIndex)...equals]
                let value = line[line.index(after: equals)...]
                page += Template.entry(
                    String(key), nil,
                    [comment.joined(separator: " "), "Default: \(value.isEmpty ? "none" : String(value))."])
                comment = []
            } else if line.isEmpty {
                comment = []
            }
        }
        return page
    }
}

/// The commands of locctl, from its own help.
enum Commands {
    /// The text before every command.
    static var commonOptions: [String] { LocctlOption.common.flatMap { option($0, $0.commonHelp) } }

    /// A heading for each.
    static var all: [String] { LocctlCommand.allCases.flatMap(command) }

    private static func command(_ command: LocctlCommand) -> [String] {
        var page = ["## \(Template.escaped(command.rawValue))", ""]
        for form in HelpText.usages(of: command) { page += ["*locctl* \(Template.escaped(form))", ""] }
        for paragraph in paragraphs(command.explanation) { page += [Template.escaped(paragraph), ""] }
        page += command.options.flatMap { option($0, $0.help) }
        if !command.examples.isEmpty { page += [command.examples.count == 1 ? "Example:" : "Examples:", ""] }
        for example in command.examples { page += ["\t\(Template.escaped(example))", ""] }
        return page
    }

    private static func option(_ option: LocctlOption, _ help: String) -> [String] {
        Template.entry("--\(option.name)", option.placeholder, [help])
    }

    private static func paragraphs(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).split(separator: "")
            .map { $0.joined(separator: " ") }
    }
}

/// The methods and notifications, from the tables that `rpc.discover` is made of.
enum Protocol {
    /// Each method with its members.
    static var methods: [String] {
        Method.allCases.flatMap { row in
            Template.entry(
                row.name, nil, [sentence(row.summary, row.coreLocation)] + row.params.map(member))
        }
    }

    /// Each notification with its members.
    static var notifications: [String] {
        Notification.rows.flatMap { row in
            Template.entry(row.name, nil, [sentence(row.summary, row.coreLocation)] + row.params.map(member))
        }
    }

    /// The codes of JSON-RPC's errors.
    static var errors: [String] { RPCErrorCode.names.flatMap { ["*\($0.name)* (\($0.code.rawValue))", ""] } }

    private static func sentence(_ summary: String, _ coreLocation: String?) -> String {
        let end = summary.hasSuffix(".") ? "" : "."
        return summary + end + (coreLocation.map { " Core Location: \($0)." } ?? "")
    }

    private static func member(_ member: JSONSchema.Member) -> String {
        "\(member.name): \(member.summary)" + (member.isRequired ? " (required)" : "")
    }
}
