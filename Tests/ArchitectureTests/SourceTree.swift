// SPDX-License-Identifier: Apache-2.0
import Glibc

/// One file of the package.
struct SourceFile: CustomStringConvertible {
    /// From the package's directory.
    let path: String
    let lines: [String]

    var description: String { path }
    /// The target: the directory below a room of Sources, or below Samples or Tests.
    var target: String {
        let parts = path.split(separator: "/").map(String.init)
        return parts.dropFirst(parts.first == "Sources" ? 2 : 1).first ?? ""
    }
}

/// The files of the package this test belongs to.
enum SourceTree {
    static let root: String = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(3)
        return parts.joined(separator: "/")
    }()

    /// All files below `directory` whose name ends in one of `extensions`, in order.
    static func files(in directory: String, extensions: [String]) throws -> [SourceFile] {
        try paths(in: directory).sorted()
            .filter { path in extensions.contains { path.hasSuffix(".\($0)") } }
            .map { SourceFile(path: $0, lines: try lines(of: $0)) }
    }

    static func lines(of path: String) throws -> [String] {
        guard let stream = fopen("\(root)/\(path)", "re") else { throw CannotRead(path: path) }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&piece, 1, piece.count, stream), count > 0 { bytes += piece[..<count] }
        return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static func paths(in directory: String) throws -> [String] {
        guard let stream = opendir("\(root)/\(directory)") else { throw CannotRead(path: directory) }
        defer { closedir(stream) }
        var found: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix(".") else { continue }
            let path = "\(directory)/\(name)"
            if entry.pointee.d_type == UInt8(DT_DIR) {
                found += try paths(in: path)
            } else {
                found.append(path)
            }
        }
        return found
    }
}

struct CannotRead: Error, CustomStringConvertible {
    var path: String
    var description: String { "cannot read \(path) in \(SourceTree.root)" }
}

extension String {
    /// Letters, digits and underscores that stand together; by bytes, because characters take far longer.
    var words: [String] {
        utf8.split { byte in
            !(byte >= 0x61 && byte <= 0x7A || byte >= 0x41 && byte <= 0x5A || byte >= 0x30 && byte <= 0x39
                || byte == 0x5F)
        }.map { String(decoding: $0, as: UTF8.self) }
    }
}
