// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import SystemSupport

/// Why there is no connection to the broker.
package struct BrokerTrouble: Error, Sendable, Hashable {
    /// For a person; begins with "cannot".
    package var reason: String
    /// The broker is there and says no: trying again soon does not help.
    package var isRefusal: Bool
    /// It asks to be left alone for so long.
    package var pause: TimeSpan

    /// `reason` begins with "cannot".
    package init(_ reason: String, isRefusal: Bool = false, pause: TimeSpan = .zero) {
        self.reason = reason
        self.isRefusal = isRefusal
        self.pause = pause
    }
}

/// When to connect to the broker, and when to give a connection up.
struct BrokerLink: Sendable {
    enum State: Sendable, Hashable {
        /// Nobody wants it.
        case off
        case connecting(since: BootInstant)
        case connected
        case waiting(until: BootInstant)
    }

    /// A broker that has not said yes after so long is stopped, or far away.
    static let connectTimeout = TimeSpan.seconds(20)
    /// A broker that acknowledges nothing for so long while something is in flight is stopped, or the way to it is cut.
    static let acknowledgeTimeout = TimeSpan.seconds(30)
    /// The first wait between attempts, and the longest.
    static let backoff = TimeSpan.seconds(1)...TimeSpan.seconds(120)
    /// The same after a refusal.
    static let refusalBackoff = TimeSpan.seconds(30)...TimeSpan.seconds(600)
    /// The longest wait that is granted to who asks for one.
    static let longestPause = TimeSpan.seconds(3600)

    private(set) var state = State.off
    /// Attempts since the last connection that the broker accepted.
    private(set) var attempts = 0
    /// Since when the connection stands.
    private(set) var connectedSince: WallTime?
    private(set) var trouble: BrokerTrouble?
    /// The journal has told these sentences since the broker last acknowledged something.
    var told = ToldOnce()
    /// When the broker last acknowledged something, or there was nothing to acknowledge.
    var progress: BootInstant?

    var isConnected: Bool { state == .connected }

    /// Returns true to connect, false to disconnect, nil to do neither.
    mutating func regulate(isWanted: Bool, at now: BootInstant) -> Bool? {
        switch state {
        case .off where isWanted: break
        case .waiting(let until) where isWanted && until <= now: break
        case .connecting, .connected, .waiting:
            guard !isWanted else { return nil }
            let wasOpen = if case .waiting = state { false } else { true }
            state = .off
            (attempts, connectedSince) = (0, nil)
            return wasOpen ? false : nil
        case .off: return nil
        }
        state = .connecting(since: now)
        attempts += 1
        return true
    }

    /// `isProven`: the other side has said yes; else its first acknowledgement does.
    mutating func connected(_ moment: Moment, isProven: Bool) {
        state = .connected
        progress = moment.now
        if isProven { proven(at: moment.date) }
    }

    /// The other side has acknowledged something; `isInFlight`: and something else not yet.
    mutating func acknowledged(_ moment: Moment, isInFlight: Bool) {
        progress = isInFlight ? moment.now : nil
        told.forget()
        if connectedSince == nil { proven(at: moment.date) }
    }

    private mutating func proven(at date: WallTime) {
        attempts = 0
        connectedSince = date
        trouble = nil
    }

    /// `jitter`: 0 to 1, so that devices that lost the same broker do not all come back at once.
    mutating func lost(_ trouble: BrokerTrouble, jitter: Double, at now: BootInstant) {
        self.trouble = trouble
        connectedSince = nil
        let range = trouble.isRefusal ? BrokerLink.refusalBackoff : BrokerLink.backoff
        let doubled = range.lowerBound.seconds * Double(1 << min(max(attempts - 1, 0), 16))
        let own = min(doubled, range.upperBound.seconds) * (1 - jitter / 4)
        let wait = max(own, min(trouble.pause, BrokerLink.longestPause).seconds)
        state = .waiting(until: now + .seconds(wait))
    }

    /// When the connection is to be given up, or tried again; `isInFlight`: something waits for its acknowledgement.
    func deadline(isInFlight: Bool) -> BootInstant? {
        switch state {
        case .off: nil
        case .connecting(let since): since + BrokerLink.connectTimeout
        case .connected: isInFlight ? progress.map { $0 + BrokerLink.acknowledgeTimeout } : nil
        case .waiting(let until): until
        }
    }

    /// The reason for which the connection is to be given up now; nil: there is none.
    func overdue(_ carrier: UplinkCarrier, isInFlight: Bool, at now: BootInstant) -> BrokerTrouble? {
        guard let deadline = deadline(isInFlight: isInFlight), deadline <= now else { return nil }
        switch state {
        case .connecting:
            return BrokerTrouble(
                "cannot connect to the \(carrier.rawValue): no answer within \(Int(BrokerLink.connectTimeout.seconds)) s"
            )
        case .connected:
            return BrokerTrouble(
                "cannot go on with the \(carrier.rawValue): it acknowledged nothing for "
                    + "\(Int(BrokerLink.acknowledgeTimeout.seconds)) s")
        case .off, .waiting: return nil
        }
    }
}

/// The time of a turn: the clock that decisions are on, and the date for data.
package struct Moment: Sendable, Hashable {
    /// On the boot-time clock.
    package var now: BootInstant
    /// The date.
    package var date: WallTime

    /// This time.
    package init(now: BootInstant, date: WallTime) {
        self.now = now
        self.date = date
    }
}
