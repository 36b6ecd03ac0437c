// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Makes exactly one fix of each epoch of each receiver, however many reports gpsd splits it into.
///
/// An epoch is a run of reports of one receiver with one time. A receiver's habits are learned, so that an epoch is
/// published with the last report that it is known to have, not later; a timer serves where that fails. An epoch with
/// a fix that there cannot be is told as one that is not plausible.
package struct EpochGatherer {
    private let factors: AccuracyFactors
    private let longestGathering: TimeSpan
    // Index is the receiver's number; nil: never heard.
    private var receivers: [ReceiverEpochs?] = []
    /// Receivers that came or went since `takePresenceChanges`.
    private var presenceChanges: [PresenceChange] = []

    /// A gatherer that has heard nothing.
    ///
    /// - Parameter longestGathering: no epoch is held back longer for what is still to come.
    package init(factors: AccuracyFactors = AccuracyFactors(), longestGathering: TimeSpan = .milliseconds(150)) {
        self.factors = factors
        self.longestGathering = longestGathering
    }

    /// Takes one report and appends the fixes it completes: at most two, of the epoch it closes and of the one it opens.
    package mutating func receive(
        _ report: GPSDReport, at now: BootInstant, hostTime: WallTime, into fixes: inout [Fix]
    ) {
        switch report {
        case .tpv(let tpv):
            let index = hear(tpv.receiver, at: now)
            receivers[index]?.receive(tpv, at: now, hostTime: hostTime, into: &fixes)
        case .gst(let gst):
            let index = hear(gst.receiver, at: now)
            receivers[index]?.receive(gst, at: now, into: &fixes)
        case .sky(let sky):
            let index = hear(sky.receiver, at: now)
            receivers[index]?.receive(sky, at: now)
        case .att(let attitude):
            _ = hear(attitude.receiver, at: now)
        case .device(let device):
            learn(device)
            setPresent(device.activated != nil, device.receiver, into: &fixes)
        case .devices(let devices):
            for device in devices {
                learn(device)
                if state(device.receiver)?.isGivenUp != true { setPresent(true, device.receiver, into: &fixes) }
            }
            removeReceivers(except: devices, into: &fixes)
        case .version, .watch, .error, .other:
            break
        }
    }

    /// When `expire` has something to publish; nil if nothing waits.
    package var nextDeadline: BootInstant? {
        var next: BootInstant?
        for index in receivers.indices {
            guard let deadline = receivers[index]?.deadline else { continue }
            next = min(next ?? deadline, deadline)
        }
        return next
    }

    /// Publishes the epochs whose time is up.
    package mutating func expire(at now: BootInstant, into fixes: inout [Fix]) {
        for index in receivers.indices { receivers[index]?.expire(at: now, into: &fixes) }
    }

    /// Publishes what is left: no more reports will come. What was learned of the receivers is kept.
    package mutating func finish(into fixes: inout [Fix]) {
        for index in receivers.indices { receivers[index]?.finish(into: &fixes) }
    }

    /// gpsd is out of reach, and with it every receiver.
    package mutating func disconnected(into fixes: inout [Fix]) {
        finish(into: &fixes)
        for index in receivers.indices {
            setPresent(false, ReceiverID(rawValue: Int32(index)), into: &fixes)
        }
    }

    /// The receiver, though listed, is not there: being listed again does not bring it back, being heard does.
    package mutating func giveUp(_ receiver: ReceiverID, into fixes: inout [Fix]) {
        setPresent(false, receiver, into: &fixes)
        receivers[place(receiver)]?.isGivenUp = true
    }

    /// Calls `body` once with the receivers that came or went since the last call, in order, often none.
    package mutating func takePresenceChanges(_ body: ([PresenceChange]) -> Void) {
        body(presenceChanges)
        presenceChanges.removeAll(keepingCapacity: true)
    }

    /// The present receiver whose silence counts as one first: three cycles after it was last heard, or after `start` if
    /// that is later. Nil if no receiver is present.
    package func silence(since start: BootInstant) -> (deadline: BootInstant, receiver: ReceiverID)? {
        var first: (deadline: BootInstant, receiver: ReceiverID)?
        for case .some(let state) in receivers where state.isPresent {
            let deadline = max(state.lastHeard ?? start, start) + silentTime(state)
            if first.map({ deadline < $0.deadline }) ?? true { first = (deadline, state.receiver) }
        }
        return first
    }

    /// How long data of `receiver` may be old before the receiver counts as lost: five cycles.
    package func patience(with receiver: ReceiverID) -> TimeSpan {
        guard let state = state(receiver) else { return .seconds(5) }
        return TimeSpan(nanoseconds: max(state.habits.assumedCycle, Self.shortestCycle).nanoseconds * 5)
    }

    /// When anything was last heard from `receiver`.
    package func lastHeard(_ receiver: ReceiverID) -> BootInstant? { state(receiver)?.lastHeard }

    /// All receivers ever heard, by number; `paths` is the decoder's table.
    package func receiverStates(paths: [String]) -> [ReceiverState] {
        receivers.compactMap { state in
            guard let state else { return nil }
            let index = Int(state.receiver.rawValue)
            return ReceiverState(
                receiver: state.receiver, path: paths.indices.contains(index) ? paths[index] : "",
                driver: state.driver, isPresent: state.isPresent, mode: state.mode,
                lastHeard: state.lastHeard, lastFix: state.lastFix, cycle: state.habits.cycle)
        }
    }
}

