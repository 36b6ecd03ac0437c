// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("Config/locationd.conf")
struct ConfigurationShippedFileTests {
    private let path: String
    private let lines: [String]

    init() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        path = "/\(root)/Config/locationd.conf"
        lines = String(decoding: try readFile(path), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test("as it is shipped it changes nothing")
    func shipped() throws {
        #expect(try ConfigurationFile.load(named: path) == Configuration())
        #expect(!lines.contains { !$0.hasPrefix("#") && $0.contains("=") })
    }

    @Test("with every key uncommented it is the defaults, and a value changed there arrives")
    func uncommented() throws {
        let text = lines.map { isKey($0) ? String($0.dropFirst()) : $0 }.joined(separator: "\n")
        #expect(try configuration(of: text) == Configuration())
        let changed = text.replacing("Connections=1024", with: "Connections=2048")
        #expect(try configuration(of: changed).limits.connections == 2048)
    }

    @Test("it has every key once, in the order of the table, in its section, with its default")
    func complete() {
        var section = ""
        var found: [String] = []
        for line in lines {
            if line.hasPrefix("[") { section = String(line.dropFirst().dropLast()) }
            if isKey(line) { found.append("[\(section)] \(line.dropFirst())") }
        }
        #expect(
            found == ConfigurationKey.all.map { "[\($0.section)] \($0.name)=\($0.text(in: Configuration()))" })
    }

    @Test("the words above every key say its unit and range as errors do, and whether it needs a restart")
    func explained() {
        for key in ConfigurationKey.all {
            guard let index = lines.firstIndex(where: { $0.hasPrefix("#\(key.name)=") }) else {
                Issue.record("\(key.name) is missing")
                continue
            }
            let words = lines[..<index].reversed().prefix { $0.hasPrefix("# ") }.reversed()
                .map { $0.dropFirst(2) }.joined(separator: " ").lowercased()
            #expect(words.contains(key.allowed.lowercased()), "\(key.name): \(words)")
            #expect(words.contains("needs a restart") != key.appliesOnReload, "\(key.name)")
        }
    }

    @Test("no line is longer than 120 bytes")
    func width() { #expect(!lines.contains { $0.utf8.count > 120 }) }

    private func isKey(_ line: String) -> Bool {
        guard line.hasPrefix("#"), let second = line.dropFirst().first, second.isLetter else { return false }
        return line.contains("=")
    }
}
