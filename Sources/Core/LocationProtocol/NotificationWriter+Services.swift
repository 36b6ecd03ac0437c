// SPDX-License-Identifier: Apache-2.0

package import LocationModel

// Lines for one manager: pauses, headings, live updates, sessions.
extension NotificationWriter {
    /// `didPauseLocationUpdates`: standard updates rest; `reason` for a person.
    package static func didPauseLocationUpdates(reason: String) -> [UInt8] {
        line("didPauseLocationUpdates") { $0.member("reason", reason) }
    }

    /// `didResumeLocationUpdates`: standard updates go on; `reason` for a person.
    package static func didResumeLocationUpdates(reason: String) -> [UInt8] {
        line("didResumeLocationUpdates") { $0.member("reason", reason) }
    }

    /// `didUpdateHeading`.
    package static func didUpdateHeading(_ heading: Heading) -> [UInt8] {
        line("didUpdateHeading") { writer in
            writer.name("heading")
            heading.append(to: &writer)
        }
    }

    /// A `didUpdate` up to the number of the stream: what all streams share. `appendTail(updates:_:to:)` adds the rest.
    ///
    /// - Parameters:
    ///   - location: nil: nobody can or may tell it; the flags say why.
    ///   - stationary: The device rests; the stream is silent until it moves.
    ///   - flags: Those that CL 4.8 has for CLLocationUpdate.
    package static func didUpdate(_ location: Location?, stationary: Bool, flags: DiagnosticFlags) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(LocationCoding.maximumLength + 128)
        appendDidUpdate(location, stationary: stationary, flags: flags, to: &bytes)
        return bytes
    }

    /// The same behind `bytes`, which are empty or end with a line's end: for a buffer that is kept from fix to fix.
    package static func appendDidUpdate(
        _ location: Location?, stationary: Bool, flags: DiagnosticFlags, to bytes: inout [UInt8]
    ) {
        var writer = JSONWriter(appendingTo: [])
        swap(&writer.bytes, &bytes)
        begin("didUpdate", &writer)
        writer.name("location")
        if let location { LocationCoding.append(location, to: &writer) } else { writer.null() }
        writer.name("stationary")
        writer.bool(stationary)
        flags.append(to: &writer)
        writer.name("updates")
        swap(&writer.bytes, &bytes)
    }

    /// A whole prefix of `didUpdate` for the stream `updates`, to be ended with `appendTail(_:to:)` like all others.
    package static func didUpdate(
        _ updates: UInt64, _ location: Location?, stationary: Bool, flags: DiagnosticFlags
    ) -> [UInt8] {
        var writer = JSONWriter(appendingTo: didUpdate(location, stationary: stationary, flags: flags))
        writer.integer(updates)
        writer.name("seq")
        return writer.bytes
    }

    /// Ends a shared `didUpdate` prefix: `updates` is the client's number of its stream, `sequence` the line's on the connection.
    package static func appendTail(updates: UInt64, _ sequence: UInt64, to bytes: inout [UInt8]) {
        var writer = JSONWriter(appendingTo: [])
        swap(&writer.bytes, &bytes)
        writer.integer(updates)
        writer.name("seq")
        swap(&writer.bytes, &bytes)
        appendTail(sequence, to: &bytes)
    }

    /// `rangingDidFail`.
    package static func rangingDidFail(_ constraint: BeaconIdentity, _ error: LocationError) -> [UInt8] {
        line("rangingDidFail") { writer in
            writer.name("constraint")
            writer.beginObject()
            constraint.appendMembers(to: &writer)
            writer.endObject()
            writer.name("error")
            error.append(to: &writer)
        }
    }

    /// `serviceSessionDiagnostic`; `flags`: those that CL 4.8 has for CLServiceSession.Diagnostic.
    package static func serviceSessionDiagnostic(_ session: UInt64, _ flags: DiagnosticFlags) -> [UInt8] {
        line("serviceSessionDiagnostic") { writer in
            writer.member("session", session)
            flags.append(to: &writer)
        }
    }

    /// `didRequestTemporaryFullAccuracy`; `error` nil: somebody is asked, which does not mean granted.
    package static func didRequestTemporaryFullAccuracy(_ purposeKey: String, error: LocationError?) -> [UInt8] {
        line("didRequestTemporaryFullAccuracy") { writer in
            writer.member("purposeKey", purposeKey)
            writer.name("error")
            if let error { error.append(to: &writer) } else { writer.null() }
        }
    }
}

// Lines for agents.
extension NotificationWriter {
    /// `authorizationRequested`: somebody has to decide.
    package static func authorizationRequested(_ request: AuthorizationRequest) -> [UInt8] {
        line("authorizationRequested") { writer in
            writer.member("request", request.request)
            writer.member("identity", request.identity)
            if let label = request.label { writer.member("label", label) }
            writer.member("uid", UInt64(request.uid))
            if let user = request.user { writer.member("user", user) }
            writer.member("level", request.level.word)
            if let key = request.purposeKey { writer.member("purposeKey", key) }
            writer.member("usageDescription", request.usageDescription)
            writer.name("since")
            writer.time(request.since)
        }
    }

    /// `authorizationRequestClosed`: nobody has to decide any more.
    package static func authorizationRequestClosed(_ request: UInt64, _ outcome: AuthorizationOutcome) -> [UInt8] {
        line("authorizationRequestClosed") { writer in
            writer.member("request", request)
            writer.member("outcome", outcome.word)
        }
    }
}

extension JSONWriter {
    /// A member with a text.
    mutating func member(_ name: StaticString, _ text: String) {
        self.name(name)
        string(text)
    }

    /// A member with a number.
    mutating func member(_ name: StaticString, _ number: UInt64) {
        self.name(name)
        integer(number)
    }
}
