// SPDX-License-Identifier: Apache-2.0
import CFuzzer
import GPSDSource
import Glibc
import LocationModel

/// Any bytes of a gpsd give the same commands however they are split: the first byte says where.
@main
enum GPSDFuzzing {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments) { GPSDFuzzing.tryInput($0, $1) })
    }

    private static func tryInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        guard count > 1 else { return 0 }
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        let text = UnsafeRawBufferPointer(rebasing: bytes[1...])
        let split = Int(bytes[0]) % text.count
        let whole = commands(of: [text])
        let parts = commands(
            of: [UnsafeRawBufferPointer(rebasing: text[..<split]), UnsafeRawBufferPointer(rebasing: text[split...])])
        precondition(whole == parts, "split at \(split): \(parts) instead of \(whole)")
        return 0
    }

    private static func commands(of parts: [UnsafeRawBufferPointer]) -> [String] {
        let now = BootInstant(nanoseconds: 1_000_000_000)
        var machine = GPSDConnectionMachine(address: "fuzzed", jitterSeed: 1)
        var commands: [GPSDCommand] = []
        machine.started(at: now, into: &commands)
        machine.demandChanged(isWanted: true, at: now, into: &commands)
        machine.connected(at: now, into: &commands)
        for part in parts {
            machine.received(part, at: now, hostTime: WallTime(milliseconds: 1_700_000_000_000), into: &commands)
        }
        // Satellites are read only when somebody asks.
        let asked = "\(machine.receivers) \(String(describing: machine.satellites(of: nil, at: now)))"
        machine.closed(at: now + .seconds(1), into: &commands)
        // NaN is not equal to itself, its description is.
        return commands.map { "\($0)" } + ["\(machine.status)", "\(machine.unusableLines)", asked]
    }
}
