// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import LocationEngine
import LocationModel
import LocationServices

extension Configuration {
    /// The engine's part of the configuration.
    var engine: EngineConfiguration {
        var engine = EngineConfiguration()
        engine.logCapacity = limits.logRecords
        engine.cachedLocationAge = updates.cachedLocation
        engine.requestCacheAge = updates.requestCache
        engine.lossAge = gpsd.loss
        engine.receiverSwitchTime = gpsd.switchReceiver
        engine.deferralFreshFixAge = deferral.freshFix
        engine.deferralOutage = deferral.outage
        engine.odometerStep = deferral.odometerStep
        engine.rejoinTime = deferral.rejoin
        engine.significantChange = significantChange
        engine.power = power
        setServices(of: &engine)
        return engine
    }

    private func setServices(of engine: inout EngineConfiguration) {
        engine.regionsPerApp = regions.regionsPerApp
        engine.conditionsPerApp = regions.conditionsPerApp
        engine.maximumRegionRadius = regions.maximumRadius
        engine.regions.minimumCushion = regions.cushionMinimum
        engine.regions.maximumCushion = regions.cushionMaximum
        engine.regions.dwell = regions.dwell
        engine.regions.beaconExit = regions.beaconExit
        engine.monitorsPerManager = limits.monitorsPerConnection
        engine.sessionsPerManager = limits.sessionsPerConnection
        engine.liveUpdatesPerManager = limits.liveUpdatesPerConnection
        engine.visits.stayRadius = visits.radius
        engine.visits.stayTime = visits.stay
        engine.visits.departureRadius = visits.departure
        engine.visits.departureTime = visits.departureTime
        engine.stationary.other = stationary.settings(stationary.other)
        engine.stationary.automotiveNavigation = stationary.settings(stationary.automotive)
        engine.stationary.fitness = stationary.settings(stationary.fitness)
        engine.stationary.otherNavigation = stationary.settings(stationary.navigation)
        engine.stationaryCheck = stationary.check
        engine.resumesAutomatically = stationary.resume
        engine.eventsPerApp = events.perApp
        engine.eventBytesPerApp = events.bytesPerApp
        engine.eventBytes = events.bytes
        engine.heldEventAge = .seconds(Double(events.heldHours) * 3600)
    }

    /// How receivers' errors are taken.
    var accuracy: AccuracyFactors {
        var factors = AccuracyFactors()
        factors.userRangeError = gpsd.userRangeError
        factors.differentialRangeError = gpsd.differentialRangeError
        return factors
    }

    /// The journal's level.
    var journalLevel: Journal.Level {
        switch log.level {
        case .error: .error
        case .warning: .warning
        case .info: .info
        case .debug: .debug
        }
    }
}

extension Configuration.Stationary {
    fileprivate func settings(_ rest: Rest) -> StationarySettings {
        var settings = StationarySettings(radius: rest.distance, time: rest.time)
        settings.checkInterval = check
        return settings
    }
}
