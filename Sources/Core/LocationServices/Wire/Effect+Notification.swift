// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel
import LocationProtocol

extension Effect {
    /// The notification that tells it, without its tail; nil: it is told otherwise, or not at all.
    ///
    /// - Parameters:
    ///   - buffer: The turn's effects.
    ///   - authorization: That of the effect's manager.
    ///   - asked: What the manager asked in this turn; nil: nothing.
    ///   - receiverProblem: Why no fixes come; nil: nothing is known to be wrong.
    package func notification(
        in buffer: EffectBuffer, authorization: @autoclosure () -> Authorization, asked: Request?,
        receiverProblem: @autoclosure () -> String? = nil
    ) -> (line: [UInt8], kind: NotificationKind)? {
        switch self {
        case .finishDeferral(_, let finished):
            return (
                NotificationWriter.didFinishDeferredUpdates(
                    UInt64(finished.number), error: finished.error.map { LocationError($0) }), .engineRepeats
            )
        case .fail(_, let code, let source, let request):
            return (
                NotificationWriter.didFailWithError(
                    request == 0 ? LocationError(code) : .endOfRequest(code, receiverProblem()), source: source,
                    request: request == 0 ? nil : UInt64(request)),
                request == 0 ? .engineRepeats : .kept
            )
        case .cancelRequest(_, let request, let cause):
            return (NotificationWriter.didCancelRequest(UInt64(request), by: cause), .kept)
        case .announceAuthorization(_, let initial):
            let authorization = authorization()
            return (
                NotificationWriter.didChangeAuthorization(
                    authorization.status, accuracy: authorization.accuracyOnTheWire,
                    provisional: authorization.isProvisional, initial: initial), .engineRepeats
            )
        case .temporaryFullAccuracy(_, let objection):
            guard case .requestTemporaryFullAccuracyAuthorization(let key)? = asked else { return nil }
            return (
                NotificationWriter.didRequestTemporaryFullAccuracy(key, error: objection.map(LocationError.init)), .kept
            )
        case .sessionDiagnostic(_, let session, let flags):
            return (NotificationWriter.serviceSessionDiagnostic(UInt64(session), flags), .engineRepeats)
        case .pause(_, let isPaused, let reason):
            return (
                isPaused
                    ? NotificationWriter.didPauseLocationUpdates(reason: reason.rawValue)
                    : NotificationWriter.didResumeLocationUpdates(reason: reason.rawValue), .engineRepeats
            )
        default: return beaconNotification(in: buffer) ?? placeNotification(in: buffer)
        }
    }

    /// The notifications of beacons.
    private func beaconNotification(in buffer: EffectBuffer) -> (line: [UInt8], kind: NotificationKind)? {
        switch self {
        case .rangedBeacons(_, let index):
            let (constraint, beacons) = buffer.ranged[index]
            return (NotificationWriter.didRangeBeacons(beacons, constraint), .element(.ranging(constraint)))
        case .rangingFailed(_, let index, let obstacle):
            let error = LocationError(obstacle, buffer.deafness)
            return (NotificationWriter.rangingDidFail(buffer.ranged[index].constraint, error), .engineRepeats)
        case .beaconsWanted: return (NotificationWriter.beaconsWanted(buffer.wantedBeacons), .engineRepeats)
        default: return nil
        }
    }

    /// Returns the notification about a heading or a region; nil: the effect is about neither.
    private func placeNotification(in buffer: EffectBuffer) -> (line: [UInt8], kind: NotificationKind)? {
        switch self {
        case .heading:
            buffer.heading.map { (NotificationWriter.didUpdateHeading($0), .element(.heading)) }
        case .regionState(_, let index, let state):
            (NotificationWriter.didDetermineState(buffer.regions[index], state), .place(survives: false))
        case .regionStarted(_, let index):
            (NotificationWriter.didStartMonitoring(buffer.regions[index]), .kept)
        case .regionFailed(_, let index, let objection):
            (NotificationWriter.monitoringDidFail(buffer.regions[index], LocationError(objection)), .kept)
        default: nil
        }
    }
}

extension LiveElement {
    /// `didUpdate`; `location`: that of its number, reduced if it says so.
    package func notification(_ location: Location?) -> (line: [UInt8], kind: NotificationKind) {
        let isPlain = !isStationary && flags.isSubset(of: .accuracyLimited)
        return (
            NotificationWriter.didUpdate(UInt64(updates), location, stationary: isStationary, flags: flags),
            isPlain ? .element(.liveUpdates(updates)) : .place(survives: false)
        )
    }
}
