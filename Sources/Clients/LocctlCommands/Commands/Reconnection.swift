// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

extension Session {
    /// Connects again and again until `begin` has done its work, which then tells what it did; no connection: there was
    /// another ending before that.
    func comeBack<Result>(
        by end: BootInstant, or stop: StopSignal,
        _ begin: (LocationConnection) throws(LocationClientError) -> Result
    ) -> (connection: (LocationConnection, Result)?, ending: FollowEnding) {
        var backoff = ReconnectBackoff()
        while true {
            let left = end - LocationConnection.now
            guard left > .zero else { return (nil, .timeIsUp) }
            if stop.wait(atMost: min(left, backoff.nextDelay())) {
                console.noteInterruption()
                return (nil, .interrupted)
            }
            do throws(LocationClientError) {
                let connection = try LocationConnection(to: address)
                return ((connection, try begin(connection)), .interrupted)
            } catch {
                guard error.isAboutTheConnection || error.isForNow else { return (nil, .refused(LocctlError(error))) }
            }
        }
    }
}

extension LocationClientError {
    /// Whether the daemon may say yes to the same in a moment.
    fileprivate var isForNow: Bool {
        guard case .refused(let error) = self else { return false }
        return [.tooManyConnections, .unavailable].contains(error.code)
    }
}
