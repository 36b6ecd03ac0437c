// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@testable import LocationGeoClue

@Suite("The descriptions of the interfaces that are shipped", .blocking)
struct InterfaceFileTests {
    /// The elements of an interface with their attributes, in any order.
    private static func elements(of interface: String, in text: String) -> Set<String> {
        var found: Set<String> = []
        var (isInside, member) = (false, "")
        for part in text.split(separator: "<").dropFirst() {
            let tag = part.prefix { $0 != ">" }
            let name = String(tag.prefix { $0.isLetter })
            let attributes = tag.split(separator: "\"", omittingEmptySubsequences: false)
            var values: [String: String] = [:]
            for index in stride(from: 0, to: attributes.count - 1, by: 2) {
                let key = attributes[index].split(separator: " ").last.map { $0.filter(\.isLetter) } ?? ""
                values[key] = String(attributes[index + 1])
            }
            if name == "interface" { isInside = values["name"] == interface }
            guard isInside, ["method", "property", "signal", "arg"].contains(name) else { continue }
            if name != "arg" { member = values["name"] ?? "" }
            let text = values.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
            found.insert("\(member): \(name) \(text)")
        }
        return found
    }

    private static func shipped(_ name: String) throws -> String {
        let root = try BuildProducts.packageDirectory()
        return String(
            decoding: try readFile("\(root)/systemd/interfaces/org.freedesktop.GeoClue2\(name).xml"), as: UTF8.self)
    }

    @Test("say what the bridge says of itself")
    func same() throws {
        let desktop = try Desktop()
        let peer = try desktop.peer()
        let client = try peer.client()
        #expect(try peer.start(client) == nil)
        try desktop.drive(until: "a location") { try !peer.updates(of: client).isEmpty }
        let objects = [
            ("Manager", ObjectPaths.manager), ("Client", client),
            ("Location", try #require(try peer.updates(of: client).last?.new)),
        ]
        for (name, path) in objects {
            let interface = "org.freedesktop.GeoClue2.\(name)"
            let answer = try peer.ask(path, "org.freedesktop.DBus.Introspectable", "Introspect")
            let served = InterfaceFileTests.elements(of: interface, in: answer.values.first?.string ?? "")
            #expect(!served.isEmpty)
            for file in [".\(name)", ""] {
                #expect(InterfaceFileTests.elements(of: interface, in: try InterfaceFileTests.shipped(file)) == served)
            }
        }
    }

    @Test("say of an agent what the bridge calls")
    func agent() throws {
        let agent = InterfaceFileTests.elements(of: Agents.interface, in: try InterfaceFileTests.shipped(".Agent"))
        #expect(agent.contains("AuthorizeApp: method name=AuthorizeApp"))
        #expect(agent.contains("MaxAccuracyLevel: property access=read name=MaxAccuracyLevel type=u"))
        #expect(agent.count == 6)
    }
}
