// SPDX-License-Identifier: Apache-2.0
public import CoreLocation
import LocationEngine
import LocationModel
import Synchronization

// Where the device is, as its receiver says.
extension CLSimulation {
    /// A location of the receiver. The clock moves on to its timestamp first, and what is due on the way happens; a
    /// timestamp that has passed leaves the clock alone.
    ///
    /// Where it has a speed or a course and says nothing of their accuracy, that is estimated, as it is of a real receiver.
    ///
    /// - Returns: Whether the daemon took it: not while the receiver is off or has no signal, and not out of order.
    @discardableResult
    public func feed(_ location: CLLocation) async -> Bool { await feed(location.modelled) }

    /// A location of the receiver; the accuracies of speed and course are estimated.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north.
    ///   - longitude: Degrees east.
    ///   - accuracy: Metres, > 0.
    ///   - altitude: Metres above the sea; nil: a fix without altitude.
    ///   - speed: Metres per second; nil: not known.
    ///   - course: Degrees clockwise from north; nil: not known.
    ///   - interval: Seconds after which it comes, > 0: the clock moves on by as much first.
    /// - Returns: As of `feed(_:)`.
    @discardableResult
    public func feed(
        latitude: CLLocationDegrees, longitude: CLLocationDegrees, accuracy: CLLocationAccuracy = 5,
        altitude: CLLocationDistance? = nil, speed: CLLocationSpeed? = nil, course: CLLocationDirection? = nil,
        after interval: TimeInterval = 1
    ) async -> Bool {
        let time = WallTime(date.addingTimeInterval(interval))
        return await feed(
            Location(
                coordinate: Coordinate(latitude: latitude, longitude: longitude), horizontalAccuracy: accuracy,
                timestamp: time, altitude: altitude, verticalAccuracy: altitude.map { _ in accuracy * 1.5 },
                speed: speed, course: course, isSimulatedBySoftware: true))
    }

    /// Feeds locations one after the other, each at its time.
    ///
    /// A track of another time, whose first date is less than a second or more than a day ahead of the simulated clock, or in the last
    /// minute of `Date()`, is moved as a whole: it begins a second from now, and keeps its own intervals. Locations without a time of their own, which all have
    /// the date of their making, such as `CLLocation(latitude:longitude:)`, come a second apart. What is fed carries the date
    /// at which it was fed, and an accuracy of 5 m where it has 0.
    public func follow(_ locations: some Sequence<CLLocation>) async {
        // Before others run, which may take minutes: by it a location is known that says no date of its own.
        let present = WallTime(Date())
        await settle()
        let track = SimulatedTrack(locations.map(\.modelled), from: WallTime(date), in: present)
        for location in track.locations { _ = await feed(location) }
    }

    /// Moves along a line of places at one speed, with a location at the first and then at every `interval`, and one at
    /// the last.
    ///
    /// - Parameters:
    ///   - places: Where to pass.
    ///   - speed: Metres per second, > 0.
    ///   - accuracy: Metres, > 0.
    ///   - interval: Seconds between locations, > 0.
    public func move(
        along places: [CLLocationCoordinate2D], speed: CLLocationSpeed, accuracy: CLLocationAccuracy = 5,
        every interval: TimeInterval = 1
    ) async {
        precondition(speed > 0 && interval > 0, "cannot move at \(speed) m/s every \(interval) s: both must be > 0")
        let path = SimulatedPath(
            places.map(\.modelled), step: speed * interval)
        for point in path.points {
            await feed(
                latitude: point.coordinate.latitude, longitude: point.coordinate.longitude, accuracy: accuracy,
                speed: speed, course: point.course, after: point.distance == 0 ? interval : point.distance / speed)
        }
    }

    /// Stays at the last place that was fed, with a location at every `interval`.
    ///
    /// - Parameters:
    ///   - seconds: How long.
    ///   - interval: Seconds between locations, > 0.
    public func stay(for seconds: TimeInterval, every interval: TimeInterval = 1) async {
        precondition(interval > 0, "cannot feed a location every \(interval) s: it must be > 0")
        guard let place = transport.daemon.withLock({ $0.lastFed }) else { return await advance(by: seconds) }
        let end = date.addingTimeInterval(seconds)
        while end.timeIntervalSince(date) >= interval - 0.0005 {
            await feed(
                latitude: place.coordinate.latitude, longitude: place.coordinate.longitude,
                accuracy: place.horizontalAccuracy, altitude: place.altitude, speed: 0, after: interval)
        }
        await advance(by: max(end.timeIntervalSince(date), 0))
    }

    /// Where the device points, for receivers that know. Without one heading fed, heading is not available.
    ///
    /// - Parameters:
    ///   - magneticHeading: Degrees clockwise from magnetic north; nil: not known.
    ///   - trueHeading: Degrees clockwise from true north; nil: not known.
    ///   - accuracy: Degrees; nil: not known.
    public func feedHeading(
        magneticHeading: CLLocationDirection? = nil, trueHeading: CLLocationDirection? = nil,
        accuracy: CLLocationDirection? = nil
    ) async {
        await settle()
        transport.daemon.withLock {
            guard $0.isRunning else { return }
            $0.handle(
                .headingReceived(
                    Heading(
                        magneticHeading: magneticHeading, trueHeading: trueHeading, headingAccuracy: accuracy,
                        timestamp: $0.clock.wallTime)))
        }
        await settle()
    }

    /// The receiver finds no position from now on, as in a tunnel: locations that are fed are not seen.
    public func loseReceiver() async {
        await settle()
        transport.daemon.withLock { $0.hasSignal = false }
    }

    /// The receiver finds a position again.
    public func restoreReceiver() async {
        await settle()
        transport.daemon.withLock { $0.hasSignal = true }
    }

    private func feed(_ location: Location) async -> Bool {
        await settle()
        var location = location
        location.estimateMotionAccuracy()
        await advance(to: transport.daemon.withLock { $0.clock.moment(of: location.timestamp) })
        let isTaken = transport.daemon.withLock { $0.take(location) }
        await settle()
        return isTaken
    }
}

extension SimulatedDaemon {
    /// The receiver has a fix, if it is on and finds one.
    func take(_ location: Location) -> Bool {
        lastFed = location
        let place = "\(location.coordinate.latitude), \(location.coordinate.longitude)"
        guard isRunning, isReceiverOn, hasSignal else {
            let reason = !isRunning ? "the daemon is stopped" : hasSignal ? "the receiver is off" : "there is no signal"
            note(.location, "\(place) is not seen: \(reason)")
            return false
        }
        note(.location, place)
        return handle(.fixReceived(Fix(receiver: ReceiverID(rawValue: 0), location: location)))
    }
}
