// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Glibc
import Synchronization

/// A manager whose thread, one of Dispatch's, never runs its run loop and ends when it has had nothing to do for some seconds.
final class Worker: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    // Written once, by the thread that makes it.
    private var manager: CLLocationManager?
    private let count = Atomic<Int>(0)

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        count.add(locations.count, ordering: .relaxed)
    }

    /// Returns when the thread has ended and another location has come.
    @MainActor
    func run() {
        let thread = Mutex<String?>(nil)
        DispatchQueue.global().async {
            let manager = CLLocationManager()
            manager.delegate = self
            manager.startUpdatingLocation()
            self.manager = manager
            let task = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            thread.withLock { $0 = task.map { "/proc/\($0)" } ?? "" }
        }
        turn { thread.withLock { $0 } != nil }
        let task = thread.withLock { $0 } ?? ""
        turn { access(task, F_OK) != 0 }
        say("the thread has ended")
        let before = count.load(ordering: .relaxed)
        turn { self.count.load(ordering: .relaxed) > before }
        say("another location")
    }

    private func turn(until condition: () -> Bool) {
        while !condition() { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
    }
}
