// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Consent that changes midway")
struct ConsentTests {
    private static func deferring() -> (EngineBench, ManagerID) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(1)
        bench.ask(client, .allow(metres: 1000))
        bench.travel(3, from: 10)
        _ = bench.lines(client)
        return (bench, client)
    }

    /// A client that has asked for one location, of which there is none that is exact enough.
    private static func requesting() -> (EngineBench, ManagerID) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .requestLocation)
        bench.fix(at: 0, accuracy: 50)
        _ = bench.lines(client)
        return (bench, client)
    }

    @Test(
        "a denied start fails with 1 and gives no location (S12)",
        arguments: [
            AuthorizationStatus.denied, .restricted,
        ])
    func denied(status: AuthorizationStatus) {
        var bench = EngineBench(authorization: Authorization(status: status))
        let client = bench.open()
        bench.fix(at: 0)
        bench.ask(client, .start)
        bench.travel(3)
        bench.advance(by: 60)
        #expect(
            bench.lines(client) == ["reply denied", "authorization \(status) full initial", "fail 1 standard"])
        #expect(bench.violations == [])
    }

    @Test("an undetermined start is silent until consent, then begins by itself (S13)")
    func undetermined() {
        var bench = EngineBench(authorization: .undetermined)
        let client = bench.open()
        bench.fix(at: 0)
        bench.ask(client, .start)
        bench.travel(3)
        bench.advance(by: 60)
        #expect(
            bench.lines(client) == ["reply waitingForAuthorization", "authorization notDetermined full initial"])
        bench.authorize(Authorization(status: .authorizedWhenInUse))
        bench.travel(2)
        #expect(
            bench.lines(client) == [
                "authorization authorizedWhenInUse full", "standard 4 cached", "standard 5", "standard 6",
            ])
        #expect(bench.violations == [])
    }

    @Test("a refusal ends the wait: services and request fail with 1, once")
    func refused() {
        var bench = EngineBench(authorization: .undetermined)
        let client = bench.open()
        bench.ask(client, .requestLocation)
        bench.ask(client, .startSignificant)
        _ = bench.lines(client)
        bench.authorize(.denied)
        #expect(
            bench.lines(client) == [
                "authorization denied full", "fail 1 significantChange", "fail 1 request request 1",
            ])
        bench.authorize(Authorization(status: .restricted))
        bench.advance(by: 60)
        #expect(bench.lines(client) == ["authorization restricted full"])
        #expect(bench.engine.nextWake == nil)
        #expect(bench.violations == [])
    }

    @Test("on loss: authorization, finish 11 without its batch, error 1, silence")
    func loss() {
        var (bench, client) = Self.deferring()
        bench.authorize(.denied)
        #expect(bench.lines(client) == ["authorization denied full", "finish 1 error 11", "fail 1 standard"])
        bench.travel(3)
        bench.advance(by: 60)
        #expect(bench.lines(client) == [])
        #expect(bench.engine.powerReport(at: bench.now).policy == .off)
        bench.authorize(.always)
        bench.travel(2)
        #expect(
            bench.lines(client) == [
                "authorization authorizedAlways full", "standard 7 cached", "standard 8", "standard 9",
            ])
        #expect(bench.violations == [])
    }

    @Test("consent that comes back does not bring back what was held before")
    func regained() {
        var (bench, client) = Self.deferring()
        bench.authorize(.undetermined)
        bench.travel(2)
        bench.authorize(.always)
        bench.travel(1)
        #expect(bench.sequences(client) == [1, 7])
        #expect(bench.violations == [])
    }

    @Test("full to reduced discards what was held and finishes with 13")
    func reduced() {
        var (bench, client) = Self.deferring()
        bench.authorize(.reduced)
        #expect(
            bench.lines(client) == [
                "authorization authorizedAlways reduced", "finish 1 error 13", "standard 1 cached reduced",
            ])
        bench.travel(3)
        #expect(bench.lines(client) == [])
        bench.authorize(.always)
        bench.travel(1)
        #expect(bench.lines(client) == ["authorization authorizedAlways full", "standard 8"])
        #expect(bench.violations == [])
    }

    @Test("from reduced to full, live fixes come at once")
    func full() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(3)
        bench.authorize(.always)
        bench.travel(2)
        #expect(bench.sequences(client) == [1, 4, 5])
        #expect(bench.violations == [])
    }

    @Test("always to while using and back interrupts nothing")
    func whileUsing() {
        var (bench, client) = Self.deferring()
        bench.authorize(Authorization(status: .authorizedWhenInUse))
        bench.travel(1)
        bench.authorize(.always)
        #expect(
            bench.lines(client) == ["authorization authorizedWhenInUse full", "authorization authorizedAlways full"])
        bench.ask(client, .disallow)
        #expect(bench.sequences(client) == [1, 2, 3, 4, 5])
        #expect(bench.violations == [])
    }

    @Test("a request whose consent is withdrawn without a refusal gets no location")
    func requestWithdrawn() {
        var (bench, client) = Self.requesting()
        bench.authorize(.undetermined)
        bench.advance(by: 11)
        #expect(bench.lines(client) == ["authorization notDetermined full", "fail 0 request request 1"])
        #expect(bench.violations == [])
    }

    @Test("a request that is refused midway fails with 1")
    func requestRefused() {
        var (bench, client) = Self.requesting()
        bench.authorize(.denied)
        bench.advance(by: 11)
        #expect(bench.lines(client) == ["authorization denied full", "fail 1 request request 1"])
        #expect(bench.violations == [])
    }

    @Test("a client that was away learns of the refusal when it is back")
    func refusedWhileAway() {
        var (bench, client) = Self.deferring()
        bench.detach(client)
        bench.authorize(.denied)
        bench.travel(2)
        bench.attach(client)
        #expect(
            bench.lines(client) == ["authorization denied full initial", "finish 1 error 11", "fail 1 standard"])
        #expect(bench.violations == [])
    }

    @Test("a request that was refused while its client was away ends with 1 when it is back")
    func requestRefusedWhileAway() {
        var (bench, client) = Self.requesting()
        bench.detach(client)
        bench.authorize(.denied)
        bench.attach(client)
        #expect(bench.lines(client) == ["authorization denied full initial", "fail 1 request request 1"])
        #expect(bench.violations == [])
    }

    @Test(
        "what was not delivered before accuracy was reduced is not delivered after: there is the view in force, and no more",
        arguments: [true, false])
    func reducedWhileAway(isDeferring: Bool) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.fix(at: 0)
        if isDeferring { bench.ask(client, .allow()) }
        bench.detach(client, unwritten: isDeferring ? 0 : 1)
        bench.travel(5)
        bench.authorize(.reduced)
        _ = bench.lines(client)
        bench.attach(client)
        #expect(bench.lines(client).filter { $0.hasPrefix("standard") } == ["standard 1 cached reduced"])
        #expect(bench.violations == [])
    }

    @Test("a significant change that came under full accuracy is not told under reduced accuracy")
    func significantWhileAway() {
        var (bench, client) = EngineBench.running(
            .startSignificant, fixes: 1, configuration: .with(\.rejoinTime, .seconds(3600)))
        bench.detach(client)
        bench.travel(400, metres: 20)
        bench.authorize(.reduced)
        bench.attach(client)
        #expect(bench.lines(client) == ["authorization authorizedAlways reduced initial"])
        #expect(bench.violations == [])
    }
}
