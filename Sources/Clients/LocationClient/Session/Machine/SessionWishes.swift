// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// Requests that the daemon has acknowledged and that are in force, for a manager that knows nothing of them.
///
/// Regions and the conditions of monitors are not here: the daemon keeps them by itself.
struct SessionWishes: Sendable {
    var presence: Presence
    private var properties = PropertiesPatch()
    // The services that are on, as what began them.
    private var services: Set<Request> = []
    // The streams, monitors and sessions that are held, as what opened them.
    private var held: [Method.NumberedKind: [SessionCommand]] = [:]
    private var ranged: [BeaconIdentity] = []
    // Asked, and neither granted nor told to be impossible yet.
    private var purposes: [String] = []
    // Of regions whose state was asked for and is not known yet, and whether that was told.
    private var states: [(identifier: String, isToldUnknown: Bool)] = []

    init(presence: Presence) { self.presence = presence }

    var wantsStandard: Bool { services.contains(.startUpdatingLocation(resumeAfter: nil)) }

    /// Only the coarse view is wanted.
    var wantsReducedView: Bool { properties.desiredAccuracy == .reduced }

    /// The daemon has carried out `command`.
    mutating func note(_ command: SessionCommand) {
        if let (kind, _) = command.opens { held[kind, default: []].append(command) }
        if let (kind, handle) = command.closes { held[kind]?.removeAll { $0.handle == handle } }
        if let begun = command.method.undoes { services.remove(begun) }
        if Request.switches.contains(command.request) { services.insert(command.request) }
        switch command.request {
        case .setPresence(let presence): self.presence = presence
        case .setProperties(let patch): properties = properties.followed(by: patch)
        case .requestTemporaryFullAccuracyAuthorization(let key): purposes.append(key)
        case .requestState(let identifier):
            hasDeterminedState(of: identifier)
            states.append((identifier, false))
        case .stopMonitoring(let identifier): hasDeterminedState(of: identifier)
        case .startRangingBeacons(let beacons): if !ranged.contains(beacons) { ranged.append(beacons) }
        case .stopRangingBeacons(let beacons): ranged.removeAll { $0 == beacons }
        default: break
        }
    }

    /// The daemon has refused to begin what it once had.
    mutating func drop(_ handle: SessionHandle) {
        for kind in Method.NumberedKind.allCases { held[kind]?.removeAll { $0.handle == handle } }
    }

    /// The outcome of a request for temporary accuracy was told.
    mutating func hasAnsweredPurpose(_ key: String) {
        if let index = purposes.firstIndex(of: key) { purposes.remove(at: index) }
    }

    /// The state of a region was told, or nobody wants to know it any more.
    mutating func hasDeterminedState(of identifier: String) { states.removeAll { $0.identifier == identifier } }

    /// The daemon does not know the state of a region yet, and tells it later. False: the program was told so when it asked, and a daemon
    /// that was asked again says it again.
    mutating func noteUnknownState(of identifier: String) -> Bool {
        guard let index = states.firstIndex(where: { $0.identifier == identifier }) else { return true }
        defer { states[index].isToldUnknown = true }
        return !states[index].isToldUnknown
    }

    /// Questions without an answer so far. A daemon that died may have lost them, even if it gives the manager back.
    var questions: [SessionCommand] { states.map { SessionCommand(.requestState(identifier: $0.identifier)) } }

    /// Commands that make a new manager want the same, deferrals and one-shot requests aside. Sessions come before
    /// the services that may need them.
    var restoration: [SessionCommand] {
        var commands: [SessionCommand] = []
        if properties != PropertiesPatch() { commands.append(SessionCommand(.setProperties(properties))) }
        commands += held[.session] ?? []
        commands += Request.switches.filter { services.contains($0) }.map { SessionCommand($0) }
        commands += ranged.map { SessionCommand(.startRangingBeacons($0)) }
        commands += held[.updates] ?? []
        commands += held[.monitor] ?? []
        commands += purposes.map { SessionCommand(.requestTemporaryFullAccuracyAuthorization(purposeKey: $0)) }
        return commands + questions
    }
}
