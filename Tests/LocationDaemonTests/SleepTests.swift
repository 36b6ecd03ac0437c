// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationTestSupport
import SystemSupport
import Testing

@Suite("A device that sleeps")
struct SleepTests {
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    private static let report = #"{"sightings":[{"uuid":"\#(uuid)","major":7,"minor":1,"measuredPower":-59}]}"#

    @Test func `leaves no beacon by sleeping, whoever wakes it first`() throws {
        let bench = try ServiceBench()
        let app = bench.connect(uid: 0, isAdmin: true)
        try app.ask("startMonitoring", #"{"region":{"identifier":"desk","uuid":"\#(Self.uuid)"}}"#)
        let ear = bench.connect(uid: 0, isAdmin: true)
        bench.advance(seconds: 100, asleep: 60)
        try ear.ask("offerBeacons")
        bench.advance(seconds: 31)
        try ear.ask("reportBeacons", Self.report)
        #expect(app.notifications("didEnterRegion").count == 1)
        // Of 31.9 s it is awake for 20.
        bench.advance(seconds: 10)
        bench.advance(seconds: 21.9, asleep: 11.9)
        #expect(app.notifications("didExitRegion").isEmpty)
        bench.advance(seconds: 9)
        #expect(app.notifications("didExitRegion").isEmpty)
        bench.advance(seconds: 2)
        #expect(app.notifications("didExitRegion").count == 1)
        // Nobody hears for a while in which it sleeps, which is no sleep of those that hear after.
        try ear.ask("reportBeacons", Self.report)
        try ear.ask("withdrawBeacons")
        bench.advance(seconds: 100, asleep: 50)
        try ear.ask("offerBeacons")
        bench.advance(seconds: 29.9)
        #expect(app.notifications("didExitRegion").count == 1)
        bench.advance(seconds: 1)
        #expect(app.notifications("didExitRegion").count == 2)
    }

    @Test func `has slept for as long as the boot-time clock is ahead of the monotonic one`() {
        func read(_ clock: clockid_t) -> TimeSpan {
            var now = timespec()
            clock_gettime(clock, &now)
            return TimeSpan(nanoseconds: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
        }
        let before = read(CLOCK_BOOTTIME) - read(CLOCK_MONOTONIC)
        #expect(abs((timeSlept() - before).seconds) < 60)
    }
}
