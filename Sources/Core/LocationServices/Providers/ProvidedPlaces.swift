// SPDX-License-Identifier: Apache-2.0
import LocationEngine
package import LocationModel
package import LocationProtocol

/// The places that people and programs say the device is at, and which of them is told: the best one, while no receiver has a fix.
///
/// A value that knows no clock and nobody who is told: after each change `take` says what there is to tell.
package struct ProvidedPlaces: Sendable {
    /// Whose word a place is.
    package enum Origin: Sendable, Hashable {
        case person
        case file
        /// The client with a connection of this number.
        case client(UInt64)
    }

    /// A place by somebody's word.
    package struct Offer: Sendable, Hashable {
        package var origin: Origin
        /// For people.
        package var name: String
        package var place: OfferedLocation
        /// When it was said.
        package var since: BootInstant
        /// When it ends; nil: when it is taken back.
        package var until: BootInstant?
        /// It is a program's word, and no person's or file's.
        package var isOfClient: Bool { if case .client = origin { true } else { false } }

        /// The word of `name`.
        package init(
            _ origin: Origin, name: String, _ place: OfferedLocation, since: BootInstant, until: BootInstant? = nil
        ) {
            (self.origin, self.name, self.place, self.since, self.until) = (origin, name, place, since, until)
        }
    }

    /// A command to the source: tell a location, or end the one that was told.
    package enum Command: Sendable {
        case tell(Fix)
        /// The location that was told last counts no longer, and nothing else is known.
        case end
    }

    /// In the order in which they came.
    package private(set) var offers: [Offer] = []
    /// After so long without a fix a receiver has none.
    package var patience: TimeSpan
    private var isWanted = false
    /// The newest fix of a receiver.
    private var measured: (at: BootInstant, accuracy: Double)?
    private var told: (offer: Offer, at: BootInstant, until: BootInstant)?
    /// Somebody wants to hear it again.
    private var isAsked = false
    /// When `take` was asked last.
    private var asOf = BootInstant(nanoseconds: 0)

    /// A place without an end is told again after this time, while somebody wants it.
    package static let repetition = TimeSpan.seconds(3600)
    /// To ask again and again makes it no louder: each time is a location for everybody.
    private static let pause = TimeSpan.seconds(1)
    /// A device that had a fix may have left the place at which a person saw it.
    private static let personsPatience = TimeSpan.seconds(3600)
    /// Metres per second: so fast a fix grows worse than a place that is known only roughly.
    private static let driftSpeed = 50.0
    /// A client says at most so often where the device is.
    private static let shortestInterval = TimeSpan.milliseconds(100)

    /// Nobody has said anything yet.
    package init(patience: TimeSpan) { self.patience = patience }

    /// The offer that is told now; nil: none, receivers have fixes or nobody wants to know.
    package var current: Offer? { isWanted ? told?.offer : nil }

    // MARK: What happens

    /// Takes somebody's word in place of the one before. Throws what says the same thing too often.
    package mutating func offer(_ offer: Offer) throws(RPCError) {
        let former = offers.firstIndex { $0.origin == offer.origin }
        guard let former else {
            offers.append(offer)
            return
        }
        if case .client = offer.origin, offer.since - offers[former].since < ProvidedPlaces.shortestInterval {
            throw RPCError(
                .limitExceeded,
                "cannot take a location within a tenth of a second of the one before from the same connection")
        }
        offers[former] = offer
    }

    package mutating func withdraw(_ origin: Origin) { offers.removeAll { $0.origin == origin } }

    package mutating func setWanted(_ isWanted: Bool) {
        self.isWanted = isWanted
        if !isWanted { isAsked = false }
    }

    /// A receiver has a fix, which goes before everything that is said.
    package mutating func noteFix(accuracy: Double, at now: BootInstant) {
        measured = (now, accuracy)
        told = nil
    }

    /// Somebody wants to know where the device is from now on. Who asks in the turn in which it is told hears that.
    package mutating func noteAsked(at now: BootInstant) { if told?.at != now { isAsked = true } }

    // MARK: What comes of it

    /// Returns the command to carry out now; nil: none. `date`: the time of `now`, for people.
    package mutating func take(at now: BootInstant, _ date: WallTime) -> Command? {
        asOf = now
        offers.removeAll { $0.until.map { $0 <= now } ?? false }
        let best = offers.filter { due($0) <= now }.min { $0.place.horizontalAccuracy < $1.place.horizontalAccuracy }
        guard let best else {
            guard told != nil else { return nil }
            told = nil
            return .end
        }
        guard isWanted else {
            guard let told, !offers.contains(told.offer) else { return nil }
            self.told = nil
            return .end
        }
        if let told, told.offer == best, told.until > now, !isAsked || now < told.at + ProvidedPlaces.pause {
            return nil
        }
        isAsked = false
        let until = best.until ?? now + ProvidedPlaces.repetition
        told = (best, now, until)
        return .tell(
            Fix(
                receiver: ReceiverID(rawValue: 0), location: Location(best.place, date), hasReceiverTime: false,
                mode: best.place.altitude == nil ? 2 : 3, validity: until - now))
    }

    /// When `take` has something to say if nothing else happens; nil: never. Without demand that is never.
    package var nextWake: WakeWindow? {
        guard isWanted else { return nil }
        var next = told?.until
        for offer in offers {
            let due = due(offer)
            if due > asOf { next = min(next ?? due, due) }
        }
        // A request that waits may have little time left.
        if isAsked, let told {
            let repeated = min(next ?? told.until, told.at + ProvidedPlaces.pause)
            return WakeWindow(earliest: repeated, latest: repeated)
        }
        return next.map { WakeWindow(earliest: $0, latest: $0 + .seconds(1)) }
    }

    /// From when on the offer says more than the newest fix of a receiver still does.
    private func due(_ offer: Offer) -> BootInstant {
        guard let measured else { return offer.since }
        var wait = patience
        switch offer.origin {
        case .person, .file: wait = max(wait, ProvidedPlaces.personsPatience)
        case .client: break
        }
        let drift = (offer.place.horizontalAccuracy - measured.accuracy) / ProvidedPlaces.driftSpeed
        return measured.at + max(wait, .seconds(drift))
    }
}

extension Location {
    /// The place that somebody said, as a location of the date.
    package init(_ place: OfferedLocation, _ date: WallTime) {
        self.init(
            coordinate: place.coordinate, horizontalAccuracy: place.horizontalAccuracy, timestamp: date,
            altitude: place.altitude, verticalAccuracy: place.verticalAccuracy, kind: place.kind)
    }
}
