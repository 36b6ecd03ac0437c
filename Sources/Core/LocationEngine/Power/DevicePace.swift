// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// How fast the device was of late, and whether it is known to be stationary: the receiver's sleep depends on both.
struct DevicePace: Sendable {
    private var detector = StationaryDetector()
    private var pace = 0.0
    /// The highest speed of the last minutes that it moved in; nil: it was never seen moving.
    private var trip: Double?
    /// Whether the newest fix says that it drives.
    private(set) var isDriven = false
    private var last: (place: Coordinate, accuracy: Double, at: BootInstant)?

    private static let stationarySettings = StationarySettings(radius: 50, time: .seconds(180))
    /// Seconds after which half a speed is forgotten: a device that stops at a light goes on as before.
    private static let memory = 600.0
    /// Metres per second.
    private static let slowestWalk = 0.7
    private static let fastestOnFoot = 2.5
    /// Seconds of a sleep at the most in which a trip is forgotten as if it had been seen.
    private static let longestTrust = 120.0
    /// Over a shorter time errors of the fixes would count as speed.
    private static let shortestWay = TimeSpan.seconds(10)

    /// Whether the device has been stationary for minutes, and the newest fix does not lie elsewhere.
    var isStationary: Bool { detector.longestSleep(DevicePace.stationarySettings) > .zero }

    /// Whether it came on foot, and will most likely leave on foot. Unknown is no.
    var isOnFoot: Bool { trip.map { $0 < DevicePace.fastestOnFoot } ?? false }

    /// When the last fix came.
    var lastFix: BootInstant? { last?.at }

    /// Metres per second, at `now`: the highest of late; it fades.
    func speed(at now: BootInstant) -> Double {
        guard let last else { return 0 }
        return pace * DevicePace.fading((now - last.at).seconds)
    }

    mutating func note(_ location: Location, at now: BootInstant) {
        _ = detector.process(location, at: now, DevicePace.stationarySettings)
        var seen = location.speed ?? 0
        if let last, now - last.at >= DevicePace.shortestWay {
            let way = last.place.distance(to: location.coordinate) - last.accuracy - location.horizontalAccuracy
            seen = max(seen, way / (now - last.at).seconds)
        }
        if let last, !isStationary, trip != nil || seen > DevicePace.slowestWalk {
            let moving = min((now - last.at).seconds, DevicePace.longestTrust)
            trip = max(seen, (trip ?? 0) * DevicePace.fading(moving / 2))
        }
        pace = max(seen, speed(at: now))
        isDriven = location.speed ?? seen >= DevicePace.fastestOnFoot
        last = (location.coordinate, location.horizontalAccuracy, now)
    }

    private static func fading(_ seconds: Double) -> Double { 1 / (1 + max(seconds, 0) / memory) }
}
