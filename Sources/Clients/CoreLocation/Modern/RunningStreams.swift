// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The streams of live updates that run, by configuration.
final class RunningStreams: Sendable {
    private struct Running {
        // Its readers keep it.
        weak var stream: SharedStream?
    }

    private let running = Mutex<[CLLocationUpdate.LiveConfiguration: Running]>([:])

    /// A reader of the stream of `configuration`, which begins with it if there is none.
    func read(
        _ configuration: CLLocationUpdate.LiveConfiguration, of shared: SharedSession
    ) -> (SharedStream, ElementQueue<CLLocationUpdate>) {
        running.withLock { running in
            if let stream = running[configuration]?.stream, let updates = stream.read() { return (stream, updates) }
            while true {
                let stream = SharedStream(configuration, of: shared)
                // The daemon may have refused it meanwhile.
                guard let updates = stream.read() else { continue }
                running[configuration] = Running(stream: stream)
                return (stream, updates)
            }
        }
    }
}
