// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import SystemSupport
import SystemdSupport

/// The connection to locationd, which is told what is heard and tells what is wanted. Connects again for ever.
final class ProviderLink {
    /// A message of the link.
    enum Event {
        case connected
        case lost
        case wanted(WantedBeacons)
    }

    /// How long locationd may take for a reply; nothing else is served meanwhile.
    private static let replyTimeout = TimeSpan.seconds(5)
    /// A locationd that does not take this program as a provider is asked again after the first of these times, and then ever later: by then
    /// its configuration may name it.
    private static let refusalPauses = TimeSpan.seconds(30)...TimeSpan.seconds(3600)

    private let loop: EventLoop
    private let address: DaemonAddress
    private let report: (Event) -> Void
    private var link: (connection: LocationConnection, source: EventLoop.Source)?
    private var manager: ManagerToken?
    private var backoff = ReconnectBackoff()
    private var refusalPause = ProviderLink.refusalPauses.lowerBound
    private var retry: EventLoop.Timer?
    private var reading: EventLoop.Source?
    /// The last complaint, which is said once.
    private var complaint: String?

    init(_ loop: EventLoop, _ address: DaemonAddress, report: @escaping (Event) -> Void) throws(SystemError) {
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
            manager = try connection.hello(manager: manager).manager
            let source: EventLoop.Source
            do {
                source = try loop.watch(connection.fileDescriptor) { [unowned self] in receive() }
            } catch {
                return tryAgain("\(error)")
            }
            link = (connection, source)
            backoff = ReconnectBackoff()
            reading?.enableOnce()
            report(.connected)
        } catch {
            tryAgain(error.description)
        }
    }

    /// Leaves for good: locationd is told, so that it need not wait for this program to come back.
    func leave() {
        try? link?.connection.withdrawBeacons(because: "locationd-beacons has ended")
        unlink()
    }

    func offer() { ask { connection throws(LocationClientError) in try connection.offerBeacons() } }

    func withdraw(_ reason: String) {
        ask { connection throws(LocationClientError) in try connection.withdrawBeacons(because: reason) }
    }

    func send(_ sightings: [BeaconSighting]) {
        ask { connection throws(LocationClientError) in
            do throws(LocationClientError) {
                try connection.reportBeacons(sightings)
            } catch .refused(let error) where error.code == .limitExceeded {
                // There is news in half a second.
            }
        }
    }

    private func ask(_ request: (LocationConnection) throws(LocationClientError) -> Void) {
        guard let link else { return }
        do throws(LocationClientError) {
            try request(link.connection)
            complaint = nil
            refusalPause = Self.refusalPauses.lowerBound
            reading?.enableOnce()
        } catch {
            lost(error)
        }
    }

    private func unlink() {
        // The loop lets go of the descriptor before the connection closes it.
        link?.source.cancel()
        link = nil
    }

    private func lost(_ error: LocationClientError) {
        unlink()
        var pause: TimeSpan?
        if case .refused = error {
            pause = refusalPause
            refusalPause = min(refusalPause + refusalPause, Self.refusalPauses.upperBound)
        }
        tryAgain(error.description, after: pause)
        report(.lost)
    }

    private func tryAgain(_ reason: String, after pause: TimeSpan? = nil) {
        if reason != complaint { say(reason) }
        complaint = reason
        let next = bootClock() + (pause ?? backoff.nextDelay())
        retry?.set(WakeWindow(earliest: next, latest: next + .milliseconds(50)))
    }

    private func receive() {
        while let connection = link?.connection {
            do throws(LocationClientError) {
                guard case .notification(let received) = try connection.nextNotification(by: bootClock()) else {
                    return
                }
                if case .beaconsWanted(let wanted) = received.notification { report(.wanted(wanted)) }
            } catch {
                return lost(error)
            }
        }
    }
}
