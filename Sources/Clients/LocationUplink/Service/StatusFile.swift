// SPDX-License-Identifier: Apache-2.0
import CSystemd
import Glibc
import LocationModel
package import LocationProtocol
import SystemSupport

/// Shows how the uplink is: a small file for `locctl uplink`, and the line of `systemctl status`.
///
/// A file and not a socket: it is there when the program is not, nobody has to be served, and whoever reads it costs nothing.
final class StatusFile {
    /// Between two writings while nothing but counts changes.
    private static let interval = TimeSpan.seconds(2)

    private let file: AtomicFile
    private var shown: UplinkReport?
    private var shownAt = BootInstant(nanoseconds: 0)

    /// The file `status.json` in `directory`.
    init(in directory: String) {
        file = AtomicFile(path: "\(directory)/status.json", isDurable: false, mode: 0o644)
    }

    /// Shows `report`, unless it says nothing new. Returns when it wants to be called again; nil: it has shown all.
    func show(_ report: UplinkReport, at now: BootInstant) -> BootInstant? {
        guard report != shown else { return nil }
        let isDone = report.isDone && shown?.isDone == false
        let isNews =
            report.link != shown?.link || report.consent != shown?.consent || report.hasDaemon != shown?.hasDaemon
            || report.lastError != shown?.lastError || isDone
        guard isNews || now - shownAt >= StatusFile.interval else { return shownAt + StatusFile.interval }
        (shown, shownAt) = (report, now)
        var complete = report
        complete.pid = getpid()
        if let bytes = try? JSONWriter.text(of: complete) { try? file.write(bytes) }
        sd_notify(0, "STATUS=\(report.sentence)")
        return nil
    }
}

extension UplinkReport {
    /// Nothing waits.
    fileprivate var isDone: Bool { waiting == 0 && waitingEvents == 0 }

    /// In a line, for `systemctl status`.
    package var sentence: String {
        let things = [(Int(clamping: waiting), "locations"), (waitingEvents, "events")].filter { $0.0 > 0 }
        let wait =
            isDone ? "nothing waits" : things.map { "\($0) \($1)" }.joined(separator: " and ") + " wait"
        let side = carrier ?? "broker"
        switch link {
        case .connected where side == "server" && connectedSince == nil: return "Nothing sent yet; \(wait)."
        case .connected:
            return side == "server" ? "The server takes messages; \(wait)." : "Connected to the broker; \(wait)."
        case .connecting: return "Connecting to the \(side); \(wait)."
        case .waiting:
            return "\(lastError.map { $0.prefix(1).uppercased() + $0.dropFirst() } ?? "Not connected"); \(wait)."
        case .off:
            return hasDaemon
                ? "Nobody has allowed this app to know where the device is." : "Waiting for locationd."
        }
    }
}
