// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import LocationEngine
import LocationModel

extension Configuration {
    /// What the engine is told of it.
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
        engine.significantDistance = significantChange.distance
        engine.significantInterval = significantChange.interval
        engine.significantMaximumAccuracy = significantChange.maximumAccuracy
        engine.dutyCycle = power.dutyCycle
        engine.plausibleSpeed = power.plausibleSpeed
        engine.plausibleSpeedFromRest = power.plausibleSpeedFromRest
        engine.minimumSleep = power.minimumSleep
        engine.maximumSleep = power.maximumSleep
        engine.acquisitionTime = power.acquisition
        engine.hundredMetersSleep = power.hundredMetersSleep
        engine.kilometerSleep = power.kilometerSleep
        engine.threeKilometersSleep = power.threeKilometersSleep
        return engine
    }

    /// How receivers' errors are taken.
    var accuracy: AccuracyFactors {
        var factors = AccuracyFactors()
        factors.userRangeError = gpsd.userRangeError
        factors.differentialRangeError = gpsd.differentialRangeError
        return factors
    }

    /// What an app may do that nobody decided about: for every app what root's may, until apps are told apart.
    var defaultAuthorization: LocationEngine.Authorization {
        let root = AuthorizationSubject(
            uid: 0, userName: "root", service: nil, isSystemService: false, isMember: { _ in false })
        let decision = authorization.decision(for: root)
        return LocationEngine.Authorization(status: decision.status, accuracy: decision.accuracy)
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
