// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// An option of a program's command line: `--name`, or `--name ARGUMENT`; names may be abbreviated, as glibc has it.
package protocol CommandLineOption: CaseIterable {
    /// Whether a word follows it.
    var takesArgument: Bool { get }
}

/// A command line that cannot be understood.
package struct UsageError: Error {
    /// "cannot …" and why.
    package let message: String

    /// `message`: "cannot …" and why.
    package init(_ message: String) { self.message = message }
}

extension CommandLineOption {
    /// The word behind the dashes: the case's name, `alwaysUsers` as `always-users`.
    private var name: String { "\(self)".map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined() }

    // Beyond what stands for errors, which are characters.
    private static var firstValue: Int32 { 256 }

    /// Reads `arguments`, the first of which is the program's name, and tells each option and its argument in their order; an option
    /// that takes none has an empty one.
    ///
    /// - Throws: What `take` throws, and an error for an unknown option, one without its argument, and words that are no options.
    package static func read(
        _ arguments: [String], _ take: (Self, String) throws(UsageError) -> Void
    ) throws(UsageError) {
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        let names = allCases.map { strdup($0.name) }
        defer { for word in words + names { free(word) } }
        let table = zip(allCases, names).enumerated().map { offset, option in
            clinux_option(name: option.1, takes_argument: option.0.takesArgument, value: firstValue + Int32(offset))
        }
        let options = Array(allCases)
        var index: Int32 = 1
        while true {
            let found = clinux_next_option(Int32(arguments.count), &words, "+:", table, table.count, index)
            index = found.next_index
            if found.value == -1 { break }
            let word = found.offending.map { String(cString: $0) } ?? ""
            if found.value == Int32(UInt8(ascii: ":")) {
                throw UsageError("cannot understand \(word): it needs an argument")
            }
            guard found.value >= firstValue else { throw UsageError("cannot understand the option \(word)") }
            try take(options[Int(found.value - firstValue)], found.argument.map { String(cString: $0) } ?? "")
        }
        guard Int(index) >= arguments.count else {
            throw UsageError("cannot understand \(arguments[Int(index)]): no arguments are expected")
        }
    }
}
