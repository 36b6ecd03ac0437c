// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Glibc

/// Writes a line for each location: its date, milliseconds since 1970, and when it came, nanoseconds of CLOCK_MONOTONIC.
final class Follower: NSObject, CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        for location in locations {
            let milliseconds = Int64((location.timestamp.timeIntervalSince1970 * 1000).rounded())
            say("\(milliseconds) \(Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))")
        }
    }
}

/// Writes a line when so many locations have come.
final class Counter: NSObject, CLLocationManagerDelegate {
    private var missing: Int

    init(_ count: Int) { missing = count }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        let before = missing
        missing -= locations.count
        if before > 0, missing <= 0 { say("complete") }
    }
}

/// Writes to the benchmark, a line at once.
func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}
