// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Imports")
struct ImportTests {
    @Test("every module imports only what the table allows", arguments: moduleTable.map(\.name))
    func allowedImports(module: String) throws {
        let rule = try #require(moduleTable.first { $0.name == module })
        let files = try SourceTree.files(in: rule.directory, extensions: ["swift"])
        #expect(!files.isEmpty, "\(rule.directory) holds no Swift file")
        for file in files {
            for (index, line) in file.lines.enumerated() {
                guard let found = ImportStatement(line: line) else { continue }
                let isAllowed = (rule.modules + rule.system).contains(found.module)
                #expect(
                    isAllowed,
                    "\(file.path):\(index + 1): \(module) may not import \(found.module) (\(rule.reason))")
            }
        }
    }

    @Test("the values use only the mathematics of the C library")
    func modelUsesOnlyMathematics() throws {
        for file in try SourceTree.files(in: "Sources/Core/LocationModel", extensions: ["swift"]) {
            for (index, line) in file.lines.enumerated() {
                guard let found = ImportStatement(line: line), found.module == "Glibc" else { continue }
                #expect(
                    found.scope == "func",
                    "\(file.path):\(index + 1): import single functions, as in `import func Glibc.sin`")
            }
        }
    }

    @Test("the table and the sources have the same modules")
    func noModuleOutsideTheTable() throws {
        let files =
            try SourceTree.files(in: "Sources", extensions: ["swift"])
            + SourceTree.files(in: "Samples", extensions: ["swift"])
        #expect(Set(files.map(\.target)) == Set(moduleTable.filter { $0.parent != "Tests" }.map(\.name)))
        for rule in moduleTable {
            let strayed = files.filter { $0.target == rule.name && !$0.path.hasPrefix(rule.directory + "/") }
            #expect(strayed.isEmpty, "the table has \(rule.name) in \(rule.directory)")
        }
    }

    @Test("the table and Package.swift say the same", arguments: moduleTable.map(\.name))
    func manifest(module: String) throws {
        let rule = try #require(moduleTable.first { $0.name == module })
        let text = try SourceTree.lines(of: "Package.swift").joined(separator: " ")
        let declarations = text.split(separator: "arget(").dropFirst().filter { declaration in
            declaration.drop { $0 == " " }.hasPrefix("name: \"\(module)\"")
        }
        let declaration = try #require(declarations.first, "Package.swift has no target \(module)")
        let list = declaration.split(separator: "dependencies: [", maxSplits: 1).dropFirst().first?.prefix { $0 != "]" }
        let dependencies = (list ?? "").split(separator: "\"").filter { $0.first?.isLetter == true }.map(String.init)
        #expect(dependencies.sorted() == rule.modules.sorted())
    }

    @Test(
        "an import is recognised in every form",
        arguments: [
            ("import Glibc", "Glibc", ""), ("  import   Glibc  // why", "Glibc", ""),
            ("@testable import LocationEngine", "LocationEngine", ""),
            ("@preconcurrency public import Foundation", "Foundation", ""),
            ("package import LocationModel", "LocationModel", ""), ("@_exported import CGPS", "CGPS", ""),
            ("@_spi(Internal) internal import A.B.C", "A", ""), ("import func Glibc.sin", "Glibc", "func"),
            ("private import struct FoundationEssentials.Data", "FoundationEssentials", "struct"),
            ("fileprivate import CSystemd;", "CSystemd", ""), ("import `class`", "class", ""),
        ])
    func recognised(line: String, module: String, scope: String) {
        #expect(ImportStatement(line: line)?.module == module)
        #expect(ImportStatement(line: line)?.scope == scope)
    }

    @Test(
        "what is no import is not taken for one",
        arguments: [
            "", "// import Glibc", "/// import Glibc", "let text = \"import Glibc\"", "important()",
            "func import_it() {}",
            "public func f()",
        ])
    func notAnImport(line: String) {
        #expect(ImportStatement(line: line) == nil)
    }
}
