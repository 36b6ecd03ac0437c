// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol

/// A manager's session with the daemon.
protocol ManagerSession: Sendable {
    /// Wants something; returns at once.
    func perform(_ command: SessionCommand)
    /// The daemon's last answer about the program; waits for the first one while it is under way.
    func standing(waitingAtMost limit: TimeSpan) -> HelloResult?
    /// Asks for the last known location.
    func location(_ completion: @escaping @Sendable (Result<Location?, LocationClientError>) -> Void)
    /// Asks for the app's regions.
    func monitoredRegions(_ completion: @escaping @Sendable (Result<[Region], LocationClientError>) -> Void)
    /// Ends it at the daemon.
    func close()
}

extension LocationSession: ManagerSession {}

extension ManagerSession {
    /// Wants something that opens no stream, monitor or session; returns at once.
    func perform(_ request: Request) { perform(SessionCommand(request)) }
}
