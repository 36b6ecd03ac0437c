// SPDX-License-Identifier: Apache-2.0
import CLinux

/// The command line of a program that serves until it is told to end.
package protocol ProgramOptions {
    /// The program's name, which stands before all that it says.
    static var program: String { get }
    /// The text of `--help`.
    static var usage: String { get }
    /// To print the usage and end.
    var showsHelp: Bool { get }

    /// Reads `arguments`, the first of which is the program's name.
    init(arguments: [String]) throws(UsageError)
}

extension ProgramOptions {
    /// Runs the program with its command line. Returns its exit code: the one of `serve`, 1 when that cannot do its work, 64 for a wrong
    /// command line (sysexits.h).
    package static func run(_ arguments: [String], serve: (Self) throws(SystemError) -> Int32) -> Int32 {
        do throws(UsageError) {
            let options = try Self(arguments: arguments)
            guard !options.showsHelp else {
                StandardStream.output.write(usage)
                return 0
            }
            clinux_ignore_sigpipe()
            do throws(SystemError) {
                return try serve(options)
            } catch {
                say(error.description)
                return 1
            }
        } catch {
            StandardStream.error.write("\(program): \(error.message)\n\n\(usage)")
            return 64
        }
    }

    /// Tells whoever looks after the program; systemd puts what is written to stderr into the journal.
    package static func say(_ message: String) { StandardStream.error.write("\(program): \(message)\n") }
}
