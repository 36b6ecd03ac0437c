// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Glibc

/// Makes managers that begin, are answered by the daemon, and are dropped.
enum Churn {
    // What is dropped is gone when the daemon has answered, and when nobody looks after its callbacks any more.
    private static let pause: TimeInterval = 12

    /// Does so on the calling thread, whatever that is, and writes a line after each of the numbers of managers, which are counted
    /// from the start: the number, and the resident and the anonymous memory, KiB.
    static func run(_ counts: [Int]) {
        let delegate = Counter(0)
        var made = 0
        for count in counts {
            while made < count {
                makeAndDrop(delegate)
                made += 1
            }
            let end = Date(timeIntervalSinceNow: pause)
            while RunLoop.current.run(mode: .default, before: end), Date() < end {}
            Thread.sleep(until: end)
            say("\(count) \(memory("Rss")) \(memory("Anonymous"))")
        }
    }

    private static func makeAndDrop(_ delegate: Counter) {
        let manager = CLLocationManager()
        manager.delegate = delegate
        manager.startUpdatingLocation()
        // Waits until the daemon has answered.
        _ = manager.authorizationStatus
        _ = RunLoop.current.run(mode: .default, before: Date())
    }

    private static func memory(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
