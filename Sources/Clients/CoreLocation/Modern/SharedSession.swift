// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
import Synchronization

/// The one session that streams, monitors and sessions of a process share: made for the first of them, closed after the
/// last, so that nothing idle stays connected.
final class SharedSession: Sendable {
    /// Makes a session that tells the given handler.
    typealias Maker = @Sendable (@escaping @Sendable (SessionEvent) -> Void) -> LocationSession

    private struct Current {
        // Its users keep it.
        weak var connection: SharedConnection?
    }

    private let current = Mutex(Current())
    private let streams = RunningStreams()
    private let makeSession: Maker
    private let requiresServiceSession: @Sendable () -> Bool
    private let wantsReducedAccuracy: @Sendable () -> Bool

    /// `requiresServiceSession`: whether the application wants nothing delivered while it holds no `CLServiceSession`.
    /// `wantsReducedAccuracy`: whether it wants no more than the approximate location.
    init(
        requiresServiceSession: @autoclosure @escaping @Sendable () -> Bool,
        wantsReducedAccuracy: @autoclosure @escaping @Sendable () -> Bool = false, makeSession: @escaping Maker
    ) {
        self.requiresServiceSession = requiresServiceSession
        self.wantsReducedAccuracy = wantsReducedAccuracy
        self.makeSession = makeSession
    }

    /// Whether anything uses the session now.
    var isConnected: Bool { current.withLock { $0.connection != nil } }

    /// A reader of the stream of live updates of `configuration`, and the stream, which runs as long as a reader holds it.
    func stream(
        _ configuration: CLLocationUpdate.LiveConfiguration
    ) -> (SharedStream, ElementQueue<CLLocationUpdate>) {
        streams.read(configuration, of: self)
    }

    /// The connection in use, or a new one.
    func connection() -> SharedConnection {
        current.withLock { current in
            if let connection = current.connection { return connection }
            let connection = SharedConnection(
                requiresServiceSession: requiresServiceSession(), wantsReducedAccuracy: wantsReducedAccuracy(),
                makeSession: makeSession)
            current.connection = connection
            return connection
        }
    }
}
