// SPDX-License-Identifier: Apache-2.0
import BusSupport

/// The agents that have registered: programs of users' sessions that ask people whether a program may know where the device is.
///
/// A user may have several. The first one is asked until its connection is gone, so that a later one cannot push itself before it.
final class Agents {
    /// GeoClue's interface of an agent.
    static let interface = "org.freedesktop.GeoClue2.Agent"
    /// How long a person may think, seconds.
    static let patience = 120.0

    private final class Agent {
        let name: String
        var ceiling: AccuracyLevel?
        var watch: BusWatch?
        var changes: BusSlot?
        var reading: BusSlot?

        init(_ name: String) { self.name = name }
    }

    private let bus: Bus
    private let changed: (_ uid: UInt32) -> Void
    private var agents: [UInt32: [Agent]] = [:]
    // Kept when the agent is gone: what a person switched off stays off until somebody says otherwise.
    private var ceilings: [UInt32: AccuracyLevel] = [:]

    /// `changed`: a user has an agent now, or it says something else than before.
    init(_ bus: Bus, changed: @escaping (_ uid: UInt32) -> Void) {
        self.bus = bus
        self.changed = changed
    }

    /// The connection that is asked about a user's programs; nil: nobody is there to ask.
    func agent(of uid: UInt32) -> String? { agents[uid]?.first { $0.ceiling != nil }?.name }

    /// The most that a user allows all programs; nil: the user's agent has not said yet.
    func ceiling(of uid: UInt32) -> AccuracyLevel? { ceilings[uid] }

    /// An agent has registered. It counts once it has said what it allows at most.
    func add(_ caller: Caller) throws(BusError) {
        let known = agents[caller.uid] ?? []
        guard !known.contains(where: { $0.name == caller.name }) else { return }
        guard known.count < 8 else { throw .limitsExceeded("cannot hear more than 8 agents of a user") }
        let agent = Agent(caller.name)
        let uid = caller.uid
        agent.watch = bus.watch(caller.name) { [unowned self] in remove(caller.name, uid) }
        guard agent.watch != nil else { return }
        agent.changes = bus.listen(
            caller.name, ObjectPath.agentPath, "org.freedesktop.DBus.Properties", "PropertiesChanged"
        ) { [unowned self, unowned agent] in readCeiling(agent, uid) }
        agents[uid, default: []].append(agent)
        readCeiling(agent, uid)
    }

    private func remove(_ name: String, _ uid: UInt32) {
        agents[uid]?.removeAll { $0.name == name }
        if agents[uid]?.isEmpty == true { agents[uid] = nil }
    }

    private func readCeiling(_ agent: Agent, _ uid: UInt32) {
        agent.reading = bus.call(
            agent.name, ObjectPath.agentPath, "org.freedesktop.DBus.Properties", "Get",
            [.string(Agents.interface), .string("MaxAccuracyLevel")], within: 10
        ) { [unowned self, unowned agent] answer in
            guard case .success(let message) = answer, (try? message.enterVariant(of: "u")) != nil,
                let number = try? message.readNumber()
            else { return }
            agent.ceiling = AccuracyLevel(number: number)
            // Only the agent that is asked has a say.
            guard self.agent(of: uid) == agent.name else { return }
            ceilings[uid] = agent.ceiling
            changed(uid)
        }
    }

    /// Asks an agent about a program; `decided` gets what it may know, nil: nothing.
    func ask(
        _ agent: String, about name: String, _ level: AccuracyLevel, decided: @escaping (AccuracyLevel?) -> Void
    ) -> BusSlot {
        bus.call(
            agent, ObjectPath.agentPath, Agents.interface, "AuthorizeApp",
            [.string(name), .uint32(level.rawValue)], within: Agents.patience
        ) { answer in
            guard case .success(let message) = answer, (try? message.readBoolean()) == true,
                let number = try? message.readNumber()
            else { return decided(nil) }
            let allowed = AccuracyLevel(number: number)
            decided(allowed == .none ? nil : allowed)
        }
    }
}
