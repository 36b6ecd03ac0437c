// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import LocationEngine

@Suite("Pace of the device")
struct DevicePaceTests {
    fileprivate var pace = DevicePace()

    private static func second(_ seconds: Double) -> BootInstant {
        BootInstant(nanoseconds: TimeSpan.seconds(1000 + seconds).nanoseconds)
    }

    fileprivate mutating func fix(at seconds: Double, metres: Double, speed: Double? = nil) {
        pace.note(
            Location(
                coordinate: Coordinate.origin.moved(by: metres, course: 90), horizontalAccuracy: 5,
                timestamp: WallTime(milliseconds: Int64(seconds * 1000)), speed: speed), at: Self.second(seconds))
    }

    @Test("fades while the device stands: half of it is left after ten minutes")
    mutating func fades() {
        fix(at: 0, metres: 0, speed: 20)
        #expect(pace.speed(at: Self.second(0)) == 20)
        fix(at: 1, metres: 20, speed: 0)
        #expect(abs(pace.speed(at: Self.second(60)) - 18) < 1)
        #expect(abs(pace.speed(at: Self.second(600)) - 10) < 0.1)
    }

    @Test("is seen from the way where the receiver tells no speed, but not from errors of one second")
    mutating func withoutSpeed() {
        fix(at: 0, metres: 0)
        fix(at: 1, metres: 200)
        #expect(pace.speed(at: Self.second(1)) == 0)
        fix(at: 61, metres: 810)
        #expect(abs(pace.speed(at: Self.second(61)) - 10) < 0.1)
    }

    @Test("rest is known after three minutes, and not once the newest fix lies elsewhere")
    mutating func rest() {
        for second in stride(from: 0.0, through: 170, by: 10) { fix(at: second, metres: 0) }
        #expect(!pace.isStationary)
        fix(at: 180, metres: 10)
        #expect(pace.isStationary)
        fix(at: 280, metres: 80)
        #expect(!pace.isStationary)
    }
}

extension DevicePaceTests {
    @Test(
        "who walked came on foot however long the rest; who drove did not, and of who was never seen moving nobody knows"
    )
    mutating func onFoot() {
        fix(at: 0, metres: 0, speed: 0)
        #expect(!pace.isOnFoot)
        for second in 1...120 { fix(at: Double(second), metres: Double(second) * 1.4, speed: 1.4) }
        #expect(pace.isOnFoot)
        for second in stride(from: 130.0, through: 7_000, by: 60) { fix(at: second, metres: 170, speed: 0) }
        #expect(pace.isOnFoot && pace.isStationary)
        for second in stride(from: 7_010.0, through: 7_100, by: 10) {
            fix(at: second, metres: 170 + (second - 7_000) * 12, speed: 12)
        }
        #expect(!pace.isOnFoot)
        for second in stride(from: 7_110.0, through: 14_000, by: 60) { fix(at: second, metres: 1_370, speed: 0) }
        #expect(!pace.isOnFoot)
    }

    @Test("who came by bicycle did not come on foot")
    mutating func bicycle() {
        for second in 1...120 { fix(at: Double(second), metres: Double(second) * 3.5, speed: 3.5) }
        #expect(!pace.isOnFoot)
    }
}

@Suite("Searches of the receiver")
struct ReceiverSearchTests {
    private let settings = PowerSettings()
    private var longest = BlindSleep()

    private func time(_ search: ReceiverSearch, sinceLastFix: Double? = 100, isStationary: Bool = true) -> TimeSpan {
        search.time(sinceLastFix: sinceLastFix.map { .seconds($0) }, isStationary: isStationary, settings)
    }

    private mutating func giveUp(
        _ search: inout ReceiverSearch, _ sinceLastFix: Double?, isDriven: Bool, tells: Bool = true
    )
        -> Double
    {
        if tells { search.noteNoFix(satellites: 3, after: .seconds(1)) }
        return search.giveUp(
            sinceLastFix: sinceLastFix.map { .seconds($0) }, sleep: .seconds(30), isDriven: isDriven,
            longest: longest, settings
        ).seconds
    }

