// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Resuming behind a sequence")
struct ResumptionTests {
    private static let greeting = ["reply running", "authorization authorizedAlways full initial"]

    /// A client whose service ran while fixes 1 to 3 came, and again since fix 6; fix 7 is the newest.
    private static func interrupted() -> (EngineBench, ManagerID) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(3)
        bench.ask(client, .stop)
        bench.travel(2)
        bench.ask(client, .start)
        bench.travel(2)
        return (bench, client)
    }

    @Test("a client that resumes gets what it missed, no cached location and no gap")
    func resumes() {
        var bench = EngineBench()
        let old = bench.open()
        bench.ask(old, .start)
        bench.travel(5)
        bench.detach(old)
        bench.travel(2)
        let new = bench.open()
        bench.resume(new, after: 3)
        bench.travel(1)
        #expect(
            bench.lines(new) == Self.greeting + [
                "standard 4", "standard 5", "standard 6", "standard 7", "standard 8",
            ])
        #expect(bench.violations == [])
    }

    @Test("the first batch says that the log does not reach back")
    func logTooShort() {
        var (bench, client) = EngineBench.running(fixes: 10, configuration: .with(\.logCapacity, 3))
        bench.resume(client, after: 2)
        #expect(bench.lines(client) == ["reply running", "standard 8 gap", "standard 9", "standard 10"])
        #expect(bench.violations == [])
    }

    @Test("a number that was never given starts from now, and the first batch says gap")
    func unknownNumber() {
        var (bench, client) = EngineBench.running()
        bench.resume(client, after: 99)
        #expect(bench.lines(client) == ["reply running"])
        bench.travel(2)
        #expect(bench.lines(client) == ["standard 4 gap", "standard 5"])
        #expect(bench.violations == [])
    }

    @Test("only fixes accepted while the app's service ran are given again")
    func windows() {
        var (bench, client) = Self.interrupted()
        _ = bench.lines(client)
        bench.resume(client, after: 1)
        #expect(
            bench.lines(client) == [
                "reply running", "standard 2 gap", "standard 3", "standard 6", "standard 7",
            ])
        #expect(bench.violations == [])
    }

    @Test("another app's service opens nothing")
    func foreignWindows() {
        var bench = EngineBench()
        bench.authorize(.always, app: 1)
        let (mine, other) = (bench.open(), bench.open(app: 1))
        bench.ask(other, .start)
        bench.travel(5)
        bench.resume(mine, after: 2)
        #expect(bench.lines(mine) == Self.greeting)
        bench.travel(1)
        #expect(bench.lines(mine) == ["standard 6 gap"])
    }

    @Test("a resumed client's filter counts from the location that it has")
    func filterCountsFromPoint() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(10)
        bench.ask(client, .properties(filter: 25))
        _ = bench.lines(client)
        bench.resume(client, after: 2)
        #expect(bench.lines(client) == ["reply running", "standard 5", "standard 8"])
        #expect(bench.violations == [])
    }

    @Test("a batch held by a deferral leaves out what the app may not see again")
    func deferralOverWindows() {
        var (bench, client) = Self.interrupted()
        bench.ask(client, .allow())
        bench.travel(1)
        _ = bench.lines(client)
        bench.resume(client, after: 1)
        bench.ask(client, .disallow)
        #expect(
            bench.lines(client) == [
                "reply running", "finish 1 error 15", "standard 2-3 deferral 1 gap", "standard 6-8 deferral 1", "reply",
            ])
        #expect(bench.violations == [])
    }
}
