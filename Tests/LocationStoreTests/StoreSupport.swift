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
            course: known(5, number + 6), courseAccuracy: known(6, number + 7), isSimulatedBySoftware: sequence % 3 == 0
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
