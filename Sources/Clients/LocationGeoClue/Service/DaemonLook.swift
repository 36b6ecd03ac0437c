// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

/// A short look at what the daemon has to give.
enum DaemonLook {
    /// The finest level that this program can have now; `none` when the daemon cannot be asked.
    static func availableLevel(_ address: DaemonAddress) -> AccuracyLevel {
        do throws(LocationClientError) {
            let connection = try LocationConnection(to: address)
            connection.replyTimeout = LocationFeed.replyTimeout
            let hello = try connection.hello()
            let status = try connection.status()
            // A daemon that was started for this question has not met gpsd yet.
            let hasSource = status.gpsd.connected || status.daemon.uptime < 5
            return AccuracyLevel.available(
                hello.authorizationStatus, hello.accuracyAuthorization,
                servicesEnabled: status.locationServicesEnabled, hasSource: hasSource)
        } catch {
            return .none
        }
    }
}
