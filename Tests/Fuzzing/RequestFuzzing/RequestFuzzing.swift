// SPDX-License-Identifier: Apache-2.0
import CFuzzer
import Glibc
import LocationProtocol

/// Any bytes are a request or a refusal with a reason, and a request that was read is read the same when it is written again.
@main
enum RequestFuzzing {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments) { RequestFuzzing.tryInput($0, $1) })
    }

    private static func tryInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        let line = Array(UnsafeBufferPointer(start: start, count: count))
        switch RequestDecoder().decode(line[...]) {
        case .success(let envelope):
            let written = RequestWriter.line(envelope.id, envelope.call).dropLast()
            guard case .success(let again) = RequestDecoder().decode(written) else {
                fatalError("\(envelope) cannot be read again: \(String(decoding: written, as: UTF8.self))")
            }
            precondition(again == envelope, "\(envelope) is read again as \(again)")
        case .failure(let refusal):
            precondition(refusal.error.message.hasPrefix("cannot "), "a refusal says what cannot be done: \(refusal)")
            let reply = ReplyWriter.refusal(refusal)
            precondition(
                !reply.dropLast().contains(0x0A), "an answer is one line: \(String(decoding: reply, as: UTF8.self))")
        }
        return 0
    }
}
