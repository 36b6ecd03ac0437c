// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationServices
import LocationStore

/// Decisions of people that the disk has not taken: the runtime directory keeps them, so that the end of the daemon does not undo them.
struct OwedDecisions {
    let service: LocationService
    let path: String?

    init(_ service: LocationService, _ keeper: StateKeeper) {
        (self.service, path) = (service, keeper.owedDecisionsPath)
    }

    /// Keeps in the runtime directory what is in force and not on the disk, so that the end of the daemon does not undo it.
    func keep(_ areOwed: Bool) {
        service.consents.areInMemoryAlone = areOwed
        guard let path else { return }
        var decisions = service.consents.decisions(areServicesEnabled: service.engine.areServicesEnabled)
        // Decisions that could not be read are not here: there may be more.
        decisions.isWhole = service.consents.problem == nil
        do throws(StoreError) {
            if areOwed { try decisions.write(to: path) } else { try Decisions.remove(path) }
            service.consents.areInMemoryAlone = false
        } catch {
            service.journal.error("\(error); what people decided just now holds until the daemon ends")
        }
    }

    /// Puts decisions that a former process owed the disk in force again; they are owed until the disk takes them.
    func take(at now: BootInstant) {
        guard let path, let owed = read(path) else { return }
        let former = service.consents
        service.consents.takeOwed(owed)
        let identities = Set(former.entries.keys).union(service.consents.entries.keys)
        var changes = identities.sorted { $0.description < $1.description }
            .filter { former[$0]?.consent != service.consents[$0]?.consent }
            .map { RecordChange.decide($0, service.consents[$0]) }
        // Only what allows less can be owed.
        if owed.areServicesEnabled == false, service.engine.areServicesEnabled {
            service.decide(.servicesSwitched(false), at: now)
            changes.append(.switchServices(false))
        }
        if changes.isEmpty { keep(false) } else if service.commit(changes) { keep(false) }
    }

    private func read(_ path: String) -> Decisions? {
        do throws(StoreError) {
            return try Decisions(path: path)
        } catch {
            service.distrustRules(because: UnwritableState.sentence(because: error.description))
            return nil
        }
    }
}
