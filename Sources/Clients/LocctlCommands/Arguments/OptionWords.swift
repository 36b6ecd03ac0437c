// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// The words of a command line, told apart by glibc's getopt_long: options, possibly abbreviated, and the rest.
///
/// Not for two threads at once: getopt_long remembers where it is.
struct OptionWords {
    /// The next word.
    enum Word {
        /// An option and its argument, empty if it takes none.
        case option(LocctlOption, String)
        /// A word that is no option.
        case plain(String)
    }

    private let arguments: [String]
    private var index: Int32 = 1
    private var isAfterDashes = false

    /// The words of `arguments`, the first of which is the program's name.
    init(_ arguments: [String]) { self.arguments = arguments.isEmpty ? ["locctl"] : arguments }

    /// The next word, where `allowed` are the options; nil at the end. `place` names the command in errors.
    mutating func next(_ allowed: [LocctlOption], in place: String) throws(LocctlError) -> Word? {
        guard index < arguments.count else { return nil }
        // A place in the south begins as options do.
        if isAfterDashes || OptionWords.isPlace(arguments[Int(index)]) { return takePlain() }
        let before = index
        let found = scan(allowed)
        index = found.nextIndex
        switch found.value {
        case -1:
            // The scan stops at the first word that is no option, and behind `--`.
            if index > before, arguments[Int(index) - 1] == "--" { isAfterDashes = true }
            return index < arguments.count ? takePlain() : nil
        case OptionWords.unknown: throw OptionWords.unknownOption(found.offending, allowed, place)
        case OptionWords.missing: throw .usage("cannot use \(found.offending) without a value")
        case OptionWords.shortHelp: return .option(.help, "")
        case OptionWords.shortOutput: return .option(.output, found.argument)
        default:
            let option = allowed[Int(found.value - OptionWords.firstValue)]
            let others = option == .polygon ? takeCorners() : []
            return .option(option, ([found.argument] + others).joined(separator: " "))
        }
    }

    // Each corner is a word of its own; one in the south begins as options do, which getopt_long cannot know.
    private mutating func takeCorners() -> [String] {
        let corners = arguments[Int(index)...].prefix(while: OptionWords.isPlace)
        index += Int32(corners.count)
        return Array(corners)
    }

    private static func isPlace(_ word: String) -> Bool {
        word.contains(",") && word.allSatisfy { $0.isASCII && ($0.isNumber || "+-.,".contains($0)) }
    }

    private mutating func takePlain() -> Word {
        index += 1
        return .plain(arguments[Int(index) - 1])
    }

    private static let unknown = Int32(UInt8(ascii: "?"))
    private static let missing = Int32(UInt8(ascii: ":"))
    private static let shortHelp = Int32(UInt8(ascii: "h"))
    private static let shortOutput = Int32(UInt8(ascii: "o"))
    // Beyond all characters.
    private static let firstValue: Int32 = 256

    private func scan(
        _ allowed: [LocctlOption]
    ) -> (value: Int32, argument: String, offending: String, nextIndex: Int32) {
        var words = arguments.map { strdup($0) } + [nil]
        let names = allowed.map { strdup($0.name) }
        defer { for word in words + names { free(word) } }
        let table = zip(allowed, names).enumerated().map { offset, option in
            clinux_option(
                name: option.1, takes_argument: option.0.takesArgument, value: OptionWords.firstValue + Int32(offset))
        }
        let found = clinux_next_option(
            Int32(arguments.count), &words, allowed.contains(.output) ? "+:ho:" : "+:h", table, table.count, index)
        return (
            found.value, found.argument.map { String(cString: $0) } ?? "",
            found.offending.map { String(cString: $0) } ?? "", found.next_index
        )
    }

    private static func unknownOption(_ word: String, _ allowed: [LocctlOption], _ place: String) -> LocctlError {
        let typed = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? word
        let name = String(typed.drop { $0 == "-" })
        let near = name.isEmpty || !word.hasPrefix("--") ? [] : allowed.filter { $0.name.hasPrefix(name) }
        if near.count > 1 {
            let names = near.map { "--\($0.name)" }.joined(separator: " or ")
            return .usage("cannot tell what \(typed) means: it could be \(names)")
        }
        if near.count == 1, typed != word { return .usage("cannot give \(typed) a value: it takes none") }
        let names = allowed.map { "--\($0.name)" }.joined(separator: ", ")
        return .usage("cannot understand \(word): \(place) takes \(names)")
    }
}
