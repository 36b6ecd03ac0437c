// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationDaemon

@Suite("When history is written")
struct HistoryPlanTests {
    private static let sync = TimeSpan.seconds(300)

    private func seconds(_ seconds: Double) -> BootInstant { BootInstant(nanoseconds: 0) + .seconds(seconds) }

    private func due(
        _ plan: inout HistoryPlan, waiting: UInt64, at now: BootInstant, nextWake: BootInstant?
    ) -> Bool { plan.isDue(waiting: waiting, at: now, nextWake: nextWake) }

    private func plan(room: UInt64 = 1000) -> HistoryPlan { HistoryPlan(sync: HistoryPlanTests.sync, room: room) }

    @Test("nothing that waits is nothing to write, whatever the clock says")
    func nothing() {
        var plan = plan()
        for second in [0.0, 299, 301, 1e6] {
            let isDue = plan.isDue(waiting: 0, at: seconds(second), nextWake: nil)
            #expect(!isDue)
        }
    }

    @Test("at one fix a second all of five minutes are one write")
    func batches() {
        var (plan, waiting, writes) = (plan(), UInt64(0), [Int]())
        for second in 0..<3600 {
            waiting += 1
            let now = seconds(Double(second))
            guard plan.isDue(waiting: waiting, at: now, nextWake: now) else { continue }
            writes.append(second)
            waiting = 0
            plan.wrote(remaining: 0)
        }
        #expect(writes.count == 11 && writes.first == 300)
        #expect(zip(writes, writes.dropFirst()).allSatisfy { $1 - $0 == 301 })
    }

    @Test(
        "before a sleep that is longer than what a power cut may cost it is written at once, before a shorter one it is not"
    )
    func sleep() {
        var plan = plan()
        #expect(!due(&plan, waiting: 1, at: seconds(0), nextWake: seconds(300)))
        #expect(due(&plan, waiting: 1, at: seconds(0), nextWake: seconds(301)))
        #expect(due(&plan, waiting: 1, at: seconds(0), nextWake: nil), "nothing is sure to wake it")
        // The first fix has waited for most of its time already.
        #expect(due(&plan, waiting: 2, at: seconds(200), nextWake: seconds(301)))
    }

    @Test("a fix that comes after a write has its own five minutes")
    func afterWriting() {
        var plan = plan()
        #expect(!due(&plan, waiting: 1, at: seconds(0), nextWake: seconds(1)))
        plan.wrote(remaining: 0)
        #expect(!due(&plan, waiting: 1, at: seconds(299), nextWake: seconds(301)))
        #expect(due(&plan, waiting: 1, at: seconds(599), nextWake: seconds(600)))
    }

    @Test("before the log overwrites them they are written, however young they are")
    func room() {
        var plan = plan(room: 10)
        #expect(!due(&plan, waiting: 9, at: seconds(0), nextWake: seconds(0)))
        #expect(due(&plan, waiting: 10, at: seconds(0), nextWake: seconds(0)))
    }

    @Test("a disk that takes nothing is asked again after 10 s, then less often, every 5 minutes at the least")
    func failures() {
        var (plan, tries) = (plan(room: 1), [Double]())
        for second in 0..<2000 where plan.isDue(waiting: 5, at: seconds(Double(second)), nextWake: nil) {
            tries.append(Double(second))
            plan.failed(at: seconds(Double(second)))
        }
        #expect(Array(tries.prefix(7)) == [0, 10, 30, 70, 150, 310, 610])
        #expect(zip(tries, tries.dropFirst()).allSatisfy { $1 - $0 <= 300 })
        plan.wrote(remaining: 0)
        #expect(due(&plan, waiting: 1, at: seconds(2001), nextWake: nil), "what works again is used at once")
    }

    @Test(
        "whatever comes when, no fix waits longer than it may while the daemon is awake, and none is lost",
        arguments: 1...20)
    func promise(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var plan = plan(room: 64)
        var (now, waiting) = (0.0, UInt64(0))
        var oldest: Double?
        var sleeps: Double?
        for _ in 0..<5000 {
            let next: Double = [0.1, 1, 10, 200, 400].randomElement(using: &random) ?? 1
            sleeps = Bool.random(using: &random) ? next : nil
            if Bool.random(using: &random) {
                waiting += 1
                oldest = oldest ?? now
            }
            if plan.isDue(waiting: waiting, at: seconds(now), nextWake: sleeps.map { seconds(now + $0) }) {
                plan.wrote(remaining: 0)
                (waiting, oldest) = (0, nil)
            }
            #expect(waiting < 64)
            // It sleeps now: what waits then may have waited too long only when somebody else wakes it.
            if let oldest { #expect(now + (sleeps ?? .infinity) - oldest <= 300) }
            now += sleeps ?? next
        }
    }
}
