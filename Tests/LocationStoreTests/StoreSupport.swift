// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationStore
import LocationTestSupport

/// An entry whose every field follows from its number, so that a mixture of two records shows.
func entry(_ sequence: UInt64) -> LogEntry {
    let number = Double(sequence)
    // Every bit of `sequence` decides about one optional field.
    func known(_ bit: UInt64, _ value: Double) -> Double? { sequence >> bit & 1 == 0 ? value : nil }
    return LogEntry(
        location: Location(
            coordinate: Coordinate(latitude: number / 1e7, longitude: -number / 1e7), horizontalAccuracy: number + 0.5,
            timestamp: WallTime(milliseconds: Int64(sequence) * 1000), sequence: sequence,
            altitude: known(0, number + 1), ellipsoidalAltitude: known(1, number + 2),
            verticalAccuracy: known(2, number + 3), speed: known(3, number + 4), speedAccuracy: known(4, number + 5),
            course: known(5, number + 6), courseAccuracy: known(6, number + 7),
            isSimulatedBySoftware: sequence % 3 == 0, kind: LocationKind.allCases[Int(sequence % 7)]
        ), odometer: number * 3, flags: UInt32(truncatingIfNeeded: sequence &* 2_654_435_761))
}

/// All numbers in the log, oldest first, walked as a cursor walks.
func sequences(_ log: FixLog) -> [UInt64] {
    var found: [UInt64] = []
    while let next = log.next(after: found.last ?? 0) { found.append(next.location.sequence) }
    return found
}

func fill(_ log: FixLog, _ sequences: some Sequence<UInt64>) {
    for sequence in sequences { log.append(entry(sequence)) }
}

/// Kills this process after so many microseconds, wherever it is then.
func killThisProcess(afterMicroseconds microseconds: Int) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in kill(getpid(), SIGKILL) }
    sigaction(SIGALRM, &action, nil)
    var timer = itimerval()
    timer.it_value = timeval(tv_sec: microseconds / 1_000_000, tv_usec: microseconds % 1_000_000)
    setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
}

/// Runs `body` with the directory of a small file system of its own, which can be filled or made read-only.
///
/// Where this user may not mount one nothing runs, and that is said.
func withSmallFileSystem(kilobytes: Int, _ body: (String) throws -> Void) throws {
    let directory = try TemporaryDirectory()
    guard mount("locationd-test", directory.path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
        print("not tested here: this user may not mount a tmpfs")
        return
    }
    // Detached, so that it goes even if a failed test left a file open.
    defer { umount2(directory.path, CInt(MNT_DETACH)) }
    try body(directory.path)
}

/// Writes zeros to `path` until nothing more fits.
func fillFileSystem(with path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    let page = [UInt8](repeating: 0, count: 4096)
    while write(descriptor, page, page.count) > 0 {}
}

func date(_ seconds: Int) -> WallTime { WallTime(milliseconds: Int64(seconds) * 1000 + 7) }

/// A region whose every field follows from its number: circles, polygons and beacons, with and without hysteresis.
func region(_ number: Int, app: Int64, identifier: String? = nil, hasNotice: Bool = true) -> StoredRegion {
    let value = Double(number)
    func place(_ step: Int) -> Coordinate {
        Coordinate(
            latitude: Double(number % 500) / 7 + Double(step) * 0.1,
            longitude: -Double(number % 500) / 3 + Double(step % 3))
    }
    let group = number % 12 < 8 ? UInt16(truncatingIfNeeded: number) : nil
    let shape: RegionShape =
        if number % 3 == 2 {
            .polygon(Polygon(unchecked: (0...number % 40 + 2).map(place)))
        } else if number % 4 == 1 {
            .beacon(
                BeaconIdentity(
                    uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", major: group, minor: number % 8 < 4 ? group : nil))
        } else {
            .circle(center: place(0), radius: 100 + value / 9)
        }
    let region = Region(
        identifier: identifier ?? "region \(number)", shape: shape, notifyOnEntry: number % 2 == 0,
        notifyOnExit: number % 5 != 0,
        hysteresis: RegionHysteresis(
            cushion: number % 4 == 0 ? nil : value / 11,
            dwell: number % 7 == 0 ? nil : TimeSpan(nanoseconds: Int64(number) * 1_000_000_007)),
        notice: hasNotice && number % 4 == 1 ? notice(number) : nil)
    return StoredRegion(
        app: app, region: region, state: RegionState.allCases[number % 3],
        stateDate: number % 6 == 0 ? nil : date(number))
}

private func notice(_ number: Int) -> RegionNotice {
    RegionNotice(
        title: "“\(number)”", text: number % 8 == 1 ? "" : "é \(number)",
        on: RegionNotice.Crossing.allCases[number % 3], repeats: number % 16 == 1)
}

/// An event of each kind in turn. Every fourth is a significant change; with `keepsAll` number 99 alone, since only one is kept.
func event(_ number: Int, keepsAll: Bool = false) -> AppEvent {
    let shape = region(number, app: 0).region.shape
    let content: AppEvent.Content =
        switch number % (keepsAll ? 3 : 4) {
        case _ where keepsAll && number % 5 == 4:
            .notice(notice(number), region: "region \(number)", number % 2 == 0 ? .inside : .outside)
        case 0 where !keepsAll || number == 99:
            .significantChange(entry(UInt64(number)).location, isReduced: number % 8 == 0)
        case 1:
            // The notice of a region is another event.
            .region(
                region(number, app: 0, hasNotice: false).region, number % 2 == 0 ? .inside : .outside,
                shape.beacons == nil ? entry(UInt64(number)).location : nil)
        case 2:
            .visit(
                Visit(
                    coordinate: Coordinate(latitude: 1.5, longitude: Double(number) / 3), horizontalAccuracy: 33.3,
                    arrival: number % 3 == 0 ? nil : date(number), departure: number % 2 == 0 ? nil : date(number + 1)))
        default:
            .monitor(
                name: "m\(number)", identifier: "é \(number)",
                ConditionEvent(
                    state: ConditionState.allCases[number % 4], date: date(number),
                    refinement: number % 2 == 0 ? shape : nil, flags: DiagnosticFlags(rawValue: UInt16(number))))
        }
    return AppEvent(number: UInt64(number), date: date(number), content: content)
}

func storedRegions(_ database: Database) throws -> [StoredRegion] {
    var regions: [StoredRegion] = []
    try database.forEachRegion { regions.append($0) }
    return regions
}

func storedConditions(_ database: Database) throws -> [StoredCondition] {
    var conditions: [StoredCondition] = []
    try database.forEachCondition { conditions.append($0) }
    return conditions
}
