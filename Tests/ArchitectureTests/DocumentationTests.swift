// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import manual_pages

@Suite("Documentation")
struct DocumentationTests {
    @Test("the protocol's reference is what the code says (make reference writes it)")
    func reference() throws {
        try DocumentationTests.expect("Documentation/Protocol.md", ProtocolReference.filled)
    }

    @Test("the metrics are what the code says (make reference writes them)")
    func metrics() throws {
        try DocumentationTests.expect("Documentation/Metrics.md", MetricsReference.filled)
    }

    private static func expect(_ path: String, _ fill: ([String]) -> [String]?) throws {
        let page = try SourceTree.lines(of: path)
        let filled = try #require(fill(page))
        for (number, (written, known)) in zip(page, filled).enumerated() where written != known {
            Issue.record("\(path):\(number + 1) says \(written), the code says \(known)")
            return
        }
        #expect(page.count == filled.count)
    }

    @Test("every rule, section and page that a test or a comment cites is in the tree")
    func citations() throws {
        let rules = try numbers(of: "Documentation/CoreLocation.md") { $0.firstMatch(of: /^\| ([A-Z]+[0-9]+m?) \|/)?.1 }
        let sections = try numbers(of: "Documentation/Protocol.md") {
            $0.firstMatch(of: /^(?:\*\*|## )([0-9]+(?:\.[0-9]+)?)[. ]/)?.1
        }
        let pages = try Set(DocumentationTests.pages())
        #expect(rules.count > 90 && sections.count > 60)
        for file in try DocumentationTests.code() where !file.path.hasPrefix("Tests/ArchitectureTests/") {
            for (number, line) in file.lines.enumerated() {
                let cited = Citations(in: line)
                let missing =
                    cited.rules.filter { !rules.contains($0) } + cited.sections.filter { !sections.contains($0) }
                    + cited.papers.filter { !pages.contains($0) && !pages.contains("Documentation/\($0)") }
                for citation in missing {
                    Issue.record("\(file.path):\(number + 1) cites \(citation), which Documentation does not have")
                }
            }
        }
    }

    @Test(
        "citations are found in each form",
        arguments: [
            ("/// (rules A1, A2)", ["A1", "A2"], [], []), ("/// Rule R4.", ["R4"], [], []),
            ("/// (Protocol 6, rules C1m to C5m)", ["C1m", "C5m"], ["6"], []),
            (#"@Test("a name (F12, F21)")"#, ["F12", "F21"], [], []),
            ("// (Protocol 4.4, 8.1).", [], ["4.4", "8.1"], []),
            ("// see reference/gpsd.md 5", [], [], ["reference/gpsd.md"]), ("/// (CL 4.8)", [], [], ["CL 4.8"]),
            ("/// row A8", [], [], ["row A8"]), ("let protocols = 6 // a rule of thumb", [], [], []),
        ] as [(String, [String], [String], [String])])
    func forms(line: String, rules: [String], sections: [String], papers: [String]) {
        let found = Citations(in: line)
        #expect(found.rules == rules && found.sections == sections && found.papers == papers)
    }

    private func numbers(of page: String, _ number: (String) -> Substring?) throws -> Set<String> {
        try Set(SourceTree.lines(of: page).compactMap { number($0).map(String.init) })
    }

    private static func pages() throws -> [String] {
        try SourceTree.files(in: "Documentation", extensions: ["md"]).map(\.path)
            + SourceTree.files(in: "Sources/Clients/CoreLocation", extensions: ["md"]).flatMap { page in
                [page.path] + page.path.split(separator: "/").suffix(1).map(String.init)
            } + ["README.md", "CONTRIBUTING.md"]
    }

    private static func code() throws -> [SourceFile] {
        try ["Sources", "Samples", "Tests"].flatMap {
            try SourceTree.files(in: $0, extensions: ["swift", "c", "h", "py", "sh"])
        }
    }
}
