// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationTestSupport
import Testing

@Suite("Pages of a program that only its start needed", .serialized)
struct StartupPagesTests {
    // A page of constants of its own for each byte that the tests change.
    private static let text: StaticString = "a constant that a debugger may change"

    /// Changes a constant as a debugger changes code, for as long as `body` runs.
    private func withChangedConstant(_ body: (UnsafePointer<UInt8>) throws -> Void) throws {
        let constant = StartupPagesTests.text.utf8Start
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        let address = UInt(bitPattern: constant) / UInt(size) * UInt(size)
        let page = UnsafeMutableRawPointer(bitPattern: address)
        let old = constant.pointee
        func put(_ byte: UInt8) throws {
            guard mprotect(page, size, PROT_READ | PROT_WRITE) == 0 else { throw TestFailure("cannot write to a page") }
            UnsafeMutablePointer(mutating: constant).pointee = byte
            mprotect(page, size, PROT_READ)
        }
        try put(UInt8(ascii: "A"))
        try body(constant)
        try put(old)
    }

    @Test("are let go of, but for those that somebody has written to")
    func changed() throws {
        try withChangedConstant { constant in
            clinux_release_startup_pages()
            #expect(constant.pointee == UInt8(ascii: "A"))
        }
    }
}
