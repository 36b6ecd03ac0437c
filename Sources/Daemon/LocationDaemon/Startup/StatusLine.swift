// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The line that `systemctl status` shows of the daemon.
///
/// Every user of the system can read it, so it says no more than `status` tells a client that is not authorized: nothing of receivers, of
/// fixes, and of whether anybody needs them.
///
/// Each line wakes up systemd, too: it is told when it says something new, once a second at the most.
struct StatusLine {
    /// The parts of the line.
    struct Content: Equatable {
        var areServicesEnabled = true
        var isGPSDConnected: Bool
        var connections: Int
        /// Sentences about what is wrong with the state and the history, as every client is told.
        var problems: [String] = []

        /// `gpsd connected; 3 connections`.
        var text: String {
            let parts =
                (areServicesEnabled ? [] : ["location services are off"])
                + [
                    isGPSDConnected ? "gpsd connected" : "gpsd not connected",
                    connections == 1 ? "1 connection" : "\(connections) connections",
                ] + problems
            // A line of systemd's protocol ends where it breaks.
            return String(parts.joined(separator: "; ").map { $0 == "\n" ? " " : $0 })
        }
    }

    /// Least time between two lines.
    static let interval = TimeSpan.seconds(1)

    private var told: (content: Content, at: BootInstant)?
    /// Something may have changed that could not be told yet: look again then.
    private(set) var dueAt: BootInstant?

    /// The line to tell now, nil: none. `content` is asked for only if a line may be told.
    mutating func next(at now: BootInstant, content: () -> Content) -> String? {
        if let told, now - told.at < StatusLine.interval {
            dueAt = told.at + StatusLine.interval
            return nil
        }
        dueAt = nil
        let content = content()
        guard told?.content != content else { return nil }
        told = (content, now)
        return content.text
    }
}
