// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import manual_pages

@Suite("Documentation")
struct DocumentationTests {
    @Test("the protocol's reference is what the code says (make reference writes it)")
    func reference() throws {
        let page = try SourceTree.lines(of: "Documentation/Protocol.md")
        let filled = try #require(ProtocolReference.filled(page))
        for (number, (written, known)) in zip(page, filled).enumerated() where written != known {
            Issue.record("Documentation/Protocol.md:\(number + 1) says \(written), the code says \(known)")
            return
        }
        #expect(page.count == filled.count)
    }

    @Test("every rule of Core Location that a test or a comment cites stands in Documentation/CoreLocation.md")
    func rules() throws {
        let rules = try Set(
            SourceTree.lines(of: "Documentation/CoreLocation.md").compactMap { line in
                line.firstMatch(of: /^\| ([A-Z]+[0-9]+m?) \|/).map { String($0.1) }
            })
        #expect(rules.count > 90)
        for file in try DocumentationTests.code() {
            for (number, line) in file.lines.enumerated() {
                for rule in DocumentationTests.cited(in: line) where !rules.contains(rule) {
                    Issue.record("\(file.path):\(number + 1) cites \(rule), which Documentation/CoreLocation.md lacks")
                }
            }
        }
    }

    private static func code() throws -> [SourceFile] {
        try ["Sources", "Samples", "Tests"].flatMap { try SourceTree.files(in: $0, extensions: ["swift"]) }
    }

    /// Rules in the brackets that end a test's name, and behind the word "rule".
    private static func cited(in line: String) -> [String] {
        let named = line.matches(of: /\(([A-Z][0-9]+m?(?:, [A-Z][0-9]+m?)*)\)"/).flatMap { match in
            match.1.split(separator: ", ").map(String.init)
        }
        let commented = line.matches(of: /\b(?:rule|row) ([A-Z][0-9]+m?)\b/).map { String($0.1) }
        return named + commented
    }

    @Test("every rule of the protocol that a test or a comment cites stands in Documentation/Protocol.md")
    func protocolRules() throws {
        let rules = try Set(
            SourceTree.lines(of: "Documentation/Protocol.md").compactMap { line in
                line.firstMatch(of: /^\*\*([0-9]+\.[0-9]+)\s/).map { String($0.1) }
            })
        #expect(rules.count > 50)
        for file in try DocumentationTests.code() {
            for (number, line) in file.lines.enumerated() {
                for match in line.matches(of: /\bProtocol ([0-9]+\.[0-9]+)\b/) where !rules.contains(String(match.1)) {
                    Issue.record("\(file.path):\(number + 1) cites \(match.1), which Documentation/Protocol.md lacks")
                }
            }
        }
    }
}
