// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

/// The programs in the directory `Programs` are written as people publish them for Apple's systems, and need nothing but
/// `import CoreLocation`.
@Suite("Programs written for Apple's Core Location", .serialized, .asynchronous)
struct ProgramTests {
    /// How a project may have the compiler set: the language mode, and what else.
    private static let settings = [
        ["5"], ["5", "-strict-concurrency=complete"], ["6"],
        // What a new project has.
        [
            "6", "-default-isolation", "MainActor", "-enable-upcoming-feature", "InferIsolatedConformances",
            "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
        ],
    ]

    private static func programs() throws -> [String] {
        let directory = try BuildProducts.packageDirectory() + "/Tests/CoreLocationTests/Programs"
        guard let stream = opendir(directory) else { throw TestFailure("cannot read \(directory)") }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { field in
                    field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { $0.hasSuffix(".swift") }.sorted().map { "\(directory)/\($0)" }
    }

    @Test(
        "compile in the language modes of Swift 5 and Swift 6, and nothing but what is deprecated warns",
        arguments: settings)
    func compiles(mode: [String]) async throws {
        let sources = try BuildProducts.packageDirectory() + "/Sources/Outside"
        let daemon = try BuildProducts.program("locationd")
        let products = String(daemon.dropLast("/locationd".count))
        let moduleMaps = ["\(products)/CLinux.build", "\(products)/CRunLoop.build", "\(sources)/CSubmodules"]
        let programs = try ProgramTests.programs()
        #expect(programs.count >= 8)
        // Another one would not read the modules of this build.
        let swiftc = try Toolchain.program("swiftc")
        let compiler = try ChildProcess(
            swiftc,
            // As far as the checks go, among them that of what is sent between tasks.
            ["-emit-sil", "-o", "/dev/null", "-wmo", "-module-name", "Programs", "-parse-as-library"]
                + ["-warnings-as-errors", "-Wwarning", "DeprecatedDeclaration"]
                + ["-I", "\(products)/Modules"]
                + moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)/module.modulemap"] }
                + ["-swift-version"] + mode + programs)
        try await eventually("the compiler ends", within: 240) { !compiler.isRunning }
        #expect(try compiler.waitForExit() == .exited(0), "\(swiftc): \(compiler.standardError)")
    }
}
