// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Power, consent and `status` ask standard updates these questions.
extension StandardUpdates {
    func demand(_ directory: Directory, _ turn: Turn, _ power: ReceiverPower) -> ReceiverDemand {
        var merged = ReceiverDemand.none
        for service in running.services {
            let wish = ReceiverDemand(for: directory.accuracyInForce(service.manager), turn.configuration.power)
            merged = merged.merged(with: service.mode == .paused ? wish.whileStationary(turn.configuration) : wish)
            if merged == .continuous { break }
        }
        return merged
    }

    func wants(_ manager: ManagerID, _ directory: Directory) -> Bool { records[manager].isWanted }

    func hasUser(_ directory: Directory, _ turn: Turn, where isMeant: (ReceiverUser) -> Bool) -> Bool {
        running.services.contains {
            directory.authorization(of: $0.manager).isAuthorized && isMeant(.locations($0.manager, .standard))
        }
    }

    func fill(_ report: inout ManagerReport, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        let (record, service) = (records[manager], running[of: manager])
        report.standard = record.isWanted ? directory.authorization(of: manager).serviceState : nil
        report.filteredByDistance = record.filtered + (service?.filtered ?? 0)
        report.filteredByPause = record.paused + (service?.paused ?? 0)
        report.isPaused = service?.mode == .paused
        report.deferral = deferrals.running[of: manager].map { deferral in
            let distance = deferral.endOfTravel - turn.intake.odometer.travelled
            return (
                deferral.number, service.map { $0.mode == .held ? $0.held : 0 } ?? 0,
                distance.isFinite ? max(distance, 0) : nil,
                deferral.deadline == .distantFuture ? nil : max(deferral.deadline - turn.now, .zero)
            )
        }
    }
}
