// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("The package, for those who depend on it")
struct DependentTests {
    @Test("names no library of the system that only the daemon needs, which SwiftPM would warn of")
    func noSystemPackages() throws {
        let manifest = try SourceTree.lines(of: "Package.swift")
        #expect(!manifest.contains { $0.contains("pkgConfig:") || $0.contains("providers:") })
    }

    @Test("makes warnings errors only where its own Makefile says so")
    func warnings() throws {
        let lines = try SourceTree.lines(of: "Package.swift").filter { $0.contains("treatAllWarnings") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.contains("if isStrict {") }, "\(lines)")
        let name = "LOCATIOND_WARNINGS_AS_ERRORS"
        #expect(
            try SourceTree.lines(of: "Package.swift").contains {
                $0.contains("isStrict = Context.environment[\"\(name)\"]")
            })
        #expect(try SourceTree.lines(of: "Makefile").contains { $0.hasPrefix("export \(name)") })
    }
}

@Suite("The source package for programs")
struct SwiftPackageTests {
    private static let file = "debian/swift-package/Package.swift"

    private func targets() throws -> [String: [String]] {
        let text = try SourceTree.lines(of: SwiftPackageTests.file).joined(separator: " ")
        var targets: [String: [String]] = [:]
        let declarations = text.replacing(".systemLibrary(", with: ".target(").split(separator: ".target(")
        for declaration in declarations.dropFirst() {
            let names = declaration.prefix { $0 != "]" }.split(separator: "\"").filter { $0.first?.isLetter == true }
            let strings = names.map(String.init).filter { $0.allSatisfy { $0.isLetter || $0.isNumber } }
            guard let name = strings.first else { continue }
            targets[name] = declaration.contains("dependencies:") ? Array(strings.dropFirst()) : []
        }
        return targets
    }

    @Test("has the modules and the dependencies of this package")
    func dependencies() throws {
        let targets = try targets()
        #expect(targets.count >= 8)
        for (name, dependencies) in targets where !["CLinux", "CRunLoop", "CSubmodules"].contains(name) {
            let rule = try #require(moduleTable.first { $0.name == name }, "\(name) is no module")
            #expect(dependencies.sorted() == rule.modules.sorted(), "\(name)")
            for dependency in dependencies { #expect(targets[dependency] != nil, "\(dependency) is missing") }
        }
    }

    @Test("is shipped with the sources of all its modules")
    func sources() throws {
        let rules = try SourceTree.lines(of: "debian/rules").joined(separator: " ")
        let shipped = rules.split(separator: "$(addprefix Sources/*/,").dropFirst().first?.prefix { $0 != ")" } ?? ""
        let names = Set(shipped.split { !$0.isLetter }.map(String.init))
        #expect(names == Set(try targets().keys))
    }
}
