// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

/// `locctl watch` and `locctl significant`: starts a service and prints what comes until it is enough, through restarts
/// of the daemon.
struct Follower {
    private let session: Session
    private let options: FollowOptions
    private let stop = StopSignal()
    private let end: BootInstant
    private var token: ManagerToken?
    private var lastSequence: UInt64?
    private var count = 0
    private var isReduced = false
    private var deferral = DeferralRepetition()
    private var waiting: FirstFix

    private var console: Console { session.console }

    init(session: Session, _ options: FollowOptions) {
        self.session = session
        self.options = options
        lastSequence = options.resumeAfter
        let console = session.console
        end =
            options.end.map { LocationConnection.now + $0.span(from: console.now, console.calendar) }
            ?? .distantFuture
        waiting = FirstFix(console)
    }

    mutating func run() throws(LocctlError) -> ExitCode {
        let first = try session.connect()
        do throws(LocationClientError) {
            _ = try begin(first)
        } catch {
            throw LocctlError(error)
        }
        var connection: LocationConnection? = first
        var ending = FollowEnding.interrupted
        while let current = connection {
            ending = follow(current)
            guard case .disconnected(let error) = ending else {
                finish(current, ending)
                break
            }
            console.tell("\(printable(error.description)); waiting for it to come back")
            (connection, ending) = reconnect()
        }
        return try ending.exitCode(hasEnd: options.count != nil || options.end != nil)
    }

    // MARK: Beginning

    /// Says hello and starts the service, unless the daemon has kept it running; whether it has.
    private mutating func begin(_ connection: LocationConnection) throws(LocationClientError) -> Bool {
        let hello = try connection.hello(
            app: options.app, whenInUse: LocationConnection.locctlPurpose, presence: options.presence,
            manager: token)
        token = hello.manager
        isReduced = hello.accuracyAuthorization == .reduced
        if hello.rejoined { return true }
        deferral = DeferralRepetition()
        if options.properties != PropertiesPatch() { try connection.setProperties(options.properties) }
        let result =
            options.service == .standard
            ? try connection.startUpdatingLocation(resumeAfter: lastSequence)
            : try connection.startMonitoringSignificantLocationChanges()
        tell(result)
        return false
    }

    // A denial needs no words here: it comes as Core Location's error. What a terminal shows while it waits neither.
    private func tell(_ result: StateResult) {
        switch result.state {
        case .denied: break
        case .running where console.showsProgress: break
        default: console.tell(result)
        }
    }

    // MARK: Following

    private mutating func follow(_ connection: LocationConnection) -> FollowEnding {
        do throws(LocationClientError) {
            while true {
                let next = min(end, waiting.nextLook)
                switch try connection.nextNotification(by: next, orUntilReadable: stop.descriptor) {
                case .interruption:
                    console.noteInterruption()
                    return .interrupted
                case .deadline where LocationConnection.now >= end: return .timeIsUp
                case .deadline: try waiting.look(connection)
                case .notification(let received):
                    show(received)
                    if let ending = try answer(received.notification, connection) { return ending }
                }
            }
        } catch {
            return FollowEnding(error)
        }
    }

    private mutating func show(_ received: ReceivedNotification) {
        let wanted = options.count.map { $0 - count } ?? .max
        if case .didUpdateLocations(let update) = received.notification {
            let enough = update.locations.count { isEnough($0, in: update) }
            count += enough
            if update.source == .standard { lastSequence = update.locations.last?.sequence ?? lastSequence }
            if !update.isCached { waiting.end() }
        }
        if session.json {
            console.print(line: received.line[...])
        } else if !received.notification.isDenial {
            let lines = NotificationText.lines(
                received.notification, now: console.now, console.calendar, limit: wanted, console.style)
            if !lines.isEmpty { console.print(lines.joined(separator: "\n") + "\n") }
        }
    }

    /// A caller that wants one location wants the present one: the last known one counts only while it is fresh. With
    /// reduced accuracy it is where the device is, by all that is told.
    private func isEnough(_ location: Location, in update: LocationUpdate) -> Bool {
        let age = console.now.milliseconds - location.timestamp.milliseconds
        return !update.isCached || isReduced || age <= Follower.freshMilliseconds
    }

    private static let freshMilliseconds: Int64 = 10_000

    private mutating func answer(
        _ notification: Notification, _ connection: LocationConnection
    ) throws(LocationClientError) -> FollowEnding? {
        var defers = false
        switch notification {
        case .didChangeAuthorization(let change): isReduced = change.accuracyAuthorization == .reduced
        case .didUpdateLocations(let update):
            if let wanted = options.count, count >= wanted { return .enough }
            defers = deferral.isDue(after: update)
        case .didFinishDeferredUpdates(let number, let error):
            defers = deferral.isDue(afterFinishOf: number, error: error)
        case .didFailWithError(let error, _, nil) where error.code == .denied:
            return .refused(LocctlError(NotificationText.sentence(error), .refused))
        case .didFailWithError(let error, _, nil) where error.code == .locationUnknown: waiting = FirstFix(console)
        default: break
        }
        if defers, options.defers {
            let result = try connection.allowDeferredLocationUpdates(
                untilTraveled: options.deferDistance, timeout: options.deferTimeout)
            deferral.began(result.deferral)
        }
        return nil
    }

    // MARK: Ending

    /// Stops the service in order; what that sets free is printed, unless there was enough.
    private mutating func finish(_ connection: LocationConnection, _ ending: FollowEnding) {
        console.clearProgress()
        deferral.giveUp()
        connection.replyTimeout = .seconds(3)
        do throws(LocationClientError) {
            if options.service == .standard {
                try connection.stopUpdatingLocation()
            } else {
                try connection.stopMonitoringSignificantLocationChanges()
            }
            while case .notification(let received) = try connection.nextNotification(by: LocationConnection.now) {
                switch ending {
                case .timeIsUp, .interrupted: show(received)
                case .enough, .refused, .disconnected: break
                }
            }
        } catch {
            // It is over anyway; the daemon sees the connection end.
        }
    }

    // MARK: Coming back

    /// Waits for the daemon and goes on where it stopped; no connection: there was another ending before that.
    private mutating func reconnect() -> (LocationConnection?, FollowEnding) {
        let session = session
        let (again, ending) = session.comeBack(by: end, or: stop) { connection throws(LocationClientError) in
            try begin(connection)
        }
        guard let (connection, wasKept) = again else { return (nil, ending) }
        tellReturn(wasKept: wasKept)
        return (connection, ending)
    }

    private func tellReturn(wasKept: Bool) {
        guard !wasKept else { return console.tell("locationd is back and has kept this client's place") }
        let place = lastSequence.map { " after location \($0)" } ?? ""
        console.tell("locationd is back and has begun anew; going on\(place)")
    }
}

extension Notification {
    /// The error with which it ends, and which is told then.
    fileprivate var isDenial: Bool {
        if case .didFailWithError(let error, _, nil) = self { error.code == .denied } else { false }
    }
}
