// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// What the daemon has acknowledged to want: what a manager that knows nothing is told.
///
/// Regions and the conditions of monitors are not here: the daemon keeps them by itself.
struct SessionWishes: Sendable {
    var presence: Presence
    private var properties = PropertiesPatch()
    private(set) var wantsStandard = false
    private var wantsSignificant = false
    private var wantsVisits = false
    private var wantsHeading = false
    private var streams: [(handle: SessionHandle, configuration: LiveConfiguration)] = []
    private var monitors: [(handle: SessionHandle, name: String)] = []
    private var sessions: [(handle: SessionHandle, start: SessionCommand)] = []
    // Asked, and neither granted nor told to be impossible yet.
    private var purposes: [String] = []
    // Of regions whose state was asked for and is not known yet, and whether that was told.
    private var states: [(identifier: String, isToldUnknown: Bool)] = []

    init(presence: Presence) { self.presence = presence }

    /// Only the coarse view is wanted.
    var wantsReducedView: Bool { properties.desiredAccuracy == .reduced }

    /// The daemon has carried out `command`.
    mutating func note(_ command: SessionCommand) {
        switch command {
        case .setPresence(let presence): self.presence = presence
        case .setProperties(let patch): properties = properties.followed(by: patch)
        case .startUpdatingLocation: wantsStandard = true
        case .stopUpdatingLocation: wantsStandard = false
        case .startMonitoringSignificantLocationChanges: wantsSignificant = true
        case .stopMonitoringSignificantLocationChanges: wantsSignificant = false
        case .startMonitoringVisits: wantsVisits = true
        case .stopMonitoringVisits: wantsVisits = false
        case .startUpdatingHeading: wantsHeading = true
        case .stopUpdatingHeading: wantsHeading = false
        case .requestTemporaryFullAccuracyAuthorization(let key): purposes.append(key)
        case .requestState(let identifier):
            hasDeterminedState(of: identifier)
            states.append((identifier, false))
        case .stopMonitoring(let identifier): hasDeterminedState(of: identifier)
        default: noteHandle(command)
        }
    }

    private mutating func noteHandle(_ command: SessionCommand) {
        switch command {
        case .startLiveUpdates(let handle, let configuration): streams.append((handle, configuration))
        case .openMonitor(let handle, let name): monitors.append((handle, name))
        case .startBackgroundActivitySession(let handle), .startServiceSession(let handle, _, _):
            sessions.append((handle, command))
        case .stopLiveUpdates(let handle): streams.removeAll { $0.handle == handle }
        case .closeMonitor(let handle): monitors.removeAll { $0.handle == handle }
        case .invalidateBackgroundActivitySession(let handle), .invalidateServiceSession(let handle):
            sessions.removeAll { $0.handle == handle }
        default: break
        }
    }

    /// The daemon has refused to begin what it once had.
    mutating func drop(_ handle: SessionHandle) {
        streams.removeAll { $0.handle == handle }
        monitors.removeAll { $0.handle == handle }
        sessions.removeAll { $0.handle == handle }
    }

    /// The outcome of a request for temporary accuracy was told.
    mutating func hasAnsweredPurpose(_ key: String) {
        if let index = purposes.firstIndex(of: key) { purposes.remove(at: index) }
    }

    /// The state of a region was told, or nobody wants to know it any more.
    mutating func hasDeterminedState(of identifier: String) { states.removeAll { $0.identifier == identifier } }

    /// The daemon does not know the state of a region yet, and owes it. False: the program was told so when it asked, and a daemon
    /// that was asked again says it again.
    mutating func noteUnknownState(of identifier: String) -> Bool {
        guard let index = states.firstIndex(where: { $0.identifier == identifier }) else { return true }
        defer { states[index].isToldUnknown = true }
        return !states[index].isToldUnknown
    }

    /// What was asked and not told. A daemon that died may have lost it, also where it gives the manager back.
    var questions: [SessionCommand] { states.map { .requestState(identifier: $0.identifier) } }

    /// What makes a new manager want the same, deferrals and one-shot requests aside. Sessions come before
    /// the services that may need them.
    var restoration: [SessionCommand] {
        var commands: [SessionCommand] = []
        if properties != PropertiesPatch() { commands.append(.setProperties(properties)) }
        commands += sessions.map(\.start)
        if wantsStandard { commands.append(.startUpdatingLocation) }
        if wantsSignificant { commands.append(.startMonitoringSignificantLocationChanges) }
        if wantsVisits { commands.append(.startMonitoringVisits) }
        if wantsHeading { commands.append(.startUpdatingHeading) }
        commands += streams.map { .startLiveUpdates($0.handle, $0.configuration) }
        commands += monitors.map { .openMonitor($0.handle, name: $0.name) }
        commands += purposes.map { .requestTemporaryFullAccuracyAuthorization(purposeKey: $0) }
        return commands + questions
    }
}
