// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import SystemSupport
import SystemdSupport

/// The connection to locationd, which tells what is to be shown. Connects again as long as this program may show it.
final class AgentLink {
    /// How long locationd may take for a reply; nothing else is served meanwhile.
    private static let replyTimeout = TimeSpan.seconds(5)

    private let loop: EventLoop
    private let address: DaemonAddress
    /// nil: the connection is gone.
    private let report: (Notification?) -> Void
    private var link: (connection: LocationConnection, source: EventLoop.Source)?
    private var backoff = ReconnectBackoff()
    private var retry: EventLoop.Timer?
    private var reading: EventLoop.Source?
    /// The last complaint, which is said once.
    private var complaint: String?
    /// Why it is no use to try again; the loop ends with it.
    private(set) var refusal: SystemError?

    init(_ loop: EventLoop, _ address: DaemonAddress, report: @escaping (Notification?) -> Void) throws(SystemError) {
        (self.loop, self.address, self.report) = (loop, address, report)
        retry = try loop.timer { [unowned self] in
            retry?.fired()
            connect()
        }
        // Notifications that came together with a reply are read in a turn of their own.
        reading = try loop.deferred { [unowned self] in receive() }
    }

    func connect() {
        guard link == nil else { return }
        do throws(LocationClientError) {
            let connection = try LocationConnection(to: address)
            connection.replyTimeout = Self.replyTimeout
            try connection.takeNotices()
            do throws(LocationClientError) {
                try connection.registerAgent()
            } catch .refused(let error) where error.code == .notPermitted {
                complain("shows notices, and asks nobody: \(error.message)")
            }
            let source: EventLoop.Source
            do {
                source = try loop.watch(connection.fileDescriptor) { [unowned self] in receive() }
            } catch {
                return tryAgain("\(error)")
            }
            link = (connection, source)
            backoff = ReconnectBackoff()
            reading?.enableOnce()
        } catch {
            // Any other refusal passes, such as that there are too many connections.
            guard case .refused(let error) = error, error.code == .notPermitted else {
                return tryAgain(error.description)
            }
            refusal = SystemError(error.message)
            loop.exit()
        }
    }

    /// Has locationd tell the notices that wait.
    func takeNotices() { ask { connection throws(LocationClientError) in try connection.takeNotices() } }

    func acknowledge(_ name: NoticeName) {
        ask { connection throws(LocationClientError) in try connection.acknowledgeNotice(name) }
    }

    func answer(_ request: UInt64, _ answer: AuthorizationAnswer) {
        ask { connection throws(LocationClientError) in try connection.answerRequest(request, answer) }
    }

    private func ask(_ request: (LocationConnection) throws(LocationClientError) -> Void) {
        guard let link else { return }
        do throws(LocationClientError) {
            try request(link.connection)
        } catch {
            // Late, or of an app that is gone meanwhile: that is no reason to stop.
            guard case .refused = error else { return lost(error) }
            say(error.description)
        }
        reading?.enableOnce()
    }

    private func lost(_ error: LocationClientError) {
        // The loop lets go of the descriptor before the connection closes it.
        link?.source.cancel()
        link = nil
        complaint = nil
        tryAgain(error.description)
        report(nil)
    }

    private func complain(_ reason: String) {
        if reason != complaint { say(reason) }
        complaint = reason
    }

    private func tryAgain(_ reason: String) {
        complain(reason)
        let next = bootClock() + backoff.nextDelay()
        retry?.set(WakeWindow(earliest: next, latest: next + .milliseconds(50)))
    }

    private func receive() {
        while let connection = link?.connection {
            do throws(LocationClientError) {
                guard case .notification(let received) = try connection.nextNotification(by: bootClock()) else {
                    return
                }
                report(received.notification)
            } catch {
                return lost(error)
            }
        }
    }
}
