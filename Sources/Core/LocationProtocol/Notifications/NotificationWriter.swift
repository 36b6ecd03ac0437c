// SPDX-License-Identifier: Apache-2.0

package import LocationModel

/// Writes notifications as lines without their tail.
///
/// Every line is a prefix, which all clients share, and the tail `SEQ}}` LF, which is one client's own; `appendTail`
/// writes that.
package enum NotificationWriter {
    /// No notification line is longer, with its tail.
    package static let maximumLineLength = 61_440
    /// The longest tail: a number under 2^53, two braces and LF.
    package static let maximumTailLength = 19

    /// Ends a line whose prefix was written: `sequence` counts the connection's notification lines from 1.
    package static func appendTail(_ sequence: UInt64, to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: roomForTail, alignment: 1) {
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<writeTail(sequence, to: $0)]))
        }
    }

    /// The room that `writeTail` needs for any number.
    package static let roomForTail = 23

    /// Writes a tail behind a prefix. Returns its length.
    package static func writeTail(_ sequence: UInt64, to bytes: UnsafeMutableRawBufferPointer) -> Int {
        var (length, rest) = (4, sequence / 10)
        while rest > 0 { (length, rest) = (length + 1, rest / 10) }
        bytes[length - 3] = UInt8(ascii: "}")
        bytes[length - 2] = UInt8(ascii: "}")
        bytes[length - 1] = UInt8(ascii: "\n")
        rest = sequence
        for place in stride(from: length - 4, through: 0, by: -1) {
            bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return length
    }

    static func begin(_ method: StaticString, _ writer: inout JSONWriter) {
        writer.raw(#"{"jsonrpc":"2.0","method":""#)
        method.withUTF8Buffer { writer.bytes.append(contentsOf: $0) }
        writer.fragment("\",\"params\":{")
    }
}

// Lines for one manager.
extension NotificationWriter {
    /// `didFailWithError`; `source` and `request` where they apply.
    package static func didFailWithError(
        _ error: LocationError, source: LocationSource? = nil, request: UInt64? = nil
    ) -> [UInt8] { Notification.didFailWithErrorForm.line(error, source, request) }

    /// `didCancelRequest`: the one-shot request has no answer because of the method `by`.
    package static func didCancelRequest(_ request: UInt64, by cancellation: RequestCancellation) -> [UInt8] {
        Notification.didCancelRequestForm.line(request, cancellation)
    }

    /// `didFinishDeferredUpdates`; `error` nil: a criterion was met.
    package static func didFinishDeferredUpdates(_ deferral: UInt64, error: LocationError?) -> [UInt8] {
        Notification.didFinishDeferredUpdatesForm.line(deferral, error)
    }

    /// `didChangeAuthorization`; `accuracy` nil: not determined. `initial`: the first one, which tells no change.
    package static func didChangeAuthorization(
        _ status: AuthorizationStatus, accuracy: AccuracyAuthorization?, provisional: Bool, initial: Bool
    ) -> [UInt8] { Notification.didChangeAuthorizationForm.line(status, accuracy, provisional, initial) }

    /// `didPauseLocationUpdates`: standard updates rest; `reason` for a person.
    package static func didPauseLocationUpdates(reason: String) -> [UInt8] {
        Notification.didPauseLocationUpdatesForm.line(reason)
    }

    /// `didResumeLocationUpdates`: standard updates go on; `reason` for a person.
    package static func didResumeLocationUpdates(reason: String) -> [UInt8] {
        Notification.didResumeLocationUpdatesForm.line(reason)
    }

    /// `didUpdateHeading`.
    package static func didUpdateHeading(_ heading: Heading) -> [UInt8] {
        Notification.didUpdateHeadingForm.line(heading)
    }

    /// `serviceSessionDiagnostic`; `flags` are some of those that `CLServiceSession.Diagnostic` has.
    package static func serviceSessionDiagnostic(_ session: UInt64, _ flags: DiagnosticFlags) -> [UInt8] {
        Notification.serviceSessionDiagnosticForm.line(session, flags)
    }

    /// `didRequestTemporaryFullAccuracy`; `error` nil: somebody is asked, which does not mean granted.
    package static func didRequestTemporaryFullAccuracy(_ purposeKey: String, error: LocationError?) -> [UInt8] {
        Notification.didRequestTemporaryFullAccuracyForm.line(purposeKey, error)
    }

    /// A `didUpdate` up to the number of the stream: what all streams share. `appendTail(updates:_:to:)` adds the rest.
    ///
    /// - Parameters:
    ///   - location: nil if there is none; the flags say why.
    ///   - stationary: The device does not move; the stream is silent until it does.
    ///   - flags: Some of those that `CLLocationUpdate` has.
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
}

// Lines for a whole app.
extension NotificationWriter {
    /// `didDetermineState`.
    package static func didDetermineState(_ region: Region, _ state: RegionState) -> [UInt8] {
        Notification.didDetermineStateForm.line(region, state)
    }

    /// `didStartMonitoring`.
    package static func didStartMonitoring(_ region: Region) -> [UInt8] {
        Notification.didStartMonitoringForm.line(region)
    }

    /// `monitoringDidFail`.
    package static func monitoringDidFail(_ region: Region, _ error: LocationError) -> [UInt8] {
        Notification.monitoringDidFailForm.line(region, error)
    }

    /// The notification of an event, with its number where somebody is to acknowledge it: what is stored, and a monitor's, whose condition
    /// is silent until then.
    ///
    /// - Parameter monitor: The number of the event's monitor on this connection; only a monitor's event needs it. Such an
    ///   event has no line without, nil: it waits until the app opens the monitor.
    package static func line(of event: AppEvent, monitor: UInt64? = nil, isToAcknowledge: Bool = true) -> [UInt8]? {
        if case .monitor = event.content, monitor == nil { return nil }
        return line(
            of: event.content, on: event.date, event: isToAcknowledge ? event.number : nil, monitor: monitor)
    }

    private static func line(
        of content: AppEvent.Content, on date: WallTime?, event: UInt64?, monitor: UInt64?
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(320)
        begin(content.method, &writer)
        content.appendParams(on: date, event: event, monitor: monitor, to: &writer)
        writer.name("seq")
        return writer.bytes
    }
}

// Lines for agents.
extension NotificationWriter {
    /// `authorizationRequested`: somebody has to decide.
    package static func authorizationRequested(_ request: AuthorizationRequest) -> [UInt8] {
        Notification.authorizationRequestedForm.line(
            request.request, request.identity, request.label, request.uid, request.user, request.level,
            request.purposeKey, request.usageDescription, request.since)
    }

    /// `authorizationRequestClosed`: nobody has to decide any more.
    package static func authorizationRequestClosed(_ request: UInt64, _ outcome: AuthorizationOutcome) -> [UInt8] {
        Notification.authorizationRequestClosedForm.line(request, outcome)
    }
}
