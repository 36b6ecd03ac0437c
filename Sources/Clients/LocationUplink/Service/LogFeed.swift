// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationLink
import LocationModel
import LocationProtocol
import SystemSupport
import SystemdSupport

/// A second connection to the daemon, for a while: reads its log behind a number, and only as fast as somebody wants to have it.
///
/// It is a manager of its own, so that what comes live goes on beside it. It says no hello: nothing of it stays when it is closed.
final class LogFeed {
    /// Nothing came for so long: then the daemon is asked whether that is all.
    private static let quiet = TimeSpan.milliseconds(100)

    private let connection: LocationConnection
    private let report: ([UplinkEvent]) -> Void
    private var source: EventLoop.Source?
    private var turn: EventLoop.Source?
    private var pause: EventLoop.Timer?
    private var isReading = true
    private var isOpen = true

    /// Reads the log of the daemon at `address` behind `sequence`.
    init(
        _ loop: EventLoop, _ address: DaemonAddress, after sequence: UInt64,
        report: @escaping ([UplinkEvent]) -> Void
    ) throws {
        self.report = report
        connection = try LocationConnection(to: address)
        connection.replyTimeout = DaemonLink.usualTimeout
        var properties = PropertiesPatch()
        properties.pausesLocationUpdatesAutomatically = false
        try connection.setProperties(properties)
        _ = try connection.startUpdatingLocation(resumeAfter: sequence)
        source = try loop.watch(connection.fileDescriptor) { [unowned self] in receive() }
        turn = try loop.deferred { [unowned self] in receive() }
        pause = try loop.timer { [unowned self] in askWhetherThatIsAll() }
        turn?.enableOnce()
    }

    /// Reads on, or lets the daemon wait.
    func setReading(_ wanted: Bool) {
        isReading = wanted
        source?.setInterest(reading: wanted, writing: false)
        if wanted { turn?.enableOnce() } else { pause?.set(nil) }
    }

    /// Ends; nothing is reported after it.
    func close() {
        isOpen = false
        source?.cancel()
        source = nil
        turn?.cancel()
        pause?.set(nil)
    }

    // The machine may hold or close this feed because of a report, so each line is reported by itself.
    private func receive() {
        while isOpen, isReading {
            do throws(LocationClientError) {
                guard case .notification(let received) = try connection.nextNotification(by: bootClock()) else {
                    pause?.set(in: LogFeed.quiet, slack: .milliseconds(20))
                    return
                }
                take(received.notification)
            } catch {
                fail()
            }
        }
    }

    private func take(_ notification: Notification) {
        guard case .didUpdateLocations(let update) = notification, update.source == .standard, !update.isCached else {
            return
        }
        // The daemon could not wait for us: what is missing is still in its log.
        guard update.dropped == 0 else { return fail() }
        report([.read(update.locations, hasGap: update.hasGap)])
    }

    private func askWhetherThatIsAll() {
        guard isOpen, isReading else { return }
        do throws(LocationClientError) {
            // The reply stands behind everything that the log had.
            _ = try connection.location()
            while isOpen, case .notification(let received) = try connection.nextNotification(by: bootClock()) {
                take(received.notification)
            }
            if isOpen { report([.readToEnd]) }
        } catch {
            fail()
        }
    }

    private func fail() {
        guard isOpen else { return }
        close()
        report([.readingFailed])
    }
}
