// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocationTestSupport
import LocationUplink

/// One machine, told what happens by hand, and what it did.
struct Desk {
    var machine: UplinkMachine
    var now = BootInstant(nanoseconds: 1_000_000_000_000)
    var effects: [UplinkEffect] = []

    init(_ change: (inout UplinkOptions) -> Void = { _ in }) {
        var options = UplinkOptions(
            topics: Topics(location: "owntracks/u/d"),
            writer: OwnTracks(device: "u/d", trackerID: "ud", monitoring: 2))
        change(&options)
        machine = UplinkMachine(options)
    }

    var date: WallTime { WallTime(milliseconds: now.nanoseconds / 1_000_000) }

    mutating func tell(_ events: UplinkEvent...) {
        for event in events { effects += machine.handle(event, at: Moment(now: now, date: date)) }
    }

    func location(_ sequence: UInt64) -> Location {
        Location(
            coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 5, timestamp: date,
            sequence: sequence)
    }

    mutating func live(_ sequence: UInt64, _ source: LocationSource = .standard, event: UInt64? = nil) {
        tell(.locations(LocationUpdate(locations: [location(sequence)], source: source, event: event)))
    }

    /// The state with which a program begins that has sent all up to `sequence`.
    func kept(_ sequence: UInt64) -> UplinkState {
        var state = UplinkState(cursor: sequence)
        (state.newest, state.retained, state.acknowledged) = (sequence, .full, date.milliseconds)
        return state
    }

    mutating func start(_ state: UplinkState?, newest: Location? = nil) {
        tell(.started(state), .daemonConnected(.authorizedAlways, .full, newest: newest), .brokerConnected)
        if effects.contains(.askNewest) { tell(.newest(newest)) }
    }

    /// The broker has everything that was published.
    mutating func acknowledgeAll() {
        for token in tokens { tell(.published(token: token, refusal: nil)) }
    }

    /// Of what was published.
    var tokens: [UInt64] { effects.compactMap { if case .publish(let token, _) = $0 { token } else { nil } } }

    var published: [Message] {
        effects.compactMap { if case .publish(_, let message) = $0 { message } else { nil } }
    }
    var identifiers: [String] {
        published.compactMap { try? JSON(parsing: String(decoding: $0.payload, as: UTF8.self))["_id"]?.string }
    }
    var reads: [UInt64] { effects.compactMap { if case .openLog(let after) = $0 { after } else { nil } } }
    var fetches: [UplinkEffect] { effects.filter { if case .fetchPage = $0 { true } else { false } } }
    var sentences: [String] { effects.compactMap { if case .say(let text) = $0 { text } else { nil } } }
    var saved: [UplinkState] { effects.compactMap { if case .save(let state, _) = $0 { state } else { nil } } }

    mutating func pass(_ seconds: Double) { now = now + .seconds(seconds) }
}
