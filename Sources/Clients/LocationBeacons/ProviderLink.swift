// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationLink
import LocationModel
import LocationProtocol
import SystemSupport
import SystemdSupport

/// The connection to locationd, which is told what is heard and tells what is wanted. Connects again for ever.
final class ProviderLink: DaemonLink {
    /// A message of the link.
    enum Event {
        case connected
        case lost
        case wanted(WantedBeacons)
    }

    /// A locationd that does not take this program as a provider is asked again after the first of these times, and then ever later: by then
    /// its configuration may name it.
    private static let refusalPauses = TimeSpan.seconds(30)...TimeSpan.seconds(3600)

    private let report: (Event) -> Void
    private var manager: ManagerToken?
    private var refusalPause = ProviderLink.refusalPauses.lowerBound

    init(_ loop: EventLoop, _ address: DaemonAddress, report: @escaping (Event) -> Void) throws(SystemError) {
        self.report = report
        try super.init(loop, address, say: say)
    }

    override func greet(_ connection: LocationConnection) throws(LocationClientError) -> () -> Void {
        manager = try connection.hello(manager: manager).manager
        return { [report] in report(.connected) }
    }

    override func heard(_ notification: Notification) {
        if case .beaconsWanted(let wanted) = notification { report(.wanted(wanted)) }
    }

    override func lost(_ error: LocationClientError) {
        complain(error.description)
        if case .refused = error {
            wait(refusalPause)
            refusalPause = min(refusalPause + refusalPause, Self.refusalPauses.upperBound)
        }
        report(.lost)
    }

    /// Leaves for good: locationd is told, so that it need not wait for this program to come back.
    func end() {
        leave { connection throws(LocationClientError) in
            try connection.withdrawBeacons(because: "locationd-beacons has ended")
        }
    }

    func offer() { provide { connection throws(LocationClientError) in try connection.offerBeacons() } }

    func withdraw(_ reason: String) {
        provide { connection throws(LocationClientError) in try connection.withdrawBeacons(because: reason) }
    }

    func send(_ sightings: [BeaconSighting]) {
        provide { connection throws(LocationClientError) in
            do throws(LocationClientError) {
                try connection.reportBeacons(sightings)
            } catch .refused(let error) where error.code == .limitExceeded {
                // There is news in half a second.
            }
        }
    }

    private func provide(_ request: (LocationConnection) throws(LocationClientError) -> Void) {
        ask { connection throws(LocationClientError) in
            try request(connection)
            refusalPause = Self.refusalPauses.lowerBound
        }
    }
}
