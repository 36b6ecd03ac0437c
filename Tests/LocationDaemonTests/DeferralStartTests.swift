// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationTestSupport
import Testing

@Suite("What a deferral needs", .blocking)
struct DeferralPreconditionTests {
    private static let allow = "-> allowDeferredLocationUpdates"

    @Test("updates that run, else 12")
    func notUpdating() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        let result = try client.call("allowDeferredLocationUpdates", #"{"timeout":60}"#)
        #expect(result["deferral"]?.int == 1)
        try client.wait(for: "finish 1 12")
        try client.settle()
        #expect(client.trace() == ["\(DeferralPreconditionTests.allow) ignored", "finish 1 12"])
        let error = client.notifications.last?["params"]?["error"]
        #expect(error?["name"]?.string == "deferredNotUpdatingLocation")
        #expect(error?["domain"]?.string == "kCLErrorDomain")
        #expect(error?["message"]?.string?.isEmpty == false)
    }

    @Test(
        "the best accuracy, else 13",
        arguments: ["10", "100", "1000", "3000", #""nearestTenMeters""#, #""threeKilometers""#, #""reduced""#, "0.5"])
    func accuracy(wish: String) throws {
        let daemon = try DaemonFixture()
        let best = try daemon.startUpdating()
        let client = try daemon.startUpdating(#"{"desiredAccuracy":\#(wish)}"#)
        try daemon.fix()
        try best.waitForStandard(1)
        try client.call("allowDeferredLocationUpdates")
        try client.wait(for: "finish 1 13")
    }

    @Test("best or bestForNavigation")
    func fitAccuracy() throws {
        let daemon = try DaemonFixture()
        for wish in ["best", "bestForNavigation"] {
            let client = try daemon.startUpdating(#"{"desiredAccuracy":"\#(wish)"}"#)
            try daemon.fix()
            try client.waitForStandard(1)
            #expect(try client.call("allowDeferredLocationUpdates")["state"]?.string == "running")
        }
    }

    @Test("no distance filter, else 14", arguments: ["0", "0.1", "5", "1e9"])
    func filter(filter: String) throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating(#"{"distanceFilter":\#(filter)}"#)
        try daemon.fix()
        try client.waitForStandard(1)
        try client.call("allowDeferredLocationUpdates")
        try client.wait(for: "finish 1 14")
    }

    @Test("a fix, else 11; in the first location it is accepted")
    func noFix() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try client.call("allowDeferredLocationUpdates")
        try client.wait(for: "finish 1 11")
        try daemon.fix()
        try client.waitForStandard(1)
        let result = try client.call("allowDeferredLocationUpdates")
        #expect(result["state"]?.string == "running")
        #expect(result["deferral"]?.int == 2)
    }

    @Test("a fix that is not old, else 11")
    func oldFix() throws {
        let daemon = try DaemonFixture("[Deferral]\nFreshFixSec=1s\n")
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        try waitUntil("a deferral fails for the age of the fix") {
            try client.call("allowDeferredLocationUpdates", #"{"timeout":0}"#)
            try client.settle()
            return client.transcript.last?.hasSuffix(" 11") == true
        }
    }

    @Test("tells the first of several that is not met: 12, 13, 14, 11")
    func order() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        try client.call("setProperties", #"{"desiredAccuracy":100,"distanceFilter":5}"#)
        try client.call("allowDeferredLocationUpdates", #"{"timeout":0}"#)
        try client.call("startUpdatingLocation")
        try client.call("allowDeferredLocationUpdates", #"{"timeout":-1}"#)
        try client.call("setProperties", #"{"desiredAccuracy":"best"}"#)
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":0}"#)
        try client.call("setProperties", #"{"distanceFilter":"none"}"#)
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":-7}"#)
        try daemon.fix()
        try client.waitForStandard(1)
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":0,"timeout":100}"#)
        try client.settle()
        #expect(
            client.transcript.filter { $0.hasPrefix("finish") } == [
                "finish 1 12", "finish 2 13", "finish 3 14", "finish 4 11", "finish 5 null",
            ])
    }

    @Test("a criterion of 0 or less is met at once, and updates go on one by one")
    func metAtOnce() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        _ = client.trace()
        for params in [#"{"untilTraveled":0}"#, #"{"timeout":0,"untilTraveled":1e9}"#, #"{"timeout":-3}"#] {
            try client.call("allowDeferredLocationUpdates", params)
            try daemon.fix()
            try client.wait("the fix") { client.transcript.last == "standard 1" }
        }
        #expect(
            client.trace() == [
                "\(DeferralPreconditionTests.allow) running", "finish 1 null", "standard 1",
                "\(DeferralPreconditionTests.allow) running", "finish 2 null", "standard 1",
                "\(DeferralPreconditionTests.allow) running", "finish 3 null", "standard 1",
            ])
    }

    @Test("a denied app is told so by the reply, and 12 by the finish")
    func denied() throws {
        let daemon = try DaemonFixture("[Authorization]\nDefault=denied\n")
        let client = try daemon.connect()
        try client.call("startUpdatingLocation")
        #expect(try client.call("allowDeferredLocationUpdates")["state"]?.string == "denied")
        try client.wait(for: "finish 1 12")
    }
}

@Suite("A deferral ends when its criterion is met", .blocking)
struct DeferralCriterionTests {
    private static let allow = "-> allowDeferredLocationUpdates running"

    private static func deferred(
        _ daemon: DaemonFixture, _ params: String, at place: Double = 0
    ) throws -> DaemonClient {
        let client = try daemon.startUpdating()
        try daemon.fix(at: place)
        try client.waitForStandard(1)
        try client.call("allowDeferredLocationUpdates", params)
        _ = client.trace()
        return client
    }

    @Test("by distance: finish, the held locations, then one by one", arguments: [true, false])
    func distance(otherIsUnlimited: Bool) throws {
        let daemon = try DaemonFixture()
        let params =
            otherIsUnlimited ? #"{"untilTraveled":1000,"timeout":null}"# : #"{"untilTraveled":1000,"timeout":600}"#
        let client = try DeferralCriterionTests.deferred(daemon, params)
        try daemon.fixes((1...9).map { Double($0) * 100 })
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(client.trace().isEmpty)
        try daemon.fixes([1000, 1100, 1200])
        try client.waitForStandard(13)
        #expect(client.trace() == ["finish 1 null", "standard 10 deferral=1", "standard 1", "standard 1"])
        #expect(client.times == (0...12).map { daemon.simulation.time(of: $0) })
    }

    @Test("by time, no earlier, without any new fix")
    func timeout() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        _ = client.trace()
        let began = clinux_boottime_nanoseconds()
        try client.call("allowDeferredLocationUpdates", #"{"timeout":0.5}"#)
        try daemon.fixes([1, 2, 3])
        try client.waitForStandard(4)
        #expect(clinux_boottime_nanoseconds() - began >= 500_000_000)
        #expect(client.trace() == [DeferralCriterionTests.allow, "finish 1 null", "standard 3 deferral=1"])
    }

    @Test("by time with nothing held: no batch")
    func emptyHanded() throws {
        let daemon = try DaemonFixture()
        let client = try DeferralCriterionTests.deferred(daemon, #"{"timeout":0.2,"untilTraveled":1e300}"#)
        try client.wait(for: "finish 1 null")
        try daemon.fix()
        try client.waitForStandard(2)
        #expect(client.trace() == ["finish 1 null", "standard 1"])
    }

    @Test("by the first of both")
    func either() throws {
        let daemon = try DaemonFixture()
        let byTime = try DeferralCriterionTests.deferred(daemon, #"{"timeout":0.3,"untilTraveled":100000}"#)
        let byDistance = try DeferralCriterionTests.deferred(daemon, #"{"timeout":500,"untilTraveled":100}"#)
        try daemon.fixes([60, 120])
        try byDistance.waitForStandard(3)
        #expect(byDistance.trace() == ["finish 1 null", "standard 2 deferral=1"])
        try byTime.wait(for: "finish 1 null")
    }

    @Test("the distance counts from the call on, each deferral for itself")
    func fromTheCall() throws {
        let daemon = try DaemonFixture()
        let client = try DeferralCriterionTests.deferred(daemon, "{}")
        let early = try DeferralCriterionTests.deferred(daemon, #"{"untilTraveled":100}"#, at: 0)
        try daemon.fix(at: 60)
        try daemon.waitUntilAccepted()
        let late = try daemon.startUpdating()
        try late.call("allowDeferredLocationUpdates", #"{"untilTraveled":100}"#)
        try daemon.fix(at: 110)
        try early.wait(for: "finish 1 null")
        try late.settle()
        #expect(!late.transcript.contains { $0.hasPrefix("finish") })
        try daemon.fix(at: 165)
        try late.wait(for: "finish 1 null")
        try client.settle()
        #expect(client.trace().isEmpty)
    }

    @Test("jitter at rest travels nowhere")
    func jitter() throws {
        let daemon = try DaemonFixture()
        let client = try DeferralCriterionTests.deferred(daemon, #"{"untilTraveled":30}"#)
        try daemon.fixes((1...200).map { $0 % 2 == 0 ? 2 : -2 })
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(client.trace().isEmpty)
        try daemon.fix(at: 40)
        try client.wait(for: "finish 1 null")
        try client.waitForStandard(202)
    }

    @Test("less accurate fixes need a longer step to count")
    func stepFollowsAccuracy() throws {
        let daemon = try DaemonFixture()
        let client = try DeferralCriterionTests.deferred(daemon, #"{"untilTraveled":50}"#)
        for place in stride(from: 20.0, through: 80, by: 20) { try daemon.fix(at: place, accuracy: 90) }
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(client.trace().isEmpty)
        try daemon.fix(at: 100, accuracy: 90)
        try client.wait(for: "finish 1 null")
    }

    @Test("small steps add up")
    func creeping() throws {
        let daemon = try DaemonFixture()
        let client = try DeferralCriterionTests.deferred(daemon, #"{"untilTraveled":60}"#)
        try daemon.fixes((1...40).map { Double($0) * 3 })
        try client.waitForStandard(41)
        let batch = client.trace().prefix(2)
        #expect(batch == ["finish 1 null", "standard 20 deferral=1"])
    }

    @Test("by time, even if a cancelling request came before the daemon had its turn")
    func timeInFlight() throws {
        let daemon = try DaemonFixture()
        let client = try DeferralCriterionTests.deferred(daemon, #"{"timeout":0.3}"#)
        try daemon.fix()
        try daemon.waitUntilAccepted()
        try daemon.freeze()
        let end = Deadline.within(0.35)
        try waitUntil("the timeout is over") { end.hasPassed }
        try client.send("disallowDeferredLocationUpdates")
        daemon.thaw()
        try client.settle()
        #expect(client.trace() == ["finish 1 null", "standard 1 deferral=1", "-> disallowDeferredLocationUpdates"])
    }

    @Test("by distance, even if a cancelling request comes in the same turn")
    func distanceInFlight() throws {
        let daemon = try DaemonFixture()
        let client = try DeferralCriterionTests.deferred(daemon, #"{"timeout":0}"#)
        for round in 2...11 {
            try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":100}"#)
            _ = client.trace()
            try daemon.freeze()
            try daemon.fix(at: Double(round) * 200)
            try client.send("disallowDeferredLocationUpdates")
            daemon.thaw()
            try client.settle()
            #expect(
                client.trace() == [
                    "finish \(round) null", "standard 1 deferral=\(round)", "-> disallowDeferredLocationUpdates",
                ])
        }
    }
}
