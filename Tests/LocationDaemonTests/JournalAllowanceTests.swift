// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

private func at(_ seconds: Double) -> BootInstant { BootInstant(nanoseconds: 0) + .seconds(seconds) }

@Suite("What the journal says of users' apps")
struct JournalAllowanceTests {
    private func take(_ count: Int, _ uid: UInt32, at now: BootInstant, _ allowance: inout JournalAllowance) -> Int {
        (0..<count).count { _ in allowance.take(uid, at: now) }
    }

    @Test("is bounded by user: some entries at once, and some a minute after that")
    func bounded() {
        var allowance = JournalAllowance()
        #expect(take(10_000, 1001, at: at(0), &allowance) == 30)
        #expect(take(10_000, 1001, at: at(60), &allowance) == 10)
        #expect(take(10_000, 1002, at: at(60), &allowance) == 30)
    }

    @Test("tells how much was left out a minute later, once")
    func leftOut() {
        var allowance = JournalAllowance()
        #expect(take(35, 1001, at: at(0), &allowance) == 30)
        #expect(take(31, 1002, at: at(5), &allowance) == 30)
        #expect(allowance.dueAt == at(60))
        #expect(allowance.takeLeftOut(at: at(59)) == [])
        #expect(allowance.takeLeftOut(at: at(60)) == [JournalAllowance.LeftOut(uid: 1001, count: 5)])
        #expect(allowance.dueAt == at(65))
        #expect(allowance.takeLeftOut(at: at(70)) == [JournalAllowance.LeftOut(uid: 1002, count: 1)])
        #expect(allowance.dueAt == nil)
        #expect(allowance.takeLeftOut(at: at(1000)) == [])
    }

    @Test("is bounded for all users together, of whom one may have thousands, but not for root")
    func all() {
        var allowance = JournalAllowance()
        let taken = (0..<2000).reduce(0) { $0 + take(5, UInt32(100_000 + $1), at: at(0), &allowance) }
        #expect(taken == 300)
        #expect(take(1, 1001, at: at(0), &allowance) == 0)
        #expect(take(1, 0, at: at(0), &allowance) == 1)
    }
}

@Suite("Whom gpsd tells")
struct GPSDOpennessTests {
    @Test("a socket of another network is told from one of our own", .needsOtherUsers)
    func network() throws {
        typealias Unshare = @convention(c) (CInt) -> CInt
        typealias SetNamespace = @convention(c) (CInt, CInt) -> CInt
        let unshare = unsafeBitCast(try #require(dlsym(nil, "unshare")), to: Unshare.self)
        let setns = unsafeBitCast(try #require(dlsym(nil, "setns")), to: SetNamespace.self)
        let network: CInt = 0x4000_0000
        let own = clinux_unix_socket()
        let here = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        // Of this thread only, and for a moment.
        guard here >= 0, unshare(network) == 0 else { throw TestFailure("cannot make a network") }
        let other = clinux_unix_socket()
        #expect(setns(here, network) == 0)
        defer { for fd in [own, here, other] { close(fd) } }
        #expect(own >= 0 && other >= 0)
        #expect(!clinux_is_of_another_network(own))
        #expect(clinux_is_of_another_network(other))
    }

    @Test("every program can ask a gpsd at a port of the network that all share")
    func openToAll() {
        #expect(GPSDAddress.tcp(host: "127.0.0.1", port: 2947).isOpenToAll(isAlone: false))
        #expect(!GPSDAddress.tcp(host: "127.0.0.1", port: 2947).isOpenToAll(isAlone: true))
        #expect(!GPSDAddress.unix(path: "/run/gpsd.sock").isOpenToAll(isAlone: false))
    }
}
