// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import LocationProtocol

// Work that time demands: on connections that are overdue, for the disk, at the end of a program that has nothing to do.
extension UplinkMachine {
    /// Brings everything in line with what is known now.
    mutating func regulate(_ moment: Moment) {
        if let trouble = link.overdue(options.carrier, isInFlight: !inFlight.isEmpty, at: moment.now) {
            effects.append(.disconnectBroker)
            lose(trouble, at: moment.now)
        }
        switch link.regulate(isWanted: isWanted, at: moment.now) {
        case true?: effects.append(.connectBroker(attempt: link.attempts))
        case false?:
            effects.append(.disconnectBroker)
            inFlight.removeAll()
            doubt.end(isHopeless: false)
            queue.rewind()
        case nil: break
        }
        readOn(at: moment.now)
        // The disk has what nobody else keeps before the broker does.
        if saving.isUrgent { save(at: moment.now) }
        pump(moment)
        // Messages that were sent may have made room.
        readOn(at: moment.now)
        if let due = saving.due, due <= moment.now { save(at: moment.now) }
        endIfIdle(at: moment.now)
    }

    /// Writes down how far the broker has acknowledged, if the disk does not know.
    mutating func save(at now: BootInstant) {
        guard saving.isDirty else { return }
        state.settled = queue.settled
        let messages = keptMessages
        state.messages = messages.isEmpty ? nil : messages
        effects.append(.save(state, keepsFormer: !saving.forgetsFormer))
        saving.begin(at: now)
    }

    private mutating func endIfIdle(at now: BootInstant) {
        guard options.exitWhenIdle > .zero else { return }
        let isIdle =
            inFlight.isEmpty && events.isEmpty && queue.count == 0 && queue.unfetched == 0 && controls.isEmpty
            && !state.owesClearing
        guard isIdle, isDaemonHere else {
            idleSince = nil
            return
        }
        let since = idleSince ?? now
        idleSince = since
        guard now - since >= options.exitWhenIdle else { return }
        save(at: now)
        effects += [.disconnectBroker, .exit]
    }

    /// When `wake` has to come at the latest; nil: nothing is waited for.
    package var nextWake: WakeWindow? {
        let deadlines = [
            link.deadline(isInFlight: !inFlight.isEmpty), reader.heldSince.map { $0 + LogReader.patience },
            canRead && reader.phase == .closed && !queue.isContiguous && queue.isLow ? reader.notBefore : nil,
            canRead && reader.phase == .closed && queue.hasHole && queue.isLow ? reader.historyDue : nil,
            newestDue,
            idleSince.map { $0 + options.exitWhenIdle },
        ].compactMap { $0 }
        var window = deadlines.min().map { WakeWindow(earliest: $0, latest: $0 + .milliseconds(250)) }
        if let due = saving.due {
            // The disk may wait for somebody else to wake the program.
            let save = WakeWindow(earliest: due, latest: due + .seconds(2))
            window = window.map { $0.merged(with: save) } ?? save
        }
        return window
    }
}
