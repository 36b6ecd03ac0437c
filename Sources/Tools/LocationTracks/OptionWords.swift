// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// The words of a command line, sorted by getopt_long.
struct OptionWords {
    enum Option: Int32, CaseIterable {
        case help = 256
        case seconds, rate, seed, start, from, pace, json, serve, port, speed, ask

        var takesArgument: Bool {
            switch self {
            case .help, .json, .serve, .ask: false
            case .seconds, .rate, .seed, .start, .from, .pace, .port, .speed: true
            }
        }
    }

    /// The words that are not options.
    private(set) var rest: [String] = []
    /// The words behind `--`; nil without it.
    private(set) var command: [String]?
    private let arguments: [String]
    private var index: Int32 = 1

    init(_ arguments: [String]) { self.arguments = arguments.isEmpty ? ["locationd-track"] : arguments }

    // The next option and its argument, empty if it takes none; nil at the end.
    mutating func next() throws(TrackError) -> (Option, String)? {
        while true {
            let result = parseOne()
            // The plus in the option string stops at each word that is no option; it is taken out here.
            guard result.value == -1 else {
                index = result.nextIndex
                if result.value == 0x3F { throw .usage("cannot understand \(result.offending)") }
                if result.value == 0x3A { throw .usage("cannot use \(result.offending) without a value") }
                guard let option = Option(rawValue: result.value) else {
                    throw .usage("cannot understand \(result.offending)")
                }
                return (option, result.argument)
            }
            index = result.nextIndex
            let isAfterDashes = index > 1 && arguments[Int(index) - 1] == "--"
            guard !isAfterDashes else {
                command = Array(arguments[Int(index)...])
                index = Int32(arguments.count)
                return nil
            }
            guard index < arguments.count else { return nil }
            rest.append(arguments[Int(index)])
            index += 1
        }
    }

    private func parseOne() -> (value: Int32, argument: String, offending: String, nextIndex: Int32) {
        guard index < arguments.count else { return (-1, "", "", index) }
        let storage = arguments.map { strdup($0) }
        defer { storage.forEach { free($0) } }
        return Option.allCases.withOptionTable { table in
            (storage + [nil]).withUnsafeBufferPointer { argv in
                let result = clinux_next_option(
                    Int32(arguments.count), argv.baseAddress, "+:", table.baseAddress, table.count, index)
                return (
                    result.value, result.argument.map { String(cString: $0) } ?? "",
                    result.offending.map { String(cString: $0) } ?? "", result.next_index
                )
            }
        }
    }
}

extension [OptionWords.Option] {
    // The C table, whose names live as long as `body` runs.
    fileprivate func withOptionTable<Result>(
        _ body: (UnsafeBufferPointer<clinux_option>) -> Result
    ) -> Result {
        let names = map { strdup("\($0)") }
        defer { names.forEach { free($0) } }
        let table = zip(self, names).map { option, name in
            clinux_option(name: name, takes_argument: option.takesArgument, value: option.rawValue)
        }
        return table.withUnsafeBufferPointer(body)
    }
}
