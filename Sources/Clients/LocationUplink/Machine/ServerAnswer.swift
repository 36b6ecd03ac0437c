// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The meaning of a server's answer for the message that it answers.
package enum ServerAnswer: Sendable, Hashable {
    /// The server has it.
    case taken
    /// It is to be tried again, with all others.
    case trouble(BrokerTrouble)
    /// The server does not take this message as it is.
    case unwanted(reason: String)

    /// `status`: of HTTP; `retryAfter`: so many seconds the server asks to wait; `url`: for people.
    package init(status: Int, retryAfter: Int64, from url: String) {
        func trouble(_ words: String, isRefusal: Bool) -> ServerAnswer {
            let pause = TimeSpan.seconds(Double(min(max(retryAfter, 0), 1 << 30)))
            return .trouble(
                BrokerTrouble("cannot send to \(url): \(words)", isRefusal: isRefusal, pause: pause))
        }
        switch status {
        case 200...299: self = .taken
        // To another place a place would go that nobody allowed.
        case 300...399:
            self = trouble(
                "the server answers \(status), which points elsewhere: URL= has to name that", isRefusal: true)
        case 401, 403, 407:
            self = trouble(
                "the server answers \(status): it does not know this device by its password", isRefusal: true)
        case 404, 405, 410:
            self = trouble("the server answers \(status): it takes nothing at this URL", isRefusal: true)
        case 408, 425, 429: self = trouble("the server answers \(status): not now", isRefusal: false)
        case 400...499: self = .unwanted(reason: "the server answers \(status)")
        default: self = trouble("the server answers \(status)", isRefusal: false)
        }
    }
}

/// Messages that the server did not take, of which it is not known yet whether the fault is theirs.
///
/// A server that takes others does not want this one, and it is left out; a server that takes none is set up wrong, and all of them wait.
struct Doubt: Sendable {
    /// So many in a row, and it is the server's fault.
    static let limit = 20

    /// Not taken since the server took the last one.
    private(set) var flights: [UplinkMachine.Flight] = []
    /// Why not the last of them.
    private(set) var reason = ""
    /// The last attempt ended because nothing was taken.
    private var wasHopeless = false
    /// In this attempt something was taken.
    private var hasTaken = false

    /// The last attempt ended with messages of which none was taken, and this one has not shown yet whether others are.
    var isUnproven: Bool { wasHopeless && !hasTaken }

    /// These are left out: the server took something after them, or takes the newest and not a long row of others.
    mutating func taken() -> [UplinkMachine.Flight] {
        hasTaken = true
        defer { flights.removeAll() }
        return flights
    }

    /// The server does not want `flight`. Returns what is left out, or nil: the server is to be given up for now.
    mutating func unwanted(_ flight: UplinkMachine.Flight, _ why: String) -> [UplinkMachine.Flight]? {
        flights.append(flight)
        reason = why
        guard flights.count >= Doubt.limit else { return [] }
        guard wasHopeless, hasTaken else { return nil }
        return taken()
    }

    /// The attempt is over, and what is in doubt is tried again.
    mutating func end(isHopeless: Bool) { self = Doubt(wasHopeless: isHopeless) }

    init(wasHopeless: Bool = false) { self.wasHopeless = wasHopeless }
}
