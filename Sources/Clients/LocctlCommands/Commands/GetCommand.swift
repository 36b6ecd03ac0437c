// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

extension Session {
    /// `locctl get`.
    func get(_ options: GetOptions) throws(LocctlError) -> ExitCode {
        let connection = try connect()
        guard !options.cached else { return try printLastKnown(connection) }
        let stop = StopSignal()
        let start = try asking { () throws(LocationClientError) in
            // The person who is asked for consent reads this reason.
            _ = try connection.hello(whenInUse: LocationConnection.locctlPurpose)
            if let accuracy = options.accuracy {
                try connection.setProperties(PropertiesPatch(desiredAccuracy: accuracy))
            }
            return try connection.requestLocation(timeout: options.timeout)
        }
        let reason = printable(start.reason ?? start.state.rawValue)
        switch start.state {
        case .running: break
        case .waitingForAuthorization:
            // Where nobody is asked nobody answers, however long the request waits.
            guard start.asked == true else { throw LocctlError("cannot get a location: \(reason)", .refused) }
            console.tell(reason)
        case .denied:
            let name = NotificationText.name(LocationError(.denied))
            throw LocctlError("cannot get a location: \(reason) (\(name))", .refused)
        default: throw LocctlError("cannot get a location: \(reason)", .refused)
        }
        // The daemon keeps the time; ours is only for a daemon that does not.
        let patience = TimeSpan.seconds((options.timeout ?? Request.maximumTimeout) + 5)
        var waiting = FirstFix(console)
        return try wait(for: start.request, connection, by: LocationConnection.now + patience, stop, &waiting)
    }

    private func wait(
        for request: UInt64?, _ connection: LocationConnection, by deadline: BootInstant, _ stop: StopSignal,
        _ waiting: inout FirstFix
    ) throws(LocctlError) -> ExitCode {
        while true {
            let next = min(deadline, waiting.nextLook)
            let arrival = try asking { () throws(LocationClientError) in
                try connection.nextNotification(by: next, orUntilReadable: stop.descriptor)
            }
            switch arrival {
            case .interruption:
                console.noteInterruption()
                return .interrupted
            case .deadline where LocationConnection.now >= deadline:
                throw LocctlError("cannot get a location: the daemon did not say how the request ended", .refused)
            case .deadline: try asking { () throws(LocationClientError) in try waiting.look(connection) }
            case .notification(let received):
                if let code = try handle(received, request, connection) { return code }
            }
        }
    }

    private func handle(
        _ received: ReceivedNotification, _ request: UInt64?, _ connection: LocationConnection
    ) throws(LocctlError) -> ExitCode? {
        switch received.notification {
        case .didUpdateLocations(let update) where update.request == request:
            guard let location = update.locations.last else { return nil }
            if json {
                guard
                    let text = JSONSlice.value(at: ["params", "locations", "0"], in: received.line[...])
                else { return nil }
                console.print(line: text)
            } else {
                console.print(LocationText.block(location, now: console.now, console.calendar))
            }
            return .done
        case .didFailWithError(let error, _, let failed) where failed == request:
            throw failure(error, connection)
        case .didCancelRequest(request, let cause):
            let reason = cause.map { " by \($0.rawValue)" } ?? ""
            throw LocctlError("cannot get a location: the request was ended\(reason)", .refused)
        default: return nil
        }
    }

    // "Unknown" alone helps nobody: the status knows what is missing.
    private func failure(_ error: LocationError, _ connection: LocationConnection) -> LocctlError {
        guard error.code == .locationUnknown, let status = try? connection.status(),
            let obstacle = obstacle(status)
        else { return LocctlError(NotificationText.sentence(error), .refused) }
        return LocctlError(
            "cannot get a location in time: \(obstacle.reason) (\(NotificationText.name(error)))", .refused)
    }

    private func obstacle(_ status: Status) -> Explanation? {
        guard status.fixes == nil else { return Explanation.source(status, now: console.now, console.calendar) }
        let own = Explanation.ownApp(status)
        return own.cause == .reducedAccuracy ? nil : own
    }

    private func printLastKnown(_ connection: LocationConnection) throws(LocctlError) -> ExitCode {
        let reply = try asking { () throws(LocationClientError) in try connection.send(.location) }
        let result = try asking { () throws(LocationClientError) in try reply.result(LocationResult.self) }
        guard let location = result.location else {
            throw LocctlError("cannot tell a last known location: there is none", .refused)
        }
        if json, let text = JSONSlice.value(at: ["result"], in: reply.line[...]) {
            console.print(line: text)
        } else {
            console.print(LocationText.block(location, now: console.now, console.calendar))
        }
        return .done
    }
}
