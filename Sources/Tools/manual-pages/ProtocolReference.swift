// SPDX-License-Identifier: Apache-2.0
import LocationProtocol

/// The last chapter of Documentation/Protocol.md, from the table that `rpc.discover` is made of.
enum ProtocolReference {
    /// The page begins to be the code's at this line.
    static let heading = "## 9. Reference"

    /// `page` with its last chapter as the code knows it; nil: the page has no such chapter.
    static func filled(_ page: [String]) -> [String]? {
        guard let start = page.firstIndex(of: heading) else { return nil }
        return Array(page[..<start]) + chapter
    }

    /// The chapter, line by line.
    static var chapter: [String] {
        [heading, "", "`make reference` writes this chapter from the code.", "", "### 9.1 Methods", ""]
            + Method.allCases.flatMap(method) + ["### 9.2 Notifications", ""]
            + ["Each has `seq` (4.1), too.", ""] + Notification.rows.flatMap(notification)
            + ["### 9.3 Errors of JSON-RPC", "", "| code | `error.data.name` | when |", "|---|---|---|"]
            + RPCErrorCode.names.map { "| \($0.code.rawValue) | `\($0.name)` | \(OpenRPC.explanation($0.code)) |" }
            + ["", "### 9.4 Values", ""] + OpenRPC.schemas.sorted { $0.key < $1.key }.flatMap(value)
    }

    private static func method(_ row: Method) -> [String] {
        let result = row.result == .nothing ? [] : ["Result: \(type(row.result))."]
        let errors =
            row.errors.isEmpty ? [] : ["Errors: " + row.errors.map { "`\($0.name)`" }.joined(separator: ", ") + "."]
        return ["#### \(row.name)", "", sentence(row.summary, row.coreLocation), ""] + table(row.params)
            + paragraph(result + errors) + (resultTable(row.result))
    }

    private static func notification(_ row: NotificationRow) -> [String] {
        ["#### \(row.name)", "", sentence(row.summary, row.coreLocation), ""] + table(row.params)
    }

    private static func value(_ entry: (key: String, value: JSONSchema)) -> [String] {
        guard entry.key != "any" else { return [] }
        let members = flattened(entry.value, path: "")
        return ["#### \(entry.key) (value)", ""] + (members.isEmpty ? [type(entry.value) + ".", ""] : rows(members))
    }

    private static func resultTable(_ result: JSONSchema) -> [String] {
        let members = flattened(result, path: "")
        return members.isEmpty ? [] : rows(members)
    }

    private static func paragraph(_ sentences: [String]) -> [String] {
        sentences.isEmpty ? [] : [sentences.joined(separator: " "), ""]
    }

    private static func sentence(_ summary: String, _ coreLocation: String?) -> String {
        let end = summary.hasSuffix(".") ? "" : "."
        return summary + end + (coreLocation.map { " Core Location: \(name($0))." } ?? "")
    }

    /// Names of Core Location's are set as code, sentences about it are not.
    private static func name(_ coreLocation: String) -> String {
        coreLocation.contains(" ") ? coreLocation : "`\(coreLocation)`"
    }

    // MARK: Tables

    private struct Row {
        var name: String
        var member: JSONSchema.Member
    }

    private static func table(_ members: [JSONSchema.Member]) -> [String] {
        members.isEmpty ? [] : rows(members.flatMap { flattened($0, path: "") })
    }

    private static func rows(_ rows: [Row]) -> [String] {
        ["| member | type | meaning |", "|---|---|---|"]
            + rows.map { row in
                let required = row.member.isRequired ? "" : "optional; "
                return "| `\(row.name)` | \(cell(type(row.member.schema))) | \(cell(required + row.member.summary)) |"
            } + [""]
    }

    private static func cell(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }

    /// A member, and behind it the members of what it is or contains.
    private static func flattened(_ member: JSONSchema.Member, path: String) -> [Row] {
        let name = path + member.name
        return [Row(name: name, member: member)] + flattened(member.schema, path: name + ".")
    }

    private static func flattened(_ schema: JSONSchema, path: String) -> [Row] {
        switch schema {
        case .object(let members): members.flatMap { flattened($0, path: path) }
        case .array(let element): flattened(element, path: path.isEmpty ? "" : path.dropLast() + "[].")
        case .anyOf(let choices): choices.flatMap { flattened($0, path: path) }
        default: []
        }
    }

    // MARK: Types

    private static func type(_ schema: JSONSchema) -> String {
        switch schema {
        case .boolean: "true or false"
        case .null: "null"
        case .number(let minimum, let exclusive, let maximum):
            number(above: exclusive, from: minimum, to: maximum)
        case .numbers(let numbers): numbers.map(plain).joined(separator: ", ")
        case .integer(let minimum, 9_007_199_254_740_991): "integer >= \(minimum)"
        case .integer(let minimum, let maximum): "integer, \(minimum) to \(maximum)"
        case .string(_, let length):
            [.time, .givenTime].contains(schema) ? "time" : length.map { "string, at most \($0) bytes" } ?? "string"
        case .words(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .array(let element): "array of \(type(element))"
        case .object: "object"
        case .map(let value): "object, of names to \(type(value))"
        case .anyOf(let choices): choices.map(type).joined(separator: ", or ")
        case .named(let name): name == "any" ? "any value" : "[\(name)](#\(name.lowercased())-value)"
        }
    }

    private static func number(above exclusive: Double?, from minimum: Double?, to maximum: Double?) -> String {
        if let minimum, minimum == maximum { return plain(minimum) }
        let bounds = [
            exclusive.map { "> \(plain($0))" }, minimum.map { ">= \(plain($0))" }, maximum.map { "<= \(plain($0))" },
        ]
        return (["number"] + bounds.compactMap { $0 }).joined(separator: " ")
    }

    private static func plain(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
    }
}
