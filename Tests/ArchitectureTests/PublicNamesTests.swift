// SPDX-License-Identifier: Apache-2.0
import Testing

/// A developer looks up in `OnAppleAndHere.md` whether a name is Apple's, so it has to have every name that there is.
@Suite("The public names of CoreLocation")
struct PublicNamesTests {
    private static let article = "Sources/Clients/CoreLocation/CoreLocation.docc/OnAppleAndHere.md"
    private static let introducers: Set<Substring> = [
        "func", "var", "let", "class", "struct", "enum", "actor", "protocol", "typealias",
    ]
    /// What every object and stream has, and nobody looks up.
    private static let common: Set<String> = [
        "copy", "encode", "supportsSecureCoding", "isEqual", "hash", "description", "debugDescription",
        "errorDescription", "Element",
        "Failure",
        "Iterator", "makeAsyncIterator", "next",
    ]

    /// The name that a line declares for programs; nil: none.
    private static func declaredName(_ line: String) -> String? {
        let words = line.split(whereSeparator: { " (<:".contains($0) })
        guard let access = words.firstIndex(where: { $0 == "public" || $0 == "open" }), !words.contains("import"),
            line.drop(while: { $0 == " " }).first != "/", !words.contains("override"), !words.contains("extension")
        else { return nil }
        // `class func` declares a function.
        guard let last = words[access...].prefix(4).lastIndex(where: { introducers.contains($0) }) else { return nil }
        let name = words[last...].dropFirst().first.map { $0.filter { $0.isLetter || $0.isNumber || $0 == "_" } }
        return name.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func documentedNames() throws -> Set<String> {
        var names: Set<String> = []
        for line in try SourceTree.lines(of: article) {
            for (index, span) in line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            where index % 2 == 1 {
                names.formUnion(span.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
            }
        }
        return names
    }

    @Test("are all in the table that compares them with Apple's")
    func documented() throws {
        // Names between doubled marks, which link to a symbol, are outside of single ones.
        let text = try SourceTree.lines(of: PublicNamesTests.article).joined(separator: "\n")
        let documented = try PublicNamesTests.documentedNames()
        var count = 0
        for file in try SourceTree.files(in: "Sources/Clients/CoreLocation", extensions: ["swift"]) {
            for (index, line) in file.lines.enumerated() {
                guard let name = PublicNamesTests.declaredName(line), !PublicNamesTests.common.contains(name) else {
                    continue
                }
                count += 1
                #expect(
                    documented.contains(name) || text.contains("``\(name)``"),
                    "\(file.path):\(index + 1): \(name) is not in \(PublicNamesTests.article)")
            }
        }
        #expect(count > 150)
    }

    /// What the table names and this module does not declare: names of the language, of Foundation, of files and of other modules.
    private static let foreign: Set<String> = [
        "CoreLocationSimulation", "Info", "NSObjectProtocol", "Sendable", "init", "localizedDescription", "plist",
    ]

    /// The names in the first column of the rows that say that a name is here.
    private static func promisedNames() throws -> [(name: String, row: String)] {
        var names: [(String, String)] = []
        for row in try SourceTree.lines(of: article) where row.hasPrefix("| ") {
            let cells = row.dropFirst(2).split(separator: " | ").map(String.init)
            guard cells.count >= 2, !cells[1].hasPrefix("absent"), let column = cells.first else { continue }
            let spans = column.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }
            for span in spans {
                names += span.element.prefix { $0 != "(" }.split(separator: ".").map { (String($0), row) }
            }
        }
        return names
    }

    @Test("are what the table says is here")
    func promised() throws {
        var declared = PublicNamesTests.foreign
        for file in try SourceTree.files(in: "Sources/Clients/CoreLocation", extensions: ["swift"]) {
            let isProtocol = file.path.hasSuffix("CLLocationManagerDelegate.swift")
            for line in file.lines {
                let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
                if let name = PublicNamesTests.declaredName(line) { declared.insert(name) }
                // Requirements of a protocol and cases have no access level of their own.
                let isCase = line.drop { $0 == " " }.hasPrefix("case ") && !line.contains("case .")
                if isCase || isProtocol && words.first == "func" { declared.formUnion(words.dropFirst().prefix(1)) }
                if line.contains("open override var hash") { declared.formUnion(["hash", "isEqual"]) }
            }
        }
        let promised = try PublicNamesTests.promisedNames()
        #expect(promised.count > 200)
        for (name, row) in promised { #expect(declared.contains(name), "\(name) is not here: \(row)") }
    }

    @Test(
        "are recognised",
        arguments: [
            ("public let kCLHeadingFilterNone: CLLocationDegrees = -1", "kCLHeadingFilterNone"),
            ("    open class func headingAvailable() -> Bool { true }", "headingAvailable"),
            ("open class CLRegion: NSObject {", "CLRegion"),
            ("    public static var denied: Code { .denied }", "denied"),
            ("    @available(*, deprecated) public var a: Int", "a"), ("public actor CLMonitor {", "CLMonitor"),
            ("    nonisolated(nonsending) open func f(", "f"), ("    public mutating func next() {}", "next"),
        ])
    func recognised(line: String, name: String) {
        #expect(PublicNamesTests.declaredName(line) == name)
    }

    @Test(
        "are not taken from what is no declaration for programs",
        arguments: [
            "public import Foundation", "    package var modelled: Region? {", "/// public let a = 1", "    let a = 1",
            "    open override var hash: Int { 0 }", "    public init() {}", "public extension A {",
        ])
    func notRecognised(line: String) {
        #expect(PublicNamesTests.declaredName(line) == nil)
    }
}
