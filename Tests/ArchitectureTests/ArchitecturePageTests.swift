// SPDX-License-Identifier: Apache-2.0
import Testing

/// A newcomer finds the way by the names in Documentation/Architecture.md, so each of them has to be there.
@Suite("The page about the architecture")
struct ArchitecturePageTests {
    private static let page = "Documentation/Architecture.md"

    /// What stands between single marks, with the number of its line.
    private static func names() throws -> [(line: Int, name: String)] {
        try SourceTree.lines(of: page).enumerated().flatMap { number, line in
            line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { (number + 1, String($0.element)) }
        }
    }

    private static let ranging = [
        "RangingBeacons", "BeaconRanging", "rangingFailed", "rangingDidFail", "{ ranging }",
    ]

    @Test("names files that are there")
    func files() throws {
        var count = 0
        for (line, name) in try Self.names()
        where name.contains("/") && (name.hasPrefix("Sources") || name.hasPrefix("Tests")) {
            count += 1
            let exists =
                (try? SourceTree.lines(of: name)) != nil || (try? SourceTree.files(in: name, extensions: [])) != nil
            if !exists { Issue.record("\(Self.page):\(line): \(name) is not there") }
        }
        #expect(count > 15)
    }

    @Test("names types, members and cases that are there")
    func types() throws {
        var words = try Set(SourceTree.lines(of: "Package.swift").flatMap(\.words))
        for file in try SourceTree.files(in: "Sources", extensions: ["swift"]) {
            for line in file.lines { words.formUnion(line.words) }
        }
        var count = 0
        for (line, name) in try Self.names()
        where name.first?.isUppercase == true && !name.contains(where: { "/=- ".contains($0) }) {
            for part in name.prefix(while: { $0 != "(" }).split(separator: ".").map(String.init)
            where part != "swift" {
                count += 1
                if !words.contains(part) { Issue.record("\(Self.page):\(line): there is no \(part)") }
            }
        }
        #expect(count > 80)
    }

    @Test(
        "lists every file of the model, the engine, the protocol and the client library that mentions the ranging of beacons"
    )
    func ranging() throws {
        let listed = try Set(
            SourceTree.lines(of: Self.page).compactMap { line in
                line.hasPrefix("- `Sources/") ? line.split(separator: "`").dropFirst().first.map(String.init) : nil
            })
        let rooms = ["Core/LocationModel", "Core/LocationEngine", "Core/LocationProtocol", "Clients/LocationClient"]
        let mentioning = try rooms.flatMap { try SourceTree.files(in: "Sources/\($0)", extensions: ["swift"]) }
            .filter { file in
                file.lines.contains { line in ArchitecturePageTests.ranging.contains { line.contains($0) } }
            }
        #expect(listed == Set(mentioning.map(\.path)))
    }
}
