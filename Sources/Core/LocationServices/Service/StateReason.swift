// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

/// Why a service of a client is in a state, for people.
struct StateReason {
    let service: LocationService
    let manager: ClientManager
    /// The request that asked for the service just now; nil: none.
    var request: Request?
    private var prompts: Prompting { Prompting(service: service) }

    init(_ service: LocationService, _ manager: ClientManager, _ request: Request? = nil) {
        self.service = service
        self.manager = manager
        self.request = request
    }

    /// The client's identity by the kernel's word, and behind that the name that it gives itself, for a person.
    private var name: String {
        let identity = manager.who.identity?.description ?? "uid:\(manager.peer.uid)"
        guard let label = manager.label else { return identity }
        // Nothing inside the quotation can end it.
        return "\(identity) (calls itself \"\(String(label.map { $0 == "\"" ? "'" : $0 }))\")"
    }

    /// Why a service is in that state, where it is not plain.
    func text(for state: ServiceState) -> String? {
        switch state {
        case .running:
            return isAboutBeacons ? deafness : runningReason
        case .waitingForAuthorization:
            return prompts.isAsked(about: manager)
                ? "nobody has decided yet whether \(name) may have locations; somebody is asked now"
                : "nobody has decided yet whether \(name) may have locations; an administrator can: "
                    + prompts.grantingCommand(for: manager)
        case .denied:
            return service.engine.areServicesEnabled
                ? "locations are denied to \(name)" : "location services are off (locctl services on)"
        case .unavailable:
            if case .startRangingBeacons? = request { return rangingReason }
            return "no device has told where it points; gpsd would say so in ATT"
        case .ignored, .prompted, .alreadyDetermined: return nil
        }
    }

    /// The request needs no receiver, because it is about beacons alone.
    var isAboutBeacons: Bool {
        let shape: RegionShape? =
            switch request {
            case .startRangingBeacons(let beacons)?: .beacon(beacons)
            case .startMonitoring(let region)?: region.shape
            case .addCondition(let condition)?: condition.condition
            case .requestState(let identifier)?:
                manager.app.flatMap { service.engine.region(identifier, of: $0)?.region.shape }
            default: nil
            }
        return shape?.beacons != nil
    }

    private var rangingReason: String? {
        if service.engine.authorization(of: manager.id).accuracy == .reduced {
            return "beacons tell exactly where the device is, and \(name) may know that only roughly"
        }
        return deafness
    }

    /// Why nobody hears beacons; nil: somebody does.
    private var deafness: String? {
        guard !service.engine.has.beacons else { return nil }
        return "nothing here hears beacons"
            + (service.engine.report(of: manager.id, at: service.turnTime).deafness.map { ": \($0)" }
                ?? "; locationd-beacons would")
    }

    // Whether there are fixes, and how the receiver does, would tell somebody with reduced accuracy whether others need it.
    private var runningReason: String? {
        let problem = service.host.receiverProblem()
        guard service.engine.authorization(of: manager.id).accuracy == .reduced else { return problem }
        return problem == nil || service.host.surroundings().gpsd.connected ? nil : "gpsd is not connected"
    }
}