extension EpochGatherer {
    // A fast receiver is not suspected because of a hiccup.
    private static var shortestCycle: TimeSpan { .milliseconds(500) }

    private func silentTime(_ state: ReceiverEpochs) -> TimeSpan {
        TimeSpan(nanoseconds: max(state.habits.assumedCycle, Self.shortestCycle).nanoseconds * 3)
    }

    private func state(_ receiver: ReceiverID) -> ReceiverEpochs? {
        let index = Int(receiver.rawValue)
        return receivers.indices.contains(index) ? receivers[index] : nil
    }

    // The index of a receiver, which is known from now on.
    private mutating func place(_ receiver: ReceiverID) -> Int {
        let index = Int(receiver.rawValue)
        while receivers.count <= index { receivers.append(nil) }
        if receivers[index] == nil {
            receivers[index] = ReceiverEpochs(
                receiver: receiver, factors: factors, longestGathering: longestGathering)
        }
        return index
    }

    private mutating func hear(_ receiver: ReceiverID, at now: BootInstant) -> Int {
        let index = place(receiver)
        receivers[index]?.heard(at: now)
        if receivers[index]?.isPresent == false {
            receivers[index]?.isPresent = true
            presenceChanges.append(PresenceChange(receiver: receiver, isPresent: true))
        }
        return index
    }

    private mutating func learn(_ device: DeviceReport) {
        let index = place(device.receiver)
        guard let driver = device.driver, receivers[index]?.driver != driver else { return }
        receivers[index]?.driver = driver
        receivers[index]?.accuracy.driver = DriverErrors(driver: driver)
    }

    private mutating func setPresent(_ isPresent: Bool, _ receiver: ReceiverID, into fixes: inout [Fix]) {
        let index = Int(receiver.rawValue)
        guard receivers.indices.contains(index), let state = receivers[index], state.isPresent != isPresent else {
            return
        }
        if !isPresent { receivers[index]?.finish(into: &fixes) }
        receivers[index]?.isPresent = isPresent
        receivers[index]?.isGivenUp = false
        presenceChanges.append(PresenceChange(receiver: receiver, isPresent: isPresent))
    }

    private mutating func removeReceivers(except devices: [DeviceReport], into fixes: inout [Fix]) {
        for index in receivers.indices {
            let receiver = ReceiverID(rawValue: Int32(index))
            guard !devices.contains(where: { $0.receiver == receiver }) else { continue }
            receivers[index]?.isGivenUp = false
            setPresent(false, receiver, into: &fixes)
        }
    }
}
