// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

// Short names for what tables repeat.
extension Authorization {
    static let always = Authorization(status: .authorizedAlways)
    static let whenInUse = Authorization(status: .authorizedWhenInUse)
    static let reduced = Authorization(status: .authorizedAlways, accuracy: .reduced)
    static let denied = Authorization(status: .denied)
    static let undetermined = Authorization(status: .notDetermined)
}

extension Authorization {
    /// The decision that leads to it.
    var consent: Consent {
        let choice: Consent.Choice =
            switch status {
            case .notDetermined: .undecided
            case .restricted: .restricted
            case .denied: .denied
            case .authorizedAlways: isProvisional ? .provisionalAlways : .always
            case .authorizedWhenInUse: .whenInUse
            }
        return Consent(choice, accuracy: accuracy)
    }
}

extension Region {
    /// A circle round a place `metres` east of the origin.
    static func circle(
        _ identifier: String, at metres: Double = 0, radius: Double = 100, entry: Bool = true, exit: Bool = true
    ) -> Region {
        Region(identifier: identifier, shape: .round(metres, radius), notifyOnEntry: entry, notifyOnExit: exit)
    }
}

extension RegionShape {
    /// A circle round a place `metres` east of the origin.
    static func round(_ metres: Double = 0, _ radius: Double = 100) -> RegionShape {
        .circle(center: .origin.moved(by: metres, course: 90), radius: radius)
    }
}

extension Coordinate {
    static let origin = Coordinate(latitude: 48.1, longitude: 11.5)
}

extension Request {
    static let start = Request.startUpdatingLocation(resumeAfter: nil)
    static let stop = Request.stopUpdatingLocation
    static let disallow = Request.disallowDeferredLocationUpdates
    static let startSignificant = Request.startMonitoringSignificantLocationChanges
    static let stopSignificant = Request.stopMonitoringSignificantLocationChanges
    static let foreground = Request.setPresence(.foreground)
    static let background = Request.setPresence(.background)
    static let requestLocation = Request.requestLocation(timeout: 10)

    /// A condition for one of the client's monitors.
    static func add(
        _ identifier: String, _ shape: RegionShape, to monitor: UInt64 = 1, assuming: ConditionState = .unknown
    ) -> Request {
        .addCondition(
            ConditionParameters(monitor: monitor, identifier: identifier, condition: shape, assuming: assuming))
    }

    /// A service session, with full accuracy if it says for what.
    static func session(_ requirement: ServiceSessionRequirement, for purposeKey: String? = nil) -> Request {
        .startServiceSession(
            ServiceSessionParameters(requirement: requirement, fullAccuracyPurposeKey: purposeKey))
    }

    /// No criterion unless given.
    static func allow(metres: Double = .infinity, seconds: Double = .infinity) -> Request {
        .allowDeferredLocationUpdates(DeferralParameters(untilTraveled: metres, timeout: seconds))
    }

    static func properties(
        filter: Double = -1, accuracy: DesiredAccuracy = .best, pauses: Bool = true, activity: ActivityType = .other,
        headingFilter: Double = 1
    ) -> Request {
        .setProperties(
            PropertiesPatch(
                distanceFilter: filter, desiredAccuracy: accuracy, activityType: activity,
                pausesLocationUpdatesAutomatically: pauses, allowsBackgroundLocationUpdates: false,
                headingFilter: headingFilter))
    }
}

extension EngineConfiguration {
    /// The standard but for one value.
    static func with<Value>(_ path: WritableKeyPath<EngineConfiguration, Value>, _ value: Value) -> Self {
        var configuration = EngineConfiguration()
        configuration[keyPath: path] = value
        return configuration
    }
}

extension EngineBench {
    /// The number of the event that the condition `home` of a client's first monitor waits for.
    func pending(_ client: ManagerID) -> UInt64 {
        engine.condition("home", inMonitor: 1, of: client)?.pendingNumber ?? 0
    }

    /// A client whose service has run for as many fixes, 10 m apart; what it was told of them is read.
    static func running(
        _ start: Request = .start, fixes: Int = 3, configuration: EngineConfiguration = EngineConfiguration()
    ) -> (EngineBench, ManagerID) {
        var bench = EngineBench(configuration)
        let client = bench.open()
        bench.ask(client, start)
        bench.travel(fixes)
        _ = bench.lines(client)
        return (bench, client)
    }
}
