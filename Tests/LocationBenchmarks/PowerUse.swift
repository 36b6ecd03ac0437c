// SPDX-License-Identifier: Apache-2.0
import LivedDays
import LocationEngine
import LocationModel
import LocationTracks

/// What somebody asks of the service for a whole day.
enum PowerUse: String, CaseIterable {
    case alwaysOn = "always on, all three"
    case significantChange = "significant change"
    case regions = "regions"
    case visits = "visits"
    case coarse = "all three"
    case paused = "standard, pauses"

    var hasStandard: Bool { self == .alwaysOn || self == .paused }
    var hasSignificantChange: Bool { self == .alwaysOn || self == .significantChange || self == .coarse }
    var hasRegions: Bool { self == .alwaysOn || self == .regions || self == .coarse }
    var hasVisits: Bool { self == .alwaysOn || self == .visits || self == .coarse }
}

extension PowerUse {
    /// What a client asks for.
    func requests(_ day: PowerDay) -> [Request] {
        var requests: [Request] = []
        if hasStandard {
            let patch = PropertiesPatch(pausesLocationUpdatesAutomatically: self == .paused)
            requests += [.setProperties(patch), .startUpdatingLocation(resumeAfter: nil)]
        }
        if hasSignificantChange { requests.append(.startMonitoringSignificantLocationChanges) }
        if hasVisits { requests.append(.startMonitoringVisits) }
        if hasRegions { requests += day.circles.map { .startMonitoring($0) } }
        return requests
    }
}

extension LivedDay {
    init(
        _ day: PowerDay, _ use: PowerUse, _ receiver: StartingReceiver,
        configuration: EngineConfiguration = EngineConfiguration()
    ) {
        self.init(seconds: day.seconds.count, receiver, configuration, use.requests(day)) { second in
            let seen = day.seconds[second]
            let location = seen.measured.map {
                Location(
                    coordinate: $0, horizontalAccuracy: seen.accuracy,
                    timestamp: WallTime(milliseconds: PowerDay.start.milliseconds + Int64(second) * 1000),
                    speed: seen.speed)
            }
            return HeardSky(location: location, hasSignals: seen.hasSignals)
        }
    }
}
