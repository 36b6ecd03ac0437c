// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// The files in which a program may declare itself, by where its executable is.
struct ApplicationFiles: Sendable {
    /// The absolute path of the executable; nil: unknown, and there are no files.
    var executable: String?

    /// The files of this process.
    static let standard = ApplicationFiles(
        executable: try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))

    /// The name of the executable, also once a newer one has taken its place on the disk; nil: unknown.
    var executableName: String? {
        guard let name = executable?.split(separator: "/").last else { return nil }
        return name.hasSuffix(" (deleted)") ? String(name.dropLast(10)) : String(name)
    }

    /// No property list is larger, bytes.
    static let maximumSize = 1 << 20

    /// Where to put an Info.plist for this executable alone: in a directory of many, the name keeps it from the others.
    var preferred: String? { executable.map { "\($0)-Info.plist" } }

    /// Where property lists are looked for, in order.
    func candidates() -> [String] {
        guard let executable else { return [] }
        let directory = (executable as NSString).deletingLastPathComponent
        let beside = ["\(executable)-Info.plist", "\(directory)/Info.plist"]
        return beside
            + bundles(of: executable, in: directory).flatMap { bundle in
                // SwiftPM takes no Info.plist at the top of a bundle, so it is usually one directory down.
                ["\(bundle)/Info.plist", "\(bundle)/Resources/Info.plist"]
            }
    }

    /// Reads the property lists; `problems` gets a sentence about each that cannot be read.
    func places(problems: inout [String]) -> [DeclaringPlace] {
        var places: [DeclaringPlace] = []
        for path in candidates() {
            do {
                guard let list = try ApplicationFiles.propertyList(at: path) else { continue }
                places.append(DeclaringPlace(propertyList: list, at: .file(path)))
            } catch {
                problems.append("cannot read \(path): \(error)")
            }
        }
        return places
    }

    // SwiftPM names a bundle by package and target, and the target usually as the executable.
    private func bundles(of executable: String, in directory: String) -> [String] {
        let suffix = "_\((executable as NSString).lastPathComponent).resources"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(directory)/\($0)" }
    }

    // Nil: there is no such file.
    private static func propertyList(at path: String) throws(CLApplicationInfoError) -> [String: Any]? {
        let data: Data
        do {
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            guard size <= maximumSize else {
                throw CLApplicationInfoError("it is \(size) bytes long, \(maximumSize) are allowed")
            }
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch let error as CLApplicationInfoError {
            throw error
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw CLApplicationInfoError(error.localizedDescription)
        }
        guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil) else {
            throw CLApplicationInfoError("it is no property list; XML and binary ones are allowed")
        }
        guard let dictionary = list as? [String: Any] else {
            throw CLApplicationInfoError("it is no dictionary, which an Info.plist is")
        }
        return dictionary
    }
}
