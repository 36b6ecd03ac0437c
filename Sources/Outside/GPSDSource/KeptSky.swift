// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The satellites that receivers heard in their newest epoch. Nothing is kept while nobody asks, and nothing wakes for it.
package struct KeptSky: Sendable {
    /// One receiver's.
    package struct Heard: Sendable, Hashable {
        package var receiver: ReceiverID
        /// In the receiver's order.
        package var satellites: [Satellite]
        package var at: BootInstant
    }

    /// A question keeps the epochs of this long after it.
    static let attention = TimeSpan.seconds(15)

    private var keptUntil: BootInstant?
    private var heard: [Heard] = []

    /// Whether the epoch of `now` is to be kept; what nobody asked for any more goes.
    mutating func isWanted(at now: BootInstant) -> Bool {
        guard let keptUntil else { return false }
        if now < keptUntil { return true }
        forget()
        return false
    }

    mutating func note(_ satellites: [Satellite], of receiver: ReceiverID, at now: BootInstant) {
        heard.removeAll { $0.receiver == receiver }
        heard.append(Heard(receiver: receiver, satellites: satellites, at: now))
    }

    /// The satellites that `receiver` heard last, nil: any did; what comes is kept for a while from now on.
    mutating func ask(about receiver: ReceiverID?, at now: BootInstant) -> Heard? {
        if let keptUntil, keptUntil <= now { forget() }
        keptUntil = now + KeptSky.attention
        let newest = heard.last { receiver == nil || $0.receiver == receiver }
        return newest.flatMap { now - $0.at <= KeptSky.attention ? $0 : nil }
    }

    mutating func forget() {
        keptUntil = nil
        heard = []
    }
}
