// SPDX-License-Identifier: Apache-2.0
internal import LocationModel

/// One receiver: the epoch being gathered, and what is known of the receiver from before.
struct ReceiverEpochs {
    let receiver: ReceiverID
    var accuracy: AccuracyModel
    private(set) var habits = EpochHabits()
    /// Whether gpsd has the device; false after it went.
    var isPresent = false
    /// Whether it was given up though gpsd still lists it: the list alone does not bring it back.
    var isGivenUp = false
    var driver: String?
    private(set) var mode: Int8 = 0
    private(set) var lastHeard: BootInstant?
    private(set) var lastFix: BootInstant?

    private var epoch: GatheredEpoch?
    // Of the epoch before the open one, whether it had a position or not.
    private var previousTime: WallTime?
    private var previousOpenedAt: BootInstant?
    private var sky: SkyReport?
    private var skyHeard: BootInstant?
    private var earlyGST: GSTReport?
    // False makes the next fix urgent.
    private var hadFix = false

    private let longestGathering: TimeSpan

    init(receiver: ReceiverID, factors: AccuracyFactors, longestGathering: TimeSpan) {
        self.receiver = receiver
        self.longestGathering = longestGathering
        accuracy = AccuracyModel(factors: factors)
    }

    /// When the open epoch is to be published, complete or not.
    var deadline: BootInstant? {
        guard let epoch, !epoch.isPublished, epoch.position != nil else { return nil }
        return epoch.openedAt + min(habits.gatheringTime, longestGathering)
    }

    mutating func heard(at now: BootInstant) {
        lastHeard = now
        isGivenUp = false
    }

    mutating func receive(_ tpv: TPVReport, at now: BootInstant, hostTime: WallTime, into fixes: inout [Fix]) {
        mode = tpv.mode
        if belongs(tpv, at: now) {
            epoch?.absorb(tpv)
        } else {
            close(into: &fixes)
            open(tpv, at: now, hostTime: hostTime)
        }
        if tpv.isImpossible, epoch?.position == nil, epoch?.isRefused == false {
            epoch?.isRefused = true
            fixes.append(Fix(impossibleBy: receiver, at: tpv.time ?? hostTime))
        }
        guard let epoch, !epoch.isPublished, epoch.position != nil else { return }
        if isUrgent(at: now) || isComplete(epoch) || deadline.map({ $0 <= now }) == true {
            publish(at: now, into: &fixes)
        }
    }

    mutating func receive(_ gst: GSTReport, at now: BootInstant, into fixes: inout [Fix]) {
        guard var open = epoch, isOf(open, gst, at: now) else { return earlyGST = gst }
        open.hadGST = true
        if !open.isPublished { open.gst = gst }
        epoch = open
        guard !open.isPublished, open.position != nil, isComplete(open) else { return }
        publish(at: now, into: &fixes)
    }

    mutating func receive(_ sky: SkyReport, at now: BootInstant) {
        guard sky.hdop != nil || sky.vdop != nil else { return }
        self.sky = sky
        skyHeard = now
    }

    /// Publishes the open epoch if its time is up.
    mutating func expire(at now: BootInstant, into fixes: inout [Fix]) {
        guard let deadline, deadline <= now else { return }
        publish(at: now, into: &fixes)
    }

    /// Nothing more will come: publishes what is left.
    mutating func finish(into fixes: inout [Fix]) {
        close(into: &fixes)
        hadFix = false
        earlyGST = nil
        previousTime = nil
        previousOpenedAt = nil
    }

    // MARK: - Which epoch

    private func belongs(_ tpv: TPVReport, at now: BootInstant) -> Bool {
        guard let epoch else { return false }
        if let time = tpv.time {
            // A time that comes again a cycle later is a clock that stands still, and for whoever takes fixes to count.
            if let epochTime = epoch.time { return time == epochTime && now - epoch.openedAt < habits.assumedCycle }
            // The time comes with a later sentence of the same epoch; what was already published keeps its own.
            return !epoch.isPublished && now - epoch.openedAt < habits.anonymousJoiningTime
        }
        // A fix and "no fix" are never said of the same epoch.
        if (tpv.mode < 2) != (epoch.merged.mode < 2) { return false }
        return now - epoch.openedAt < (epoch.time == nil ? habits.anonymousJoiningTime : habits.joiningTime)
    }

    private func isOf(_ epoch: GatheredEpoch, _ gst: GSTReport, at now: BootInstant) -> Bool {
        if let time = gst.time, let epochTime = epoch.time { return time == epochTime }
        return now - epoch.openedAt < habits.anonymousJoiningTime
    }

