// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

/// Prints what a service tells until it is enough, through restarts of the daemon, and acknowledges what it has printed.
struct EventFollower<Service: FollowedService> {
    private let session: Session
    private let options: EventOptions
    private let stop = StopSignal()
    private let end: BootInstant
    private var service: Service
    private var token: ManagerToken?
    private var count = 0
    // The events that were printed: one whose acknowledgement was lost comes again.
    private var printed: Set<UInt64> = []

    private var console: Console { session.console }

    init(_ service: Service, _ session: Session, _ options: EventOptions) {
        self.service = service
        self.session = session
        self.options = options
        let console = session.console
        end =
            options.end.map { LocationConnection.now + $0.span(from: console.now, console.calendar) }
            ?? .distantFuture
    }

    mutating func run() throws(LocctlError) -> ExitCode {
        let first = try session.connect()
        let failure: LocctlError?
        do throws(LocationClientError) {
            failure = try begin(first)
        } catch {
            throw LocctlError(error)
        }
        if let failure {
            // Else it would begin by itself while the daemon waits for this program to come back.
            finish(first)
            throw failure
        }
        var connection: LocationConnection? = first
        var ending = FollowEnding.interrupted
        while let current = connection {
            ending = follow(current)
            guard case .disconnected(let error) = ending, options.follows else {
                finish(current)
                break
            }
            console.tell("\(printable(error.description)); waiting for it to come back")
            (connection, ending) = reconnect()
        }
        return try ending.exitCode(hasEnd: options.count != nil || options.end != nil || !options.follows)
    }

    /// Says hello and starts the service, unless the daemon has kept it running; returns why that would be in vain.
    private mutating func begin(_ connection: LocationConnection) throws(LocationClientError) -> LocctlError? {
        let hello = try connection.hello(asLocctl: options.app, events: true, manager: token)
        token = hello.manager
        if hello.eventsDropped > 0 {
            console.tell("\(Quantities.counted(hello.eventsDropped, "event")) lost: too many were kept, or too long")
        }
        guard !hello.rejoined, let result = try service.start(connection) else { return nil }
        if let failure = LocctlError(refusing: result) { return failure }
        console.tell(result)
        return nil
    }

    // MARK: Following

    // Stored events come right after the start: a pause ends them.
    private static var pause: TimeSpan { .milliseconds(500) }

    private mutating func follow(_ connection: LocationConnection) -> FollowEnding {
        do throws(LocationClientError) {
            while true {
                let deadline = options.follows ? end : LocationConnection.now + Self.pause
                switch try connection.nextNotification(by: deadline, orUntilReadable: stop.descriptor) {
                case .interruption:
                    console.noteInterruption()
                    return .interrupted
                case .deadline: return .timeIsUp
                case .notification(let received):
                    if let ending = try take(received, connection) { return ending }
                }
            }
        } catch {
            return FollowEnding(error)
        }
    }

    private mutating func take(
        _ received: ReceivedNotification, _ connection: LocationConnection
    ) throws(LocationClientError) -> FollowEnding? {
        let notification = received.notification
        guard service.concerns(notification) else {
            guard notification.isAboutTheManager else { return nil }
            show(received)
            guard case .didFailWithError(let error, _, _) = notification, error.code == .denied else { return nil }
            return .refused(LocctlError(NotificationText.sentence(error), .refused))
        }
        let event = notification.event
        if event.map({ printed.insert($0).inserted }) ?? true {
            show(received)
            count += 1
        }
        if let event { try connection.acknowledge(event) }
        return options.count.map { count >= $0 } ?? false ? .enough : nil
    }

    private func show(_ received: ReceivedNotification) {
        if session.json { return console.print(line: received.line[...]) }
        // The error with which it ends is told by that.
        if case .didFailWithError(let error, _, _) = received.notification, error.code == .denied { return }
        let lines = NotificationText.lines(received.notification, now: console.now, console.calendar, console.style)
        if !lines.isEmpty { console.print(lines.joined(separator: "\n") + "\n") }
    }

    // MARK: Ending and coming back

    private func finish(_ connection: LocationConnection) {
        connection.replyTimeout = .seconds(3)
        // It is over anyway; the daemon sees the connection end.
        try? service.stop(connection)
    }

    private mutating func reconnect() -> (LocationConnection?, FollowEnding) {
        let session = session
        let (again, ending) = session.comeBack(by: end, or: stop) { connection throws(LocationClientError) in
            try begin(connection)
        }
        guard let (connection, failure) = again else { return (nil, ending) }
        if let failure {
            finish(connection)
            return (nil, .refused(failure))
        }
        console.tell("locationd is back")
        return (connection, ending)
    }
}

extension Notification {
    /// The stored event to acknowledge.
    fileprivate var event: UInt64? {
        switch self {
        case .didEnterRegion(let crossing), .didExitRegion(let crossing): crossing.event
        case .didVisit(_, let event): event
        case .monitorEvent(let event): event.event
        default: nil
        }
    }

    /// Whether it is of all services.
    fileprivate var isAboutTheManager: Bool {
        switch self {
        case .didChangeAuthorization, .didFailWithError: true
        default: false
        }
    }
}

extension LocctlError {
    /// The error of a service that will never tell anything; nil for all others.
    init?(refusing result: StateResult) {
        switch result.state {
        case .denied:
            let why = result.reason.map(printable) ?? "this app is not authorized"
            self.init("cannot start: \(why) (\(NotificationText.name(LocationError(.denied))))", .refused)
        case .unavailable:
            self.init(
                "cannot start: \(result.reason.map(printable) ?? "this device has nothing that could tell it")",
                .refused)
        case .running, .waitingForAuthorization, .ignored, .prompted, .alreadyDetermined: return nil
        }
    }
}

extension LocationConnection {
    /// The reason that locctl gives for locations, for the person who decides.
    static let locctlPurpose = "locctl prints locations at a terminal"

    /// Says hello as an app of this program, under which regions, visits and monitors are kept.
    @discardableResult
    func hello(
        asLocctl app: String, events: Bool = false, manager: ManagerToken? = nil
    ) throws(LocationClientError) -> HelloResult {
        try hello(
            app: app, whenInUse: LocationConnection.locctlPurpose,
            always: "locctl keeps the regions, monitors and visits that its command line asks for", manager: manager,
            events: events)
    }
}