    @Test("take their time until one has succeeded, and when the last fix is hours old")
    func untilOneSucceeded() {
        var search = ReceiverSearch()
        #expect(time(search) == settings.acquisition)
        search.noteFirstFix(after: .seconds(6), isHot: true)
        #expect(time(search) == .seconds(9))
        #expect(time(search, sinceLastFix: 7_201) == settings.acquisition)
        #expect(time(search, sinceLastFix: nil) == settings.acquisition)
        for _ in 0..<50 { search.noteFirstFix(after: .seconds(30), isHot: true) }
        #expect(abs(time(search).seconds - 45) < 0.1)
    }

    @Test("a start without known satellites says nothing of the next, and after a vain search the next is short")
    mutating func cold() {
        var search = ReceiverSearch()
        search.noteFirstFix(after: .seconds(40), isHot: false)
        #expect(time(search) == settings.acquisition)
        _ = giveUp(&search, 100, isDriven: true)
        #expect(time(search) == .seconds(20))
        search.noteFirstFix(after: .seconds(4), isHot: true)
        #expect(time(search) == .seconds(9))
    }

    @Test("a sky that comes late after vain searches makes the searches to come hardly longer")
    mutating func lateSky() {
        var search = ReceiverSearch()
        search.noteFirstFix(after: .seconds(6), isHot: true)
        _ = giveUp(&search, 100, isDriven: true)
        search.noteFirstFix(after: .seconds(55), isHot: true)
        #expect(time(search) < .seconds(14))
    }

    @Test("one in sixty-four takes its time: the sky may be poor and not gone")
    mutating func longOne() {
        var search = ReceiverSearch()
        search.noteFirstFix(after: .seconds(6), isHot: true)
        let times = (0..<192).map { _ in
            defer { _ = giveUp(&search, 100, isDriven: false) }
            return time(search)
        }
        #expect(times.indices.filter { times[$0] == settings.acquisition } == [63, 127, 191])
    }