    private mutating func open(_ tpv: TPVReport, at now: BootInstant, hostTime: WallTime) {
        epoch = GatheredEpoch(tpv, at: now, hostTime: hostTime)
        if let time = tpv.time, let early = earlyGST, early.time == time {
            epoch?.gst = early
            epoch?.hadGST = true
        }
        earlyGST = nil
        measureCycle(tpv.time, at: now)
    }

    private mutating func measureCycle(_ time: WallTime?, at now: BootInstant) {
        if let time, let previousTime {
            // Jumps of any size are possible; the subtraction must not trap.
            let (interval, overflow) = time.milliseconds.subtractingReportingOverflow(previousTime.milliseconds)
            if !overflow, abs(interval) < 3_600_000 { habits.observe(interval: .milliseconds(interval)) }
        } else if time == nil, previousTime == nil, let previousOpenedAt {
            habits.observe(interval: now - previousOpenedAt)
        }
        previousTime = time
        previousOpenedAt = now
    }

    // The next epoch has begun, or the stream ended.
    private mutating func close(into fixes: inout [Fix]) {
        guard let closing = epoch else { return }
        if closing.position != nil {
            if !closing.isPublished { publish(at: closing.openedAt, into: &fixes) }
            habits.closed(reports: closing.reports, hadGST: closing.hadGST)
        } else {
            hadFix = false
        }
        epoch = nil
    }

    // MARK: - Publication

    private func isUrgent(at now: BootInstant) -> Bool {
        guard hadFix, let lastFix else { return true }
        return now - lastFix > TimeSpan(nanoseconds: habits.assumedCycle.nanoseconds * 3)
    }

    private func isComplete(_ epoch: GatheredEpoch) -> Bool {
        guard let expected = habits.expectedReports else { return false }
        return epoch.reports >= expected && (!habits.expectsGST || epoch.hadGST)
    }

    private mutating func publish(at now: BootInstant, into fixes: inout [Fix]) {
        guard let epoch, let position = epoch.position else { return }
        fixes.append(fix(epoch, at: position))
        self.epoch?.isPublished = true
        hadFix = true
        lastFix = now
    }
}

extension Fix {
    /// Stands for a fix that there cannot be, for whoever counts those.
    fileprivate init(impossibleBy receiver: ReceiverID, at time: WallTime) {
        let nowhere = Coordinate(latitude: .nan, longitude: .nan)
        let location = Location(coordinate: nowhere, horizontalAccuracy: .nan, timestamp: time)
        self.init(receiver: receiver, location: location, mode: 0)
    }
}

extension ReceiverEpochs {
    // Dilutions older than this say little about the fix.
    private static var dilutionLifetime: TimeSpan { .seconds(30) }
    // Slower than this, a course is noise.
    private static var slowestCourse: Double { 0.5 }

    private mutating func fix(_ epoch: GatheredEpoch, at position: Coordinate) -> Fix {
        let merged = epoch.merged
        var errors = EpochErrors(
            mode: merged.mode, status: merged.status, eph: merged.eph, epx: merged.epx, epy: merged.epy,
            epv: merged.epv, gst: epoch.gst)
        if let skyHeard, epoch.openedAt - skyHeard < Self.dilutionLifetime { errors.sky = sky }
        let radius = accuracy.horizontal(errors)
        var location = Location(
            coordinate: position, horizontalAccuracy: radius, timestamp: epoch.time ?? epoch.hostTime,
            isSimulatedBySoftware: merged.status == .simulated)
        if merged.mode == 3, merged.altMSL != nil || merged.altHAE != nil {
            location.altitude = merged.altMSL
            location.ellipsoidalAltitude = merged.altHAE
            location.verticalAccuracy = accuracy.vertical(errors, radius: radius)
        }
        location.speed = merged.speed
        if let speed = merged.speed, speed >= Self.slowestCourse { location.course = merged.track }
        if suppliesSpeedErrors(merged) {
            location.speedAccuracy = location.speed == nil ? nil : merged.eps
            location.courseAccuracy = location.course == nil ? nil : merged.epd
        }
        location.estimateMotionAccuracy()
        location.dropUselessCourse()
        return Fix(receiver: receiver, location: location, hasReceiverTime: epoch.time != nil, mode: merged.mode)
    }

    // Where the receiver says nothing, gpsd computes `eps` as two position errors by the time between them, which says
    // nothing about the speed. Only the u-blox driver is known to pass on the receiver's own, which is far smaller.
    private func suppliesSpeedErrors(_ merged: TPVReport) -> Bool {
        guard let driver, driver.hasPrefix("u-blox"), let eps = merged.eps, let eph = merged.eph else { return false }
        return eps * habits.assumedCycle.seconds < eph
    }
}
