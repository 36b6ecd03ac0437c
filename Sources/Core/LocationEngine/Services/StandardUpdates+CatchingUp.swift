// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Where delivery begins, and how it catches up with the log: after a start with `resumeAfter`, a deferral, or the client's absence (Protocol 4.6,
// 8.1). Nothing is queued: the fixes between a cursor and the newest are read back, or delivered as a range.
extension StandardUpdates {
    /// A client that does not resume starts from now.
    mutating func positionAtNewest(_ manager: ManagerID, _ turn: inout Turn) {
        records[manager].start = turn.intake.newestAccepted
        records[manager].hasGap = false
        records[manager].reference = nil
        turn.append(.positionStandard(manager, at: turn.intake.newestAccepted))
    }

    mutating func resume(
        _ manager: ManagerID, after point: ResumePoint, _ directory: Directory, _ turn: inout Turn
    ) {
        guard let position = running.position(of: manager) else { return }
        // A number that was never given cannot be behind anything: such a client starts from now.
        let start = min(point.sequence, turn.intake.newestSequence)
        let isComplete =
            point.location != nil
            && windows[directory.app(of: manager)].covers(after: start, through: turn.intake.newestAccepted)
        records[manager].start = start
        records[manager].hasGap = !isComplete
        records[manager].reference = point.location?.coordinate
        records[manager].referenceAccuracy = point.location?.horizontalAccuracy ?? 0
        running[position].cursor = start
        running[position].held = 0
        running[position].hasGap = !isComplete
        running[position].countsFromCursor = false
        running[position].setReference(to: point.location)
        turn.append(.positionStandard(manager, at: start))
    }

    /// Goes on behind the cursor: holds what a deferral holds, delivers the rest. Appends the last effect for the manager.
    mutating func catchUp(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard let position = running.position(of: manager) else { return }
        let holds = deferrals.running.contains(manager) && directory[manager].presence == .background
        running[position].mode = holds ? .held : .live
        running[position].held = holds ? turn.intake.fixes(after: running[position].cursor) : 0
        if holds {
            deliverEarlyIfFull(position, directory, &turn)
        } else if running[position].cursor < turn.intake.newestAccepted {
            let cursor = running[position].cursor
            turn.append(.readLog(manager, after: running[position].countsFromCursor ? cursor - 1 : cursor))
        }
    }

    /// One fix of the log, for a manager that catches up.
    mutating func readLog(
        _ manager: ManagerID, _ location: Location, _ flags: LogFlags, _ directory: Directory, _ turn: inout Turn
    ) {
        guard let position = running.position(of: manager), running[position].mode == .live else { return }
        if running[position].countsFromCursor, location.sequence == running[position].cursor {
            running[position].setReference(to: location)
        }
        running[position].countsFromCursor = false
        guard location.sequence > running[position].cursor,
            windows[directory.app(of: manager)].contains(location.sequence)
        else { return }
        let frame = LocalFrame(latitude: location.coordinate.latitude)
        let view = running[position].isReduced ? location.reducedView.coordinate : location.coordinate
        guard running[position].examine(location, view, flags: flags, frame: frame) else { return }
        turn.append(running[position].delivery(of: location.sequence))
    }

    /// Delivers what a deferral held: one range, unless its client resumed over times in which its app's service did not run.
    func deliverBatch(
        _ manager: ManagerID, after: UInt64, through: UInt64, deferral: UInt32, flags: DeliveryFlags,
        _ directory: Directory, _ turn: inout Turn
    ) {
        var flags = flags
        windows[directory.app(of: manager)].forEachPart(after: after, through: through) { part in
            // A part of which the log holds nothing any more is none.
            guard turn.isInLog(part.upperBound) else { return }
            turn.append(
                .deliver(
                    manager,
                    Delivery(
                        first: part.lowerBound, last: part.upperBound, source: .standard, deferral: deferral,
                        flags: flags)))
            flags.remove(.gap)
        }
    }
}
