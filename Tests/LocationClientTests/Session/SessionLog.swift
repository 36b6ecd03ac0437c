// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Synchronization

/// What a session told, to be read from another thread.
final class SessionLog: Sendable {
    private let events = Mutex<[SessionEvent]>([])

    var handler: @Sendable (SessionEvent) -> Void {
        { [self] event in events.withLock { $0.append(event) } }
    }

    var all: [SessionEvent] { events.withLock { $0 } }

    /// What was told, each as one word or number: sequences of locations, finishes, losses.
    var words: [String] { all.flatMap(\.words) }

    func waitFor(_ words: [String]) throws {
        try waitUntil("the session tells \(words), it tells \(self.words)") { self.words.starts(with: words) }
    }
}

extension SessionEvent {
    var words: [String] {
        switch self {
        case .connected(let hello): [hello.rejoined ? "rejoined" : "connected"]
        case .disconnected: ["disconnected"]
        // A matter of seconds, which on a busy machine may pass anywhere.
        case .waiting: []
        case .unreachable: ["unreachable"]
        case .answered(_, let result): [result.state.rawValue]
        case .refused(_, let error): ["refused:\(error.name)"]
        case .nameRefused(let error): ["nameRefused:\(error.name)"]
        case .monitorOpened(let handle, _): ["monitor:\(handle.number)"]
        case .told(let notification): notification.words
        }
    }
}

extension Notification {
    fileprivate var words: [String] {
        switch self {
        case .didUpdateLocations(let update): update.locations.map { "\($0.sequence)" }
        case .didFinishDeferredUpdates(let deferral, let error):
            ["finish\(deferral):\(error.map { "\($0.code.rawValue)" } ?? "met")"]
        case .didFailWithError(let error, _, let request):
            ["fail\(request.map { "\($0)" } ?? ""):\(error.code.rawValue)"]
        case .didCancelRequest(let request, _): ["cancel\(request)"]
        case .didChangeAuthorization(let change): [change.authorizationStatus.word]
        case .didUpdate(let update): ["update\(update.updates)"]
        case .monitorEvent(let event): ["event\(event.event ?? 0)@\(event.monitor ?? 0)"]
        case .didVisit(_, let event): ["visit\(event ?? 0)"]
        case .serviceSessionDiagnostic(let session, _): ["diagnostic\(session)"]
        case .didRequestTemporaryFullAccuracy(let key, _): ["purpose:\(key)"]
        default: ["?"]
        }
    }
}
