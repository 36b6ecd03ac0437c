// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// One look of `locctl top` at the daemon.
package struct TopReading: Sendable {
    /// The date of the look.
    package var date: WallTime
    /// nil: no daemon answers.
    package var status: Status?
    /// The last known location; nil: none, or not for this user.
    package var location: Location?
    package var sky = SatellitesResult()
    /// Apps with what is kept for them.
    package var events: [String: [StoredEvent]] = [:]
    /// Apps that wait for somebody's decision.
    package var requests = 0
    /// Why there is no daemon, or no location.
    package var failure: String?

    /// Nothing was learned.
    package init(at date: WallTime) { self.date = date }
}

/// All that `locctl top` knows: the newest look, the way that the device went, and what happened since it began.
package struct TopState: Sendable {
    /// Points of the track: an hour at one a second.
    private static let trackLimit = 3600
    private static let happeningLimit = 200

    package private(set) var reading: TopReading
    /// Oldest first.
    package private(set) var track: [Location] = []
    /// Newest first.
    package private(set) var happenings: [TopHappening] = []
    /// Whether this program itself has the receiver on.
    package var isOn = false
    /// How much of the track is shown.
    package var trackMinutes = 10
    /// The client's row that is shown first.
    package private(set) var firstClient = 0
    private let ownProcess: Int?

    /// A state that knows nothing yet.
    ///
    /// - Parameter ownProcess: whose connection is not shown, since it only looks.
    package init(at date: WallTime, ownProcess: Int? = nil) {
        reading = TopReading(at: date)
        self.ownProcess = ownProcess
    }

    /// Clients that ask for something; this program only while it does so, too.
    package var clients: [ManagerStatus] {
        ClientSearch.shown(in: reading.status?.managers ?? [], except: isOn ? nil : ownProcess)
            .filter { !ClientTable.wishes($0).isEmpty || $0.waitingToRejoin }
    }

    /// Locations from before the first look, oldest first.
    package mutating func takeHistory(_ locations: [Location]) {
        track = locations.filter { !$0.isCoarse }.suffix(TopState.trackLimit) + track
    }

    package mutating func take(_ new: TopReading) {
        let found = TopHappening.between(reading, new, except: ownProcess)
        happenings = Array((found.reversed() + happenings).prefix(TopState.happeningLimit))
        reading = new
        if let location = new.location { take(location) }
        firstClient = min(firstClient, max(0, clients.count - 1))
    }

    /// A location of this program's own service, or the last known one.
    package mutating func take(_ location: Location) {
        note(location)
        if reading.location.map({ $0.timestamp < location.timestamp }) ?? true { reading.location = location }
    }

    // A place that is known only roughly is no part of the way.
    private mutating func note(_ location: Location) {
        if let last = track.last, location.timestamp <= last.timestamp { return }
        guard !location.isCoarse else { return }
        track.append(location)
        if track.count > TopState.trackLimit { track.removeFirst(track.count - TopState.trackLimit) }
    }

    package mutating func scrollClients(by rows: Int) {
        firstClient = min(max(0, firstClient + rows), max(0, clients.count - 1))
    }

    /// The part of the track that is shown.
    package var shownTrack: [Location] {
        let from = reading.date.milliseconds - Int64(trackMinutes) * 60_000
        return track.filter { $0.timestamp.milliseconds >= from }
    }
}
