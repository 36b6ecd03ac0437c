// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTestSupport
import Testing

@Suite("Crossing a border")
struct RegionRulesTests {
    @Test("a device that is inside when a region is added enters nothing: a first state comes with the first fix")
    func firstState() {
        var bench = RegionBench()
        bench.fix(east: 0)
        #expect(bench.crossings.map(\.state) == [.inside])
        #expect(bench.crossings.map(\.previous) == [.unknown])
        bench.stay(east: 0, seconds: 100)
        #expect(bench.events == [])
    }

    @Test("19 s outside are no exit; after 20 s it comes, with the time of acceptance")
    func dwell() {
        var bench = RegionBench()
        bench.stay(east: 0, seconds: 60)
        bench.stay(east: 400, seconds: 20)
        bench.stay(east: 0, seconds: 60)
        #expect(bench.events == [])
        let left = bench.seconds + 1
        bench.stay(east: 400, seconds: 21)
        #expect(bench.events == [.outside])
        #expect(bench.crossings.last?.date == RegionBench.date(left + 20))
        #expect(bench.crossings.last?.isInterpolated == false)
    }

    @Test("a fix back on the old side starts the time anew")
    func interruption() {
        var bench = RegionBench()
        bench.stay(east: 0, seconds: 60)
        bench.stay(east: 400, seconds: 15)
        bench.fix(east: 0)
        bench.stay(east: 400, seconds: 20)
        #expect(bench.events == [])
        bench.fix(east: 400)
        #expect(bench.events == [.outside])
    }

    @Test("two fixes beyond the border are enough when they are minutes apart")
    func dutyCycle() {
        var bench = RegionBench()
        bench.fix(east: 0)
        bench.fix(east: 600, after: 300)
        #expect(bench.events == [])
        #expect(bench.monitor.isDecisionPending)
        bench.fix(east: 610, after: 20)
        #expect(bench.events == [.outside])
        #expect(!bench.monitor.isDecisionPending)
    }

    @Test("a region's own cushion and dwell time replace the configured ones")
    func ownHysteresis() {
        var bench = RegionBench(hysteresis: RegionHysteresis(cushion: 50, dwell: .zero))
        bench.stay(east: 0, seconds: 60)
        bench.stay(east: 130, seconds: 60)
        #expect(bench.events == [])
        bench.fix(east: 400)
        #expect(bench.events == [.outside])
        bench = RegionBench(hysteresis: RegionHysteresis(dwell: .seconds(60)))
        bench.stay(east: 0, seconds: 60)
        bench.stay(east: 400, seconds: 60)
        #expect(bench.events == [])
        bench.fix(east: 400)
        #expect(bench.events == [.outside])
    }

    @Test("the configured dwell time and cushion are obeyed")
    func settings() {
        var bench = RegionBench()
        bench.settings.dwell = .seconds(5)
        bench.settings.minimumCushion = 150
        bench.stay(east: 0, seconds: 60)
        bench.stay(east: 200, seconds: 60)
        #expect(bench.events == [])
        bench.stay(east: 400, seconds: 6)
        #expect(bench.events == [.outside])
    }

    @Test(
        "a stored state that the fixes contradict is corrected once, by a crossing",
        arguments: [RegionState.inside, .outside])
    func stored(state: RegionState) {
        var bench = RegionBench(state: state)
        bench.stay(east: state == .inside ? 700 : 0, seconds: 120)
        #expect(bench.events == [state == .inside ? .outside : .inside])
        bench = RegionBench(state: state)
        bench.stay(east: state == .inside ? 0 : 700, seconds: 120)
        #expect(bench.crossings == [])
    }

    @Test("a way between two fixes that leads through a region gives both events, at the times of the border")
    func passage() {
        var bench = RegionBench(state: .outside)
        bench.fix(east: -500)
        bench.fix(east: 500, after: 50)
        #expect(bench.events == [.inside, .outside])
        #expect(bench.crossings.map(\.isInterpolated) == [true, true])
        // 400 m and 600 m of 1,000, at 20 m/s.
        #expect(abs(bench.crossings[0].date.milliseconds - RegionBench.date(1 + 20).milliseconds) < 100)
        #expect(abs(bench.crossings[1].date.milliseconds - RegionBench.date(1 + 30).milliseconds) < 100)
        for crossing in bench.crossings {
            #expect(abs(crossing.coordinate.distance(to: .origin) - 100) < 1)
        }
    }

    @Test("a way past a region, too long ago, or too near its border is no passage")
    func noPassage() {
        for (north, gap) in [(150.0, 50.0), (97, 50), (0, 301)] {
            var bench = RegionBench(state: .outside)
            bench.fix(east: -500, north: north)
            bench.fix(east: 500, north: north, after: gap)
            #expect(bench.crossings == [], "\(north) \(gap)")
        }
        var bench = RegionBench(state: .outside)
        bench.settings.detectsPassages = false
        bench.fix(east: -500)
        bench.fix(east: 500, after: 50)
        #expect(bench.crossings == [])
    }

