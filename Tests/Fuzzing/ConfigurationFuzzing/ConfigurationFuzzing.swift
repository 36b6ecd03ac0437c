// SPDX-License-Identifier: Apache-2.0
import CFuzzer
import ConfigurationReading
import Glibc
import LocationDaemon

/// Any bytes are a configuration or sentences about what is wrong, one line each, and the same every time.
@main
enum ConfigurationFuzzing {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments) { ConfigurationFuzzing.tryInput($0, $1) })
    }

    private static func tryInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        let (first, second) = (outcome(of: bytes), outcome(of: bytes))
        precondition(first == second, "the same bytes are read in two ways: \(first), \(second)")
        if case .failure(let error) = first {
            precondition(!error.problems.isEmpty, "refused without a reason")
            for problem in error.problems {
                precondition(problem.hasPrefix("cannot "), "a refusal says what cannot be done: \(problem)")
                precondition(!problem.contains("\n"), "a problem is one line: \(problem)")
            }
        }
        return 0
    }

    private static func outcome(of bytes: [UInt8]) -> Result<Configuration, ConfigurationError> {
        Result { () throws(ConfigurationError) in try ConfigurationFile.parse(bytes, path: "fuzzed.conf") }
    }
}
