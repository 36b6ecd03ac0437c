// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

/// Finds out about a request, before the engine is asked, all that the engine cannot know.
struct RequestCircumstances {
    let service: LocationService
    let manager: ClientManager

    /// Returns what the engine cannot know of `request`. Throws where the app has not said what it wants locations for, or acknowledges a notice
    /// that nobody has.
    func circumstances(of request: Request) throws(RPCError) -> Circumstances {
        var found = Circumstances()
        switch request {
        case .startUpdatingLocation(let sequence?): found.resumeLocation = service.keeper.log.location(sequence)
        case .requestLocation: found.requestTimeout = service.settings.requestTimeout
        case .requestWhenInUseAuthorization: try requireUsage(\.whenInUse, "whenInUse", "WhenInUse")
        case .requestAlwaysAuthorization:
            try requireUsage(\.whenInUse, "whenInUse", "WhenInUse")
            try requireUsage(\.always, "always", "Always")
        case .requestTemporaryFullAccuracyAuthorization(let key):
            found.isDeclared = isDeclared(key)
            found.canAsk = Prompting(service: service).hasAgent(for: manager)
        case .startServiceSession(let session):
            if let key = session.fullAccuracyPurposeKey, !isDeclared(key) {
                throw missingUsage("temporaryFullAccuracy.\(key)", "\(key)= in [TemporaryFullAccuracy]")
            }
            found.canAsk = Prompting(service: service).hasAgent(for: manager)
        case .acknowledgeNotice(let name):
            found.noticeOwner = try Noticing(service: service).owner(of: name, asking: manager)
        default: break
        }
        return found
    }

    // MARK: What for

    private func requireUsage(
        _ text: KeyPath<UsageDescriptions, String?>, _ member: String, _ key: String
    ) throws(RPCError) {
        guard service.settings.requiresUsageDescriptions, manager.usage[keyPath: text] == nil else { return }
        throw missingUsage(member, "\(key)= in [UsageDescriptions]")
    }

    private func isDeclared(_ key: String) -> Bool {
        !service.settings.requiresUsageDescriptions || manager.usage.temporaryFullAccuracy[key] != nil
    }

    private func missingUsage(_ member: String, _ key: String) -> RPCError {
        let place =
            manager.who.manifest.map { "say it as \(key) in the manifest of \($0.identifier)" }
            ?? "say it in hello as usageDescriptions.\(member), or in a manifest as \(key)"
        return RPCError(
            .missingUsageDescription,
            "cannot ask for authorization: the app does not say what for (\(member)); \(place)")
    }
}
