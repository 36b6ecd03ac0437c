// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

/// What `systemctl status` shows of the daemon: the receiver, the last fix, who is there, what the receiver is on for.
///
/// Each line wakes up systemd, too: it is told when it says something new, once a second at the most, and the passing of time alone
/// once a minute at the most, on the occasion of a fix.
struct StatusLine {
    /// What the line is made of but for the time of the last fix.
    struct Content: Equatable {
        var areServicesEnabled: Bool
        /// Why there is no fix; nil: there is one.
        var problem: String?
        /// The receiver in use, with its mode.
        var receiver: String?
        var clients: Int
        var policy: PowerPolicy
    }

    /// Least time between two lines.
    static let interval = TimeSpan.seconds(1)
    /// Least time between two lines that differ in the last fix only.
    static let fixInterval = TimeSpan.seconds(60)

    private var told: (content: Content, lastFix: WallTime?, at: BootInstant)?
    /// Something may have changed that could not be told yet: look again then.
    private(set) var dueAt: BootInstant?

    /// The line to tell now, nil: none. `content` is asked for only if a line may be told.
    mutating func next(at now: BootInstant, lastFix: WallTime?, content: () -> Content) -> String? {
        if let told, now - told.at < StatusLine.interval {
            dueAt = told.at + StatusLine.interval
            return nil
        }
        dueAt = nil
        let content = content()
        if let told, told.content == content {
            guard lastFix != told.lastFix, now - told.at >= StatusLine.fixInterval else { return nil }
        }
        told = (content, lastFix, now)
        return StatusLine.text(content, lastFix: lastFix)
    }

    /// `/dev/ttyACM0: 3D fix; last fix 14:03:05 UTC; 3 clients; receiver on at full rate`.
    static func text(_ content: Content, lastFix: WallTime?) -> String {
        guard content.areServicesEnabled else { return "location services are off; \(clients(content.clients))" }
        var parts: [String] = []
        switch content.policy {
        case .off: parts.append("nobody needs a location, receiver off")
        case .fullRate, .dutyCycled: parts.append(content.problem ?? content.receiver ?? "a fix")
        }
        // Everybody may read this: that there are fixes, but nothing of where or how the device moves.
        if let lastFix { parts.append("last fix \(lastFix.rfc3339.dropFirst(11).prefix(8)) UTC") }
        parts.append(clients(content.clients))
        switch content.policy {
        case .off: break
        case .fullRate: parts.append("receiver on at full rate")
        case .dutyCycled: parts.append("receiver on now and then")
        }
        return parts.joined(separator: "; ")
    }

    private static func clients(_ count: Int) -> String { count == 1 ? "1 client" : "\(count) clients" }
}
