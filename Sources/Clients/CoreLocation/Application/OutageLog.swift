// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationProtocol

/// Lines about a daemon that does not answer: each reason once in the process, until it answers.
final class OutageLog: Sendable {
    /// That of the process.
    static let shared = OutageLog()

    private let said = SaidLines()

    /// A daemon answered somebody: the next outage is another one.
    func noteAnswer() { said.forget() }

    /// Says by `write` why nobody answers.
    func note(_ error: LocationClientError, _ write: (String) -> Void = { ApplicationLog.write($0) }) {
        let line = "\(error)\(error.advice); it is tried again until locationd answers"
        if said.isNews(line) { write(line) }
    }
}

extension SessionEvent {
    /// Why nobody answers, where that is something to say; nil: it is something else.
    var outage: LocationClientError? {
        switch self {
        case .waiting(let error), .unreachable(let error): error
        default: nil
        }
    }
}

extension LocationClientError {
    // Advice for the program's developer about the error; empty: there is none.
    fileprivate var advice: String {
        guard case .refused(let error) = self, error.code == .tooManyConnections else { return "" }
        return """
            ; each CLLocationManager takes a connection, and all streams, monitors and sessions of a program together one: let \
            go of managers that are no longer needed, or share one
            """
    }
}
