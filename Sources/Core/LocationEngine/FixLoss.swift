// SPDX-License-Identifier: Apache-2.0
import LocationModel

// No fix for 10 s: one didFailWithError 0 per running service and loss (protocol.md 4). Counted from the last fix, from the start of
// the service, and from the moment the receiver was switched on, whichever is latest: a receiver that was asked to sleep is no loss.
extension Engine {
    mutating func tellLoss(at now: BootInstant, into effects: inout EffectBuffer) {
        guard let onSince = power.onSince else { return }
        nextLossCheck = nil
        for position in standard.indices where !standard[position].hasToldLoss {
            let service = standard[position]
            if managers[service.manager.index].isAway || service.mode == .paused { continue }
            guard isLost(startedAt: service.startedAt, onSince: onSince, at: now) else { continue }
            standard[position].hasToldLoss = true
            tell(service.manager, .standard, into: &effects)
        }
        for position in significant.indices where !significant[position].hasToldLoss {
            let service = significant[position]
            if managers[service.manager.index].isAway { continue }
            guard isLost(startedAt: service.startedAt, onSince: onSince, at: now) else { continue }
            significant[position].hasToldLoss = true
            tell(service.manager, .significantChange, into: &effects)
        }
        tellLiveLoss(onSince: onSince, at: now, into: &effects)
    }

    private mutating func tellLiveLoss(
        onSince: BootInstant, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        for position in live.indices {
            let manager = live[position].manager
            guard !managers[manager.index].isAway, mayStream(manager) else { continue }
            for index in live[position].streams.indices where !live[position].streams[index].hasToldLoss {
                if live[position].streams[index].isResting { continue }
                guard isLost(startedAt: live[position].streams[index].startedAt, onSince: onSince, at: now) else {
                    continue
                }
                live[position].streams[index].hasToldLoss = true
                live[position].streams[index].toldFlags = .locationUnavailable
                hasToldLoss = true
                let number = live[position].streams[index].number
                effects.append(.liveUpdate(manager, LiveElement(updates: number, flags: .locationUnavailable)))
            }
        }
    }

    private mutating func tell(_ manager: ManagerID, _ source: LocationSource, into effects: inout EffectBuffer) {
        hasToldLoss = true
        effects.append(.fail(manager, code: .locationUnknown, source: source, request: 0))
    }

    mutating func forgetLoss() {
        guard hasToldLoss else { return }
        hasToldLoss = false
        for position in standard.indices { standard[position].hasToldLoss = false }
        for position in significant.indices { significant[position].hasToldLoss = false }
        for position in live.indices {
            for index in live[position].streams.indices { live[position].streams[index].hasToldLoss = false }
        }
    }

    /// A new service, a client that is back, or a receiver that was switched on, can be at a loss after its own ten seconds.
    mutating func noteServiceStart(at now: BootInstant) {
        nextLossCheck = min(nextLossCheck ?? .distantFuture, now + configuration.lossAge)
    }

    /// When somebody may have to be told: never later than the first who has to be, so that nobody is asked before.
    var nextLossDeadline: BootInstant? {
        power.isOn && !(standard.isEmpty && significant.isEmpty && live.isEmpty) ? nextLossCheck : nil
    }

    private mutating func isLost(startedAt: BootInstant, onSince: BootInstant, at now: BootInstant) -> Bool {
        let deadline = max(startedAt, onSince, lastFixAt ?? onSince) + configuration.lossAge
        if deadline <= now { return true }
        nextLossCheck = min(nextLossCheck ?? deadline, deadline)
        return false
    }
}
