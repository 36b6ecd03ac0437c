// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationServices
import LocationStore

// The service as the daemon and a replay make it, of a configuration.
extension LocationService {
    /// Goes on where `keeper` says that a former process ended; what apps own comes by `RecordRestoring`.
    convenience init(
        configuration: Configuration, keeper: StateKeeper, journal: Journal, at now: BootInstant, _ wall: WallTime
    ) {
        let last = keeper.lastKnown(at: now, wall)
        let engine = Engine(
            configuration: configuration.engine, newestSequence: keeper.newestSequence, last: last,
            reducedSequence: keeper.lastReducedSequence, view: keeper.reducedView(at: now, wall),
            travelled: keeper.lastOdometer, authorizationRequests: keeper.newestAuthorizationRequest, at: now)
        self.init(
            configuration.serviceSettings, engine: engine, last: last?.location, keeper: keeper,
            records: keeper.records,
            journal: journal)
        keeper.records.replaced = { [unowned self] in RecordChange.all(of: self) }
        keeper.records.owesDecisionsChanged = { [unowned self, unowned keeper] areOwed in
            OwedDecisions(self, keeper).keep(areOwed)
        }
        let files = WakeFiles(runtimeDirectory: keeper.runtimeDirectory)
        host.wake = { try files.wake($0) }
        host.clearWake = { files.clear($0) }
        takeRules(of: configuration)
    }

    /// Keeps everything in memory.
    convenience init(inMemory configuration: Configuration, journal: Journal, at now: BootInstant) {
        self.init(
            configuration.serviceSettings, engine: Engine(configuration: configuration.engine, at: now), last: nil,
            keeper: ServiceMemory(logCapacity: configuration.limits.logRecords), records: MemoryRecords(),
            journal: journal)
        takeRules(of: configuration)
    }

    /// Puts a new configuration in force.
    func apply(_ new: Configuration, at now: BootInstant) {
        takeRules(of: new)
        apply(new.serviceSettings, engine: new.engine, at: now)
    }

    private func takeRules(of configuration: Configuration) {
        rules.take(
            configuration.authorization, ManifestDirectory(path: configuration.apps.directory), journal.unlimited)
    }
}

extension Configuration {
    /// The service's part of the configuration.
    fileprivate var serviceSettings: ServiceSettings {
        var settings = ServiceSettings()
        settings.limits = limits
        settings.requestTimeout = updates.requestTimeout
        settings.eventsKept = events.keep
        settings.providers = providers.programs
        return settings
    }
}
