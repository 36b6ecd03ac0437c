// SPDX-License-Identifier: Apache-2.0
import CoreLocation

/// Says where the device goes, and ends when it has come to rest or on Ctrl-C:
///
///     LOCATIOND_SOCKET=/run/locationd/locationd.sock LiveFollower
@main
struct LiveFollower {
    static func main() async {
        let following = Task { try await follow() }
        // The stream ends with its task, and the receiver may sleep.
        let interruption = onInterrupt { following.cancel() }
        defer { interruption.cancel() }
        do {
            try await following.value
        } catch {
            say("cannot follow the device: \(error)", to: .standardError)
            exit(EXIT_FAILURE)
        }
    }

    static func follow() async throws {
        for try await update in CLLocationUpdate.liveUpdates(.otherNavigation) {
            if let location = update.location {
                say(describe(location))
            } else {
                say(reason(update), to: .standardError)
            }
            if update.stationary {
                say("at rest")
                return
            }
        }
    }

    static func describe(_ location: CLLocation) -> String {
        let place = location.coordinate
        let time = location.timestamp.formatted(.iso8601)
        // A value that is not known is negative.
        let speed = location.speed < 0 ? "" : String(format: ", %.1f m/s", location.speed)
        return String(format: "%@  %.5f %.5f", time, place.latitude, place.longitude)
            + String(format: " to %.0f m%@", location.horizontalAccuracy, speed)
    }

    /// Why there is no location: every element without one says so. The stream goes on by itself when there are some again.
    static func reason(_ update: CLLocationUpdate) -> String {
        if update.authorizationDeniedGlobally { return "location services are off" }
        if update.authorizationDenied { return "somebody has decided that this program may not know locations" }
        if update.authorizationRestricted { return "the administrator forbids locations" }
        if update.authorizationRequestInProgress { return "somebody is being asked whether this program may know" }
        if update.locationUnavailable { return "no fix" }
        return "no location"
    }

    static func say(_ line: String, to handle: FileHandle = .standardOutput) {
        try? handle.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Does `body` in place of what Ctrl-C and `kill` do, until it is cancelled.
    static func onInterrupt(_ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        let signals = AsyncStream<Void> { stream in
            let sources = [SIGINT, SIGTERM].map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number)
                source.setEventHandler { stream.yield() }
                source.resume()
                return SignalSource(source)
            }
            stream.onTermination = { _ in for source in sources { source.source.cancel() } }
        }
        return Task { for await _ in signals { body() } }
    }
}

/// A source is made, resumed and cancelled from any thread.
private struct SignalSource: @unchecked Sendable {
    let source: any DispatchSourceSignal
    init(_ source: any DispatchSourceSignal) { self.source = source }
}
