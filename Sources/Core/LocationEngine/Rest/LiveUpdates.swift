// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The streams of live updates of one manager (CL 10.1).
struct LiveService: ManagerService {
    struct Stream: Sendable {
        let number: UInt32
        let configuration: LiveConfiguration
        var startedAt: BootInstant
        /// It has told that the device rests, and is silent until it moves.
        var isResting = false
        var hasToldLoss = false
        /// What it told last about why there is no location.
        var toldFlags: DiagnosticFlags = []
    }

    let manager: ManagerID
    var streams: [Stream] = []
}

extension Engine {
    mutating func startLiveUpdates(
        _ manager: ManagerID, _ configuration: LiveConfiguration, at now: BootInstant,
        into effects: inout EffectBuffer
    ) {
        let running = live[of: manager]?.streams.count ?? 0
        guard running < self.configuration.liveUpdatesPerManager else {
            return effects.append(.reply(manager, Reply(state: nil, refusal: .limitExceeded)))
        }
        managers[manager.index].lastLive += 1
        let number = managers[manager.index].lastLive
        effects.append(.reply(manager, Reply(state: authorization(of: manager).serviceState, opened: number)))
        announceInitialAuthorization(manager, into: &effects)
        insertStream(manager, number, configuration, at: now)
        raiseForStream(manager, at: now, into: &effects)
        tellLiveFlags(of: manager, into: &effects)
        tellViewInForce(to: manager, from: number, at: now, into: &effects)
        noteServiceStart(at: now)
        effects.append(.saveManager(manager))
    }

    mutating func insertStream(
        _ manager: ManagerID, _ number: UInt32, _ configuration: LiveConfiguration, at now: BootInstant
    ) {
        var service = live[of: manager] ?? LiveService(manager: manager)
        service.streams.append(
            LiveService.Stream(number: number, configuration: configuration, startedAt: now))
        live.insert(service)
        countRest(configuration.activity, by: 1)
        touch(identity(of: manager))
    }

    mutating func stopLiveUpdates(_ manager: ManagerID, _ number: UInt32, into effects: inout EffectBuffer) {
        guard let position = live.position(of: manager),
            let index = live[position].streams.firstIndex(where: { $0.number == number })
        else { return effects.append(.reply(manager, Reply(state: nil, refusal: .notFound))) }
        countRest(live[position].streams[index].configuration.activity, by: -1)
        live[position].streams.remove(at: index)
        if live[position].streams.isEmpty { live.remove(manager) }
        touch(identity(of: manager))
        effects.append(.saveManager(manager))
        effects.append(.reply(manager, Reply(state: nil)))
    }

    mutating func endLiveUpdates(_ manager: ManagerID) {
        guard let service = live.remove(manager) else { return }
        for stream in service.streams { countRest(stream.configuration.activity, by: -1) }
    }

    mutating func deliverLiveUpdates(_ location: Location, flags: LogFlags, into effects: inout EffectBuffer) {
        for position in live.indices {
            let manager = live[position].manager
            guard mayStream(manager) else { continue }
            if managers[manager.index].isAway {
                forgetRestOfMoved(position)
                continue
            }
            let isReduced = hasReducedView(manager)
            if isReduced, !flags.contains(.reducedView) { continue }
            for index in live[position].streams.indices {
                let stream = live[position].streams[index]
                let isAtRest = rest[stream.configuration.activity.rawValue].isAtRest
                if stream.isResting, isAtRest, !isReduced { continue }
                live[position].streams[index].isResting = false
                live[position].streams[index].toldFlags = isReduced ? .accuracyLimited : []
                effects.append(
                    .liveUpdate(
                        manager,
                        LiveElement(
                            updates: stream.number, sequence: location.sequence,
                            flags: isReduced ? .accuracyLimited : [])))
            }
        }
    }

    /// The device moved while the client was away: wherever it rests when the client is back, that is news.
    private mutating func forgetRestOfMoved(_ position: Int) {
        for index in live[position].streams.indices where live[position].streams[index].isResting {
            let activity = live[position].streams[index].configuration.activity
            live[position].streams[index].isResting = rest[activity.rawValue].isAtRest
        }
    }

    /// One element that says so, then silence (row L1).
    mutating func restLiveUpdates(at now: BootInstant, into effects: inout EffectBuffer) {
        for position in live.indices {
            let manager = live[position].manager
            // When the device rests is more than who may know roughly where it is may know (protocol.md 5).
            guard mayStream(manager), !hasReducedView(manager), !managers[manager.index].isAway,
                newestAccepted != 0
            else { continue }
            for index in live[position].streams.indices where !live[position].streams[index].isResting {
                let stream = live[position].streams[index]
                let activity = stream.configuration.activity
                guard activity != .airborne, rest[activity.rawValue].isAtRest else { continue }
                let due = stream.startedAt + configuration.rest(of: activity).time
                guard due <= now else {
                    nextPause = min(nextPause, due)
                    continue
                }
                live[position].streams[index].isResting = true
                effects.append(
                    .liveUpdate(
                        manager,
                        LiveElement(updates: stream.number, sequence: newestAccepted, isStationary: true)))
            }
        }
    }

    /// Why there is no location, once for each reason (rows L3, L4).
    mutating func tellLiveFlags(of manager: ManagerID, into effects: inout EffectBuffer) {
        guard let position = live.position(of: manager), !managers[manager.index].isAway else { return }
        // Who may know from now on finds out whether the device rests.
        nextPause = BootInstant(nanoseconds: 0)
        let app = managers[manager.index].app
        var flags = authorization(of: manager).flags.union(apps[app.index].sessionObstacles)
        let asksItself = !flags.contains(.serviceSessionRequired)
        if authorization(of: manager).status == .notDetermined, asksItself {
            flags.insert(.authorizationRequestInProgress)
        }
        for index in live[position].streams.indices where live[position].streams[index].toldFlags != flags {
            live[position].streams[index].toldFlags = flags
            guard !flags.isEmpty else { continue }
            live[position].streams[index].isResting = false
            let number = live[position].streams[index].number
            effects.append(.liveUpdate(manager, LiveElement(updates: number, flags: flags)))
        }
    }

    /// The reduced view may be minutes from being computed again: streams that begin have the one in force.
    mutating func tellViewInForce(
        to manager: ManagerID, from first: UInt32 = 0, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        guard let service = live[of: manager], mayStream(manager), hasReducedView(manager),
            !managers[manager.index].isAway, reducedClock.isInForce(at: now), let view = reducedViewInLog
        else { return }
        for stream in service.streams where stream.number >= first && !stream.isResting {
            effects.append(
                .liveUpdate(manager, LiveElement(updates: stream.number, sequence: view, flags: .accuracyLimited)))
        }
    }

    /// The client is back: where it is now.
    mutating func tellNewestLive(_ manager: ManagerID, into effects: inout EffectBuffer) {
        guard let position = live.position(of: manager) else { return }
        for index in live[position].streams.indices { live[position].streams[index].toldFlags = [] }
        tellLiveFlags(of: manager, into: &effects)
        // The device may have come to rest meanwhile.
        nextPause = BootInstant(nanoseconds: 0)
        let isReduced = hasReducedView(manager)
        let sequence = isReduced ? reducedViewInLog ?? 0 : newestAccepted
        guard mayStream(manager), accepted > 0, sequence != 0 else { return }
        for stream in live[position].streams where !stream.isResting {
            effects.append(
                .liveUpdate(
                    manager,
                    LiveElement(
                        updates: stream.number, sequence: sequence, flags: isReduced ? .accuracyLimited : [])))
        }
    }
}