    @Test(
        "each vain one is followed by a longer sleep, under a roof sooner than in a tunnel, up to a bound while a fix is recent"
    )
    mutating func sleeps() {
        var (resting, moving, lost) = (ReceiverSearch(), ReceiverSearch(), ReceiverSearch())
        #expect((0..<4).map { _ in giveUp(&resting, 100, isDriven: false) } == [80, 160, 300, 300])
        #expect(
            (0..<7).map { _ in giveUp(&moving, 100, isDriven: true) } == [30, 30, 40, 80, 160, 300, 300])
        #expect((0..<5).map { _ in giveUp(&lost, nil, isDriven: true) } == [80, 160, 320, 640, 900])
        longest = BlindSleep(hot: .seconds(150), cold: .seconds(240))
        var (later, lostAgain) = (ReceiverSearch(), ReceiverSearch())
        #expect((0..<5).map { _ in giveUp(&later, 100, isDriven: true) } == [30, 30, 40, 80, 150])
        #expect((0..<4).map { _ in giveUp(&lostAgain, nil, isDriven: true) } == [80, 160, 240, 240])
        longest = BlindSleep(firstCold: .seconds(200))
        var seldom = ReceiverSearch()
        #expect((0..<4).map { _ in giveUp(&seldom, nil, isDriven: true) } == [200, 400, 800, 900])
    }

    @Test("the bound is higher where the receiver tells of no satellites")
    mutating func mute() {
        var search = ReceiverSearch()
        #expect((0..<4).map { _ in giveUp(&search, 100, isDriven: false, tells: false) } == [80, 160, 320, 450])
    }

    @Test("are shorter after a vain one, where a fix takes little time")
    mutating func afterVain() {
        var search = ReceiverSearch()
        search.noteFirstFix(after: .seconds(4), isHot: true)
        #expect(time(search) == .seconds(9))
        _ = giveUp(&search, 100, isDriven: false)
        #expect(time(search) == .seconds(7))
        for _ in 0..<50 { search.noteFirstFix(after: .seconds(10), isHot: true) }
        _ = giveUp(&search, 100, isDriven: false)
        #expect(abs(time(search).seconds - 15) < 0.1)
    }

    @Test(
        "a sleep at rest goes with the root of what a start takes: 35 s for a second, two minutes at most",
        arguments: [(0.2, 35.0), (1, 35), (4, 70), (30, 120)])
    func worthwhile(start: Double, sleep: Double) {
        var search = ReceiverSearch()
        #expect(search.worthwhileSleep == nil)
        search.noteFirstFix(after: .seconds(start), isHot: true)
        #expect(search.worthwhileSleep == .seconds(sleep))
    }

    @Test
    mutating func
        `after a vain one the next ends when the receiver has heard no satellites for half as long again as usual`()
    {
        var search = ReceiverSearch()
        for _ in 0..<5 { start(&search, heardAfter: 2, fixAfter: 6) }
        search.noteNoFix(satellites: 2, after: .seconds(1))
        #expect(time(search) == .seconds(9), "the first goes on")
        _ = giveUp(&search, 100, isDriven: false)
        #expect(time(search) == .seconds(9), "nothing is told yet")
        search.noteNoFix(satellites: 2, after: .seconds(1))
        #expect(time(search) == .seconds(3))
        search.noteNoFix(satellites: 3, after: .seconds(3))
        #expect(time(search) == .seconds(9))
        search.noteNoFix(satellites: 0, after: .seconds(4))
        #expect(time(search) == .seconds(9), "what was heard may be heard again")
    }

    @Test
    mutating func
        `a receiver that is quick to hear satellites gets three seconds, and one that tells of none its time`()
    {
        var (quick, mute) = (ReceiverSearch(), ReceiverSearch())
        start(&quick, heardAfter: 0.5, fixAfter: 6)
        mute.noteNoFix(satellites: 0, after: .seconds(1))
        mute.noteFirstFix(after: .seconds(6), isHot: true)
        for (search, limit) in [(quick, 3.0), (mute, 9)] {
            var search = search
            _ = giveUp(&search, 100, isDriven: false)
            search.noteNoFix(satellites: 0, after: .seconds(1))
            #expect(time(search) == .seconds(limit))
        }
    }

    @Test mutating func `a receiver that has its fixes in silence is not given up for its silence`() {
        var search = ReceiverSearch()
        start(&search, heardAfter: 2, fixAfter: 6)
        for _ in 0..<20 {
            search.noteNoFix(satellites: 0, after: .seconds(1))
            search.noteFirstFix(after: .seconds(6), isHot: true)
        }
        _ = giveUp(&search, 100, isDriven: false)
        search.noteNoFix(satellites: 0, after: .seconds(1))
        #expect(time(search) > .seconds(8))
    }

    @Test mutating func `how soon satellites are heard is not learnt under a roof`() {
        var search = ReceiverSearch()
        start(&search, heardAfter: 2, fixAfter: 6)
        _ = giveUp(&search, 100, isDriven: false)
        start(&search, heardAfter: 50, fixAfter: 55)
        _ = giveUp(&search, 100, isDriven: false)
        search.noteNoFix(satellites: 0, after: .seconds(1))
        #expect(time(search) == .seconds(3))
    }

    @Test func `on the way a receiver that hears satellites gets more time, as long as its searches find the sky`() {
        var search = ReceiverSearch()
        start(&search, heardAfter: 2, fixAfter: 6)
        #expect(time(search, isStationary: false) == .seconds(9))
        search.noteNoFix(satellites: 4, after: .seconds(1))
        #expect(time(search, isStationary: false) == .seconds(14) && time(search) == .seconds(9))
    }

    @Test func `without satellites known a receiver that tells of them and hears none gets twenty seconds`() {
        var search = ReceiverSearch()
        search.noteNoFix(satellites: 0, after: .seconds(1))
        #expect(time(search, sinceLastFix: nil) == settings.acquisition)
        search.noteNoFix(satellites: 3, after: .seconds(8))
        #expect(time(search, sinceLastFix: nil) == settings.acquisition)
        search.noteFirstFix(after: .seconds(30), isHot: false)
        search.noteNoFix(satellites: 0, after: .seconds(1))
        #expect(time(search, sinceLastFix: 8_000) == .seconds(20))
    }

    private func start(_ search: inout ReceiverSearch, heardAfter: Double, fixAfter: Double) {
        search.noteNoFix(satellites: 5, after: .seconds(heardAfter))
        search.noteFirstFix(after: .seconds(fixAfter), isHot: true)
    }
}
