// SPDX-License-Identifier: Apache-2.0
import BusSupport
import LocationModel
import SystemSupport
import SystemdSupport

/// A client that waits for somebody to say whether it may know where the device is.
final class Decision {
    /// How long an agent may take to register, seconds: it learns that it is needed from the program's start.
    static let timeForAgents = 5.0

    let client: GeoClueClient
    /// The calls of `Start` that wait for the answer.
    var calls: [BusMessage]
    fileprivate var timer: EventLoop.Timer?
    fileprivate var question: BusSlot?

    fileprivate init(_ client: GeoClueClient, _ call: BusMessage) {
        self.client = client
        calls = [call]
    }
}

extension GeoClueService {
    /// Whether somebody is being asked about the client.
    func isDeciding(about client: GeoClueClient) -> Bool { decisions[client.number] != nil }

    /// The most that the client's user allows.
    func ceiling(for client: GeoClueClient) -> AccuracyLevel {
        isAlwaysAllowed(client) ? .exact : agents.ceiling(of: client.caller.uid) ?? .exact
    }

    /// Starts a client, or says why not.
    func start(_ client: GeoClueClient, _ call: BusMessage) throws(BusError) -> BusObject.Answer {
        if client.isStarted { return .now([]) }
        if let decision = decisions[client.number] {
            decision.calls.append(call)
            return .later
        }
        guard !client.name.isEmpty else {
            throw .accessDenied("cannot start a client whose DesktopId is not set: set it first")
        }
        if isAlwaysAllowed(client) {
            try allow(client, .exact)
            return .now([])
        }
        guard hearsAgent(of: client.caller.uid) else {
            throw refusal(
                of: client, "neither the user nor a group of the user is always allowed, and no agent is heard")
        }
        if isSwitchedOff(for: client) { throw switchedOff(client) }
        try decide(Decision(client, call))
        return .later
    }

    /// Stops a client, and with it the question whether it may be started.
    func stop(_ client: GeoClueClient) {
        if let decision = decisions.removeValue(forKey: client.number) {
            for call in decision.calls { call.refuse(.failed("cannot start the client: it was stopped")) }
        }
        client.end()
    }

    private func isAlwaysAllowed(_ client: GeoClueClient) -> Bool {
        let uid = client.caller.uid
        return options.rules.alwaysAllows(uid, groups: Accounts.groups(of: uid))
    }

    private func hearsAgent(of uid: UInt32) -> Bool {
        options.rules.hearsAgent(of: uid, sitsHere: Caller.sitsHere(uid))
    }

    // The user's agent is there and says that no program may know anything: nobody is asked.
    private func isSwitchedOff(for client: GeoClueClient) -> Bool {
        let uid = client.caller.uid
        return agents.agent(of: uid) != nil && agents.ceiling(of: uid) == AccuracyLevel.none
    }

    private func switchedOff(_ client: GeoClueClient) -> BusError {
        refusal(of: client, "the user has switched location off for all programs")
    }

    // Also for the journal: else nothing arrives, and nobody knows why.
    private func refusal(of client: GeoClueClient, _ reason: String) -> BusError {
        let message = "cannot tell \(client.name) of user \(client.caller.uid) where the device is: \(reason)"
        say(message)
        return .accessDenied(message)
    }

    // MARK: Asking

    /// An agent registers for its own user. What it calls itself is not looked at: whose it is counts.
    func addAgent(_ caller: Caller) throws(BusError) {
        guard hearsAgent(of: caller.uid) else {
            throw .accessDenied("cannot hear an agent of user \(caller.uid): the configuration does not allow it")
        }
        try agents.add(caller)
    }

    /// Questions can be asked now that could not before, and what is allowed at most may have changed.
    func agentChanged(of uid: UInt32) {
        for decision in decisions.values where decision.client.caller.uid == uid {
            if isSwitchedOff(for: decision.client) {
                finish(decision, .failure(switchedOff(decision.client)))
            } else {
                ask(decision)
            }
        }
        for client in clients.values where client.caller.uid == uid { client.serve() }
    }

    private func decide(_ decision: Decision) throws(BusError) {
        do throws(SystemError) {
            decision.timer = try loop.timer { [unowned self, unowned decision] in
                guard decision.question == nil else { return }
                finish(decision, .failure(refusal(of: decision.client, "the user has no agent that could ask")))
            }
        } catch {
            throw .failed(error.description)
        }
        decisions[decision.client.number] = decision
        decision.timer?.set(in: .seconds(Decision.timeForAgents), slack: .seconds(1))
        ask(decision)
    }

    private func ask(_ decision: Decision) {
        let client = decision.client
        // Nobody decides about themselves.
        guard decision.question == nil, let agent = agents.agent(of: client.caller.uid), agent != client.caller.name
        else { return }
        decision.question = agents.ask(agent, about: client.name, client.requestedLevel.asked) {
            [unowned self, unowned decision] level in
            let answer = level.map(Result.success) ?? .failure(refusal(of: decision.client, "the user's agent said no"))
            finish(decision, answer)
        }
    }

    private func finish(_ decision: Decision, _ answer: Result<AccuracyLevel, BusError>) {
        guard decisions.removeValue(forKey: decision.client.number) != nil else { return }
        do throws(BusError) {
            try allow(decision.client, try answer.get())
            for call in decision.calls { call.reply() }
        } catch {
            for call in decision.calls { call.refuse(error) }
        }
    }

    private func allow(_ client: GeoClueClient, _ level: AccuracyLevel) throws(BusError) {
        do throws(SystemError) {
            try client.allow(level)
        } catch {
            throw .failed(error.description)
        }
        switch client.daemonStatus {
        case .denied, .restricted:
            client.end()
            throw refusal(of: client, "locationd does not let the desktop's programs know; locctl apps shows why")
        case .notDetermined, .authorizedAlways, .authorizedWhenInUse, nil: return
        }
    }
}
