// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@Suite("Linked libraries")
struct LinkTests {
    @Test(
        "locctl needs none of the daemon's libraries",
        arguments: ["libgps", "libsystemd", "libsqlite3", "libinih", "libmosquitto", "libcurl"])
    func client(library: String) throws {
        let linked = try linkedLibraries(of: "locctl")
        #expect(linked.contains { $0.contains("libc.so") }, "ldd says \(linked)")
        #expect(linked.filter { $0.contains(library) }.isEmpty)
    }

    // The lines of ldd for the program that was built together with this test.
    private func linkedLibraries(of program: String) throws -> [String] {
        let path = try #require(productsDirectory()) + "/" + program
        try #require(access(path, X_OK) == 0, "\(path) is not built")
        let stream = try #require(popen("LC_ALL=C ldd '\(path)'", "r"))
        var lines: [String] = []
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), stream) != nil {
            lines.append(String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        let status = pclose(stream)
        try #require(status == 0, "ldd failed for \(path)")
        return lines
    }

    private func productsDirectory() -> String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        let directory = String(cString: path).split(separator: "/").dropLast().joined(separator: "/")
        let candidates = ["/\(directory)", "\(SourceTree.root)/.build/debug"]
        return candidates.first { access("\($0)/locctl", X_OK) == 0 }
    }
}
