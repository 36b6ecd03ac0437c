// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
import Synchronization

/// The one stream at the daemon from which all iterations over live updates of a configuration read: it runs there as long as
/// one of them holds this object.
final class SharedStream: Sendable {
    private let board: StreamBoard
    private let use: SharedUse

    /// Begins at the daemon.
    init(_ configuration: CLLocationUpdate.LiveConfiguration, of shared: SharedSession) {
        let board = StreamBoard()
        self.board = board
        use = SharedUse(of: shared) { handle in
            SharedConnection.Commands(
                begin: SessionCommand(.startLiveUpdates(LiveConfiguration(configuration)), opening: handle),
                end: SessionCommand(.stopLiveUpdates(updates: handle.number)), isGated: true)
        } receive: { event in
            board.note(event)
        }
    }

    /// A queue for another iteration, which begins with the newest element; nil: the daemon has refused the stream.
    func read() -> ElementQueue<CLLocationUpdate>? { board.read() }
}

/// The elements that a stream has told, and its readers. Not part of the stream, because the connection's callback must not hold that.
private final class StreamBoard: Sendable {
    private struct State {
        /// The last update that the daemon told of the stream that it has now; nil: none.
        var latest: CLLocationUpdate?
        /// Why the daemon tells nothing.
        var isUnreachable = false
        var needsServiceSession = false
        var audience = Audience(insert: CLLocationUpdate.insert)
        var isOver = false

        var obstacles: DiagnosticFlags {
            var flags: DiagnosticFlags = []
            if isUnreachable { flags.insert(.locationUnavailable) }
            if needsServiceSession { flags.insert(.serviceSessionRequired) }
            return flags
        }

        /// Where things stand; nil: nobody has said so yet.
        var present: CLLocationUpdate? {
            obstacles.isEmpty ? latest : CLLocationUpdate(location: nil, stationary: false, flags: obstacles)
        }

        /// Takes in what is told; returns what readers have to know.
        mutating func take(_ event: SharedEvent) -> CLLocationUpdate? {
            switch event {
            case .session(.told(.didUpdate(let update))):
                // The application may not have elements that were under way when its last service session ended.
                guard !needsServiceSession else { return nil }
                latest = CLLocationUpdate(update)
            case .session(.answered(let command, _)) where command.opens(.updates):
                // It may be late, and of a start that was called off.
                latest = nil
                return nil
            case .session(.unreachable): isUnreachable = true
            case .session(.connected(let hello)):
                if !hello.rejoined { latest = nil }
                guard isUnreachable else { return nil }
                // At rest a stream that goes on would say nothing that takes this back.
                isUnreachable = false
            case .serviceSessionRequired: (latest, needsServiceSession) = (nil, true)
            case .serviceSessionHeld:
                needsServiceSession = false
                return nil
            case .session: return nil
            }
            return present
        }
    }

    private let state = Mutex(State())

    func note(_ event: SharedEvent) {
        if case .session(.refused(let command, let error)) = event, command.opens(.updates) { return finish(error) }
        // Under the lock, so that no news overtakes another.
        state.withLock { state in
            if let news = state.take(event) { state.audience.tell(news) }
        }
    }

    func read() -> ElementQueue<CLLocationUpdate>? {
        state.withLock { state in
            state.isOver ? nil : state.audience.admit(beginningWith: state.present)
        }
    }

    private func finish(_ error: RPCError) {
        let queues = state.withLock { state in
            state.isOver = true
            return state.audience.dismiss()
        }
        for queue in queues { queue.finish(throwing: LocationClientError.refused(error.advising(on: .liveUpdates))) }
    }
}

extension CLLocationUpdate {
    /// How many elements may wait for the program: as one may only be replaced by its like, these are changes of what is told,
    /// and the oldest go when a program sleeps through so many.
    private static let maximumWaiting = 16

    /// A newer element replaces one that says the same, as it does in the daemon (Protocol 8.3).
    fileprivate static func insert(_ waiting: inout [CLLocationUpdate], _ update: CLLocationUpdate) {
        if waiting.last?.saysTheSame(as: update) == true { waiting.removeLast() }
        if waiting.count == maximumWaiting { waiting.removeFirst() }
        waiting.append(update)
    }
}
