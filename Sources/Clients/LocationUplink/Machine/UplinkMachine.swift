// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import LocationProtocol

/// Everything that the uplink decides: events in, effects out, time an argument.
///
/// A location is settled when the broker has acknowledged it; the cursor on the disk stands behind all that are. What is not settled is
/// read from the daemon's log again, whoever was killed, and goes out under the same `_id`. Nothing is handed to the
/// broker's library without a connection, and at most `UplinkCarrier.window` messages at a time.
package struct UplinkMachine: Sendable {
    /// While much is late, the newest location is sent ahead again after so long.
    static let newestInterval = TimeSpan.seconds(30)

    enum Consent: Sendable, Hashable {
        /// The daemon has not said yet.
        case unknown
        case none
        case full, reduced
    }

    /// A message that waits for its acknowledgement.
    enum Flight: Sendable, Hashable {
        case location(UInt64, isMain: Bool)
        case event(EventBox.Entry)
        /// An event that is not sent again: consent was withdrawn meanwhile.
        case forgotten(EventBox.Entry)
        case control(Control)
    }

    /// Messages about the device itself.
    enum Control: Sendable, Hashable {
        /// Makes the broker forget the location that it retains.
        case clear
        /// Says that nothing comes any more.
        case gone
        case announce(Message)
    }

    let options: UplinkOptions
    var state = UplinkState()
    var queue = LocationQueue(settled: SequenceSet(through: 0))
    var link = BrokerLink()
    var events = EventBox()
    var reader = LogReader()
    var saving = Saving()
    var controls: [Control] = []
    var inFlight: [UInt64: Flight] = [:]
    var doubt = Doubt()
    var consent = Consent.unknown
    var isDaemonHere = false
    /// The newest location, which goes before all others.
    var ahead: Location?
    /// The newest on the location's topic, acknowledged or in flight.
    var newestOnTopic: UInt64 = 0
    /// The regions in which the device is, as far as the daemon has said.
    var inside: Set<String> = []
    var isDeferring = false
    /// Since when there is nothing to do; nil: there is.
    var idleSince: BootInstant?
    private var lastToken: UInt64 = 0
    private var random: UInt64
    var effects: [UplinkEffect] = []

    /// Nothing has happened yet.
    package init(_ options: UplinkOptions) {
        self.options = options
        random = options.seed
    }

    var isAllowed: Bool { consent == .full || consent == .reduced }
    /// Of the locations that come now.
    var accuracy: AccuracyAuthorization { consent == .reduced ? .reduced : .full }
    /// Whether there is something to tell the broker.
    var isWanted: Bool {
        isAllowed || state.owesClearing || inFlight.values.contains { if case .control = $0 { true } else { false } }
    }

    /// Takes in what happened, and returns what is to be done, in order.
    package mutating func handle(_ event: UplinkEvent, at moment: Moment) -> [UplinkEffect] {
        effects.removeAll(keepingCapacity: true)
        take(event, moment)
        switch event {
        // The end comes, or has come: nothing is begun.
        case .stop, .saveFailed: break
        default: regulate(moment)
        }
        return effects
    }

    private mutating func take(_ event: UplinkEvent, _ moment: Moment) {
        switch event {
        case .started(let kept): begin(kept)
        case .brokerConnected: brokerConnected(moment)
        case .brokerLost(let trouble): lose(trouble, at: moment.now)
        case .published(let token, nil): acknowledged(token, moment)
        case .published(let token, let refusal?): refused(token, refusal, at: moment.now)
        case .unwanted(let token, let reason): unwanted(token, reason, at: moment.now)
        case .daemonConnected(let status, let accuracy, let newest):
            isDaemonHere = true
            isDeferring = false
            // Locations that the daemon accepted since the last connection came to nobody.
            queue.interrupt()
            changeConsent(status, accuracy)
            reader.wantsNewest = false
            learn(newest)
        case .daemonLost:
            isDaemonHere = false
            reader.wantsNewest = reader.wantsNewest || reader.asksNewest
            reader.asksNewest = false
            closeLog()
            queue.interrupt()
        case .authorization(let status, let accuracy): changeConsent(status, accuracy)
        case .newest(let newest): learn(newest)
        case .locations(let update): take(update, moment)
        case .read(let locations, let hasGap): read(locations, hasGap: hasGap)
        case .page(let locations, let through, let hasGap): take(page: locations, through: through, hasGap: hasGap)
        case .noHistory: noHistory()
        case .readToEnd: readToEnd()
        case .readingFailed: readingFailed(at: moment.now)
        case .deferralFinished: isDeferring = false
        case .crossed(let crossing, let isInside): crossed(crossing, isInside: isInside, moment)
        case .regionState(let name, let state):
            if state == .inside { inside.insert(name) } else { inside.remove(name) }
        case .visited(let visit, let event): visited(visit, event, moment)
        case .sendNow: if isAllowed, isDaemonHere { effects.append(.requestLocation) }
        case .saveFailed: saving.failed()
        case .wake: break
        case .stop:
            save(at: moment.now)
            effects += [.disconnectBroker, .exit]
        }
    }

    private mutating func begin(_ kept: UplinkState?) {
        state = kept ?? UplinkState()
        if kept == nil { state.startsAtNewest = true }
        queue = LocationQueue(settled: state.settled)
        newestOnTopic = state.newest
        if options.carrier == .server { leaveBroker() }
        takeUp(state.messages ?? [])
    }

    // A server retains nothing, and what another broker retains is out of reach.
    private mutating func leaveBroker() {
        if state.retained != nil || state.announced != nil {
            effects.append(.say("what a broker retains of former settings stays there"))
        }
        (state.retained, state.announced, state.owesClearing) = (nil, nil, false)
        saving.isDirty = true
    }

    // MARK: Consent

    private mutating func changeConsent(_ status: AuthorizationStatus, _ accuracy: AccuracyAuthorization?) {
        let now: Consent = status.isAuthorized ? (accuracy == .reduced ? .reduced : .full) : .none
        let before = consent
        consent = now
        guard now != before else { return }
        // Nothing finer than the view may be sent any more, and nothing finer may stay at the broker.
        if now == .none || now == .reduced && (before == .full || state.retained == .full || events.hasExact) {
            withdraw()
        }
        guard isAllowed else { return }
        reader.wantsNewest = true
        if link.isConnected { announce() }
    }

    // Stops, forgets what waits, and has the retained location cleared.
    private mutating func withdraw() {
        closeLog()
        // Of what waits some may have been sent before the way was cut, or by a former process.
        let hasSent = inFlight.values.contains(where: \.isRetained) || events.hasRetained
        queue.skip(through: max(queue.seen, newestOnTopic))
        state.startsAtNewest = true
        ahead = nil
        events.removeAll()
        doubt.end(isHopeless: false)
        for case (let token, .event(let entry)) in inFlight { inFlight[token] = .forgotten(entry) }
        inside.removeAll()
        controls.removeAll()
        saving.isDirty = true
        saving.isUrgent = true
        saving.forgetsFormer = true
        if hasSent, options.carrier == .broker { state.retained = state.retained ?? .full }
        guard state.retained != nil || state.announced != nil && !isAllowed || state.owesClearing else { return }
        state.owesClearing = true
        if link.isConnected { controls = owedControls }
    }

    /// Messages that the broker is owed since consent was withdrawn.
    var owedControls: [Control] {
        guard state.owesClearing else { return [] }
        return isAllowed ? [.clear] : [.clear] + retractions(keeping: []) + [.gone]
    }

    // MARK: What comes live

    private mutating func take(_ update: LocationUpdate, _ moment: Moment) {
        guard isAllowed else { return }
        switch update.source {
        case .standard where options.mode == .move:
            guard !update.isCached || consent == .reduced else { return }
            noticeNewCount(by: update.locations.first)
            begin(at: update.locations.first)
            if update.hasGap || update.dropped > 0 { queue.interrupt() }
            if link.isConnected { queue.take(live: update.locations) } else { queue.pass(by: update.locations) }
            deferAgain()
        case .standard, .significantChange:
            guard options.mode != .manual else { return acknowledgeAtOnce(update.event) }
            for location in update.locations { send(location, event: update.event, trigger: nil, moment) }
        case .request:
            for location in update.locations { send(location, event: nil, trigger: .manual, moment) }
        }
    }

    private mutating func deferAgain() {
        guard options.batch > .zero, consent == .full, !isDeferring else { return }
        isDeferring = true
        effects.append(.deferUpdates(options.batch))
    }

    private mutating func acknowledgeAtOnce(_ event: UInt64?) {
        if let event { effects.append(.acknowledge(event: event)) }
    }

    // A location that is not read from the log.
    private mutating func send(_ location: Location, event: UInt64?, trigger: OwnTracks.Trigger?, _ moment: Moment) {
        // The daemon keeps an event until the broker has it; without one it is the stored location of a service that has begun.
        if event == nil, trigger == nil, location.sequence <= newestOnTopic { return }
        let isNewest = location.sequence >= newestOnTopic
        let payload = options.writer.location(
            location, id: options.writer.identifier(location.sequence, generation: state.generation),
            OwnTracks.Circumstances(made: moment.date, trigger: trigger, regions: isNewest ? inside.sorted() : nil))
        let message = Message(topic: options.topics.location, payload: payload, isRetained: isNewest)
        guard hold(EventBox.Entry(message: message, event: event, sequence: location.sequence)) else { return }
        newestOnTopic = max(newestOnTopic, location.sequence)
    }

    // MARK: Tokens and chance

    mutating func nextToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    /// 0 to 1; the same seed gives the same ones.
    mutating func chance() -> Double {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(random >> 11) / 0x1p53
    }
}

extension AuthorizationStatus {
    /// Whether locations are given.
    package var isAuthorized: Bool { self == .authorizedAlways || self == .authorizedWhenInUse }
}
