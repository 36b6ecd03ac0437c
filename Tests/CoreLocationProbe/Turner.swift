// SPDX-License-Identifier: Apache-2.0
import CoreLocation

/// Waits for the second location inside of the callback that brings the first, as code does that was written to block: by turning
/// the run loop. Writes a line for each thing that happens.
@MainActor
final class Turner: NSObject, @MainActor CLLocationManagerDelegate {
    private var count = 0

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        dispatchPrecondition(condition: .onQueue(.main))
        count += 1
        let number = count
        say("\(number) begins")
        while count == 1, RunLoop.main.run(mode: .default, before: .distantFuture) {}
        say("\(number) ends")
    }

    /// Turns the run loop of the main thread until three locations have come.
    func run() {
        let manager = CLLocationManager()
        manager.delegate = self
        manager.startUpdatingLocation()
        while count < 3 {
            let before = count
            guard RunLoop.main.run(mode: .default, before: .distantFuture) else { return say("the run loop ends") }
            if count > before { say("run returns after \(count)") }
        }
        withExtendedLifetime(manager) {}
    }
}