    @Test(
        "a receiver that throws a walker to the other side of a region and back gives no event, as a jet in the same second does"
    )
    func thrown() {
        for (speed, events) in [(1.4, []), (200, [RegionState.inside, .outside])] {
            var bench = RegionBench(state: .outside)
            bench.speed = speed
            for second in 0..<60 { bench.fix(east: -200 - speed * Double(59 - second)) }
            for second in 0..<5 { bench.fix(east: 200 + speed * Double(second)) }
            #expect(bench.events == events, "\(speed)")
        }
    }

    @Test("a car that needs 10 s through a region, with a fix a second, gives both events")
    func drive() {
        var bench = RegionBench()
        bench.stay(east: -600, seconds: 30)
        for second in 0..<60 { bench.fix(east: -600 + Double(second) * 20) }
        #expect(bench.events == [.inside, .outside])
        #expect(bench.crossings.dropFirst().map(\.isInterpolated) == [true, true])
    }

    @Test("fixes of poor accuracy say nothing")
    func poorFixes() {
        var bench = RegionBench()
        bench.stay(east: 0, seconds: 30)
        bench.accuracy = 400
        bench.stay(east: 5_000, seconds: 100)
        #expect(bench.events == [])
    }

    @Test("a step of the wall clock is no dwell time")
    func clockStep() {
        var bench = RegionBench()
        bench.stay(east: 0, seconds: 30)
        bench.fix(east: 400)
        bench.clockError = 3_600
        bench.fix(east: 400)
        #expect(bench.events == [])
        bench.stay(east: 400, seconds: 19)
        #expect(bench.events == [.outside])
    }

    @Test("a region that is not watched costs nothing and has no state; watched again it starts anew")
    func unwatched() {
        var bench = RegionBench()
        bench.stay(east: 0, seconds: 30)
        #expect(bench.monitor.state(of: bench.handle) == .inside)
        bench.monitor.setWatched(bench.handle, false)
        #expect(bench.monitor.state(of: bench.handle) == .unknown)
        #expect(bench.monitor.watchedCount == 0)
        #expect(bench.monitor.distanceToNearestBorder == nil)
        #expect(!bench.monitor.isDecisionPending)
        bench.stay(east: 600, seconds: 100)
        bench.monitor.setWatched(bench.handle, true)
        bench.fix(east: 600)
        #expect(bench.events == [])
        #expect(bench.crossings.last?.state == .outside)
    }

    @Test("the handle of a removed region means nothing, also when its slot is used again")
    func oldHandle() {
        var bench = RegionBench()
        bench.monitor.remove(bench.handle)
        let other = bench.monitor.add(.circle(center: .origin, radius: 50))
        #expect(other.index == bench.handle.index)
        bench.fix(east: 0)
        #expect(bench.monitor.state(of: bench.handle) == .unknown)
        #expect(bench.monitor.state(of: other) == .inside)
        bench.monitor.remove(bench.handle)
        #expect(bench.monitor.watchedCount == 1)
    }
}

/// A monitor with one circle of 100 m, and a device somewhere around it.
struct RegionBench {
    var monitor = RegionMonitor()
    var settings = RegionSettings()
    let handle: RegionHandle
    var accuracy = 5.0
    /// Metres per second that the receiver says; nil: it says none.
    var speed: Double?
    /// Seconds by which the clock of the fixes is wrong.
    var clockError = 0.0
    private(set) var seconds = 0.0
    private(set) var crossings: [RegionCrossing] = []

    init(hysteresis: RegionHysteresis = RegionHysteresis(), state: RegionState = .unknown, radius: Double = 100) {
        handle = monitor.add(.circle(center: .origin, radius: radius), hysteresis: hysteresis, state: state)
    }

    /// Entered and left, first states aside.
    var events: [RegionState] { crossings.filter { $0.previous != .unknown }.map(\.state) }

    static func date(_ seconds: Double) -> WallTime {
        WallTime(milliseconds: 1_700_000_000_000 + Int64((seconds * 1000).rounded()))
    }

    mutating func fix(east: Double, north: Double = 0, after gap: Double = 1) {
        seconds += gap
        let frame = LocalFrame(latitude: Coordinate.origin.latitude)
        let location = Location(
            coordinate: frame.place(LocalOffset(north: north, east: east), from: .origin),
            horizontalAccuracy: accuracy, timestamp: RegionBench.date(seconds + clockError), speed: speed)
        monitor.process(location, at: BootInstant(nanoseconds: Int64(seconds * 1e9)), settings, into: &crossings)
    }

    mutating func stay(east: Double, seconds: Int) {
        for _ in 0..<seconds { fix(east: east) }
    }
}
