// SPDX-License-Identifier: Apache-2.0
import CoreLocation

/// Records a way on foot into a GPX file until Ctrl-C. Between its batches the program sleeps: locationd gathers the way.
///
///     HikeTracker hike.gpx
@main
@MainActor
final class HikeTracker: NSObject, @MainActor CLLocationManagerDelegate {
    /// A batch comes after so many metres or seconds, whatever is first.
    static let distance: CLLocationDistance = 500
    static let time: TimeInterval = 300
    /// The way does not begin with a location that is older, seconds.
    static let oldest: TimeInterval = 5

    private let manager = CLLocationManager()
    private let file: GPXFile
    private var hasBegun = false
    private var isDeferring = false
    private var isEnding = false

    init(file: GPXFile) {
        self.file = file
        super.init()
        manager.delegate = self
        // Deferral works for every fix that the receiver has, and for nothing less.
        manager.desiredAccuracy = kCLLocationAccuracyBest
        manager.distanceFilter = kCLDistanceFilterNone
        manager.activityType = .fitness
        manager.pausesLocationUpdatesAutomatically = true
        manager.allowsBackgroundLocationUpdates = true
        manager.startUpdatingLocation()
    }

    nonisolated static func main() async { await run() }

    static func run() async {
        guard CommandLine.arguments.count == 2 else { return fail("usage: HikeTracker FILE.gpx") }
        do {
            let tracker = HikeTracker(file: try GPXFile(creating: CommandLine.arguments[1]))
            await interruption()
            try await tracker.end()
        } catch {
            fail("cannot write the way: \(error.localizedDescription)")
        }
    }

    /// Stops the updates, which brings what is still held behind the end of the deferral, and waits until nothing more comes; not for
    /// ever, since the daemon may be gone.
    private func end() async throws {
        isEnding = true
        manager.stopUpdatingLocation()
        let deadline = ContinuousClock.now + .seconds(5)
        var count: Int
        repeat {
            count = file.count
            try await Task.sleep(for: .milliseconds(250))
        } while (isDeferring || count != file.count) && ContinuousClock.now < deadline
        try file.close()
        print("\(file.count) points")
    }

    // MARK: The delegate

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        let locations = hasBegun ? locations : HikeTracker.fresh(locations)
        guard !locations.isEmpty else { return }
        hasBegun = true
        do {
            try file.append(locations)
        } catch {
            HikeTracker.fail("cannot write the way: \(error.localizedDescription)")
        }
        guard !isDeferring, !isEnding else { return }
        isDeferring = true
        manager.allowDeferredLocationUpdates(untilTraveled: HikeTracker.distance, timeout: HikeTracker.time)
    }

    /// The first location after a start may be one that the daemon had kept, minutes old and from another place. Later ones are new,
    /// however old a deferred batch makes them.
    private static func fresh(_ locations: [CLLocation]) -> [CLLocation] {
        locations.filter { -$0.timestamp.timeIntervalSinceNow < oldest }
    }

    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {
        // The next batch is asked for when the held one, which follows, is here. An error here is no loss: a pause, for instance.
        isDeferring = false
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        switch (error as? CLError)?.code {
        case .locationUnknown?: print("no fix at present")
        case .denied?: HikeTracker.fail("not permitted: see locctl why")
        default: print("trouble: \(error.localizedDescription)")
        }
    }

    // MARK: The program

    /// Waits for Ctrl-C or `kill`.
    private static func interruption() async {
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: .main)
        }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            var waiting: CheckedContinuation<Void, Never>? = continuation
            for source in sources {
                source.setEventHandler {
                    waiting?.resume()
                    waiting = nil
                }
                source.resume()
            }
        }
        for source in sources { source.cancel() }
    }

    private static func fail(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("HikeTracker: \(text)\n".utf8))
        exit(EXIT_FAILURE)
    }
}
