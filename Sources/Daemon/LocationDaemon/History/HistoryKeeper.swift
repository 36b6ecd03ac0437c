// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocationServices
import LocationStore
import SystemSupport

/// The history: what of the log outlives the log. The log is its queue, and it is one more cursor that lags.
///
/// `HistoryPlan` decides when to write, `HistoryFile` writes and reads. What cannot be kept is said, and the service goes on.
final class HistoryKeeper {
    let log: FixLog
    private(set) var settings: Configuration.History
    private(set) var file: HistoryFile?
    /// Why nothing is kept now; nil: it is, or nothing is to be kept.
    private(set) var problem: String?
    /// Fixes that the log has overwritten before they could be written.
    private(set) var lost: UInt64 = 0
    /// The last fix that is settled.
    private(set) var cursor: UInt64
    private let path: String?
    private let journal: () -> Journal
    private var plan: HistoryPlan
    /// Behind it nothing is lost yet that counts: what was lost before this process began, a power cut took.
    private var countedTo: UInt64?
    private var hasToldDamage = false

    /// Fixes that one batch writes: more are written in the next turn.
    private static let batch = 2048

    /// - Parameter directory: The state directory; nil: nothing can be kept.
    init(directory: String?, log: FixLog, _ settings: Configuration.History, journal: @escaping () -> Journal) {
        path = directory.map { "\($0)/history.sqlite" }
        self.log = log
        self.settings = settings
        self.journal = journal
        cursor = log.newest
        plan = HistoryPlan(sync: settings.sync, room: UInt64(min(HistoryKeeper.batch, log.capacity / 2)))
        if isOn { open() }
        noteLoss()
    }

    /// Whether history is to be kept.
    var isOn: Bool { settings.keepDays > 0 }

    /// Takes new settings. What is kept stays when no more is to be: `forgetHistory` removes it.
    func apply(_ new: Configuration.History, at now: BootInstant) {
        let wasOn = isOn
        if wasOn, new.keepDays == 0 {
            finish(at: now)
            (file, problem) = (nil, nil)
        }
        settings = new
        plan.sync = new.sync
        // From now on, and not from before somebody wanted it.
        if isOn, !wasOn { beginAnew() }
    }

    private func beginAnew() {
        cursor = log.newest
        let newest = cursor
        open()
        guard let file, file.cursor < newest else { return }
        do throws(StoreError) {
            try file.skip(to: newest)
            cursor = newest
        } catch {
            fail(error)
        }
    }

    private func open() {
        do throws(StoreError) {
            guard let path else { throw StoreError("cannot keep history: there is no state directory") }
            let file = try HistoryFile(path: path, startingAfter: cursor)
            for note in file.notes { journal().warning(note, .storeRepaired) }
            self.file = file
            cursor = file.cursor
        } catch {
            fail(error)
        }
    }

    // MARK: Writing

    /// Fixes in the log that are not written; more than there are where numbers were left out.
    var waiting: UInt64 { log.newest > cursor ? min(log.newest - cursor, UInt64(log.count)) : 0 }

    /// The turns of this wake-up are over: writes what is due before the daemon sleeps.
    func settle(at now: BootInstant, nextWake: BootInstant?) {
        guard isOn, plan.isDue(waiting: waiting, at: now, nextWake: nextWake) else { return }
        write(at: now)
    }

    /// Writes all that waits.
    func finish(at now: BootInstant) {
        guard isOn else { return }
        var former = waiting + 1
        while waiting > 0, waiting < former {
            former = waiting
            write(at: now)
        }
    }

    private func write(at now: BootInstant) {
        noteLoss()
        if file == nil { open() }
        guard let file else { return plan.failed(at: now) }
        do throws(StoreError) {
            try file.append(nextBatch(), limits)
            cursor = max(cursor, file.cursor)
            plan.wrote(remaining: waiting)
            guard problem != nil else { return }
            problem = nil
            journal().info("history is kept again\(lost > 0 ? "; \(lost) fixes are lost" : "")", .storeRepaired)
        } catch {
            if error.isDamage { setAside(because: error) }
            fail(error)
            plan.failed(at: now)
        }
    }

    private func nextBatch() -> [LogEntry] {
        var batch: [LogEntry] = []
        var sequence = cursor
        while batch.count < HistoryKeeper.batch, let entry = log.next(after: sequence) {
            batch.append(entry)
            sequence = entry.location.sequence
        }
        return batch
    }

    private var limits: HistoryFile.Limits {
        // A receiver whose weeks have rolled over dates its fixes decades ago: they are not older than its newest.
        let newest = log.entry(sequence: log.newest)?.location.timestamp ?? wallClock()
        let today = min(wallClock(), newest)
        let oldest = today.milliseconds - Int64(settings.keepDays) * 86_400_000
        return HistoryFile.Limits(oldest: WallTime(milliseconds: oldest), size: settings.maximumSize)
    }

    /// Counts what the log has overwritten before it was written.
    func noteLoss() {
        guard isOn, log.count > 0 else { return }
        let counted = max(countedTo ?? log.oldest - 1, cursor)
        countedTo = counted
        guard log.oldest > counted + 1 else { return }
        lost += log.oldest - 1 - counted
        countedTo = log.oldest - 1
    }

    /// A damaged file stays beside the new one, for whoever wants to save what is in it.
    private func setAside(because error: StoreError) {
        file = nil
        guard let path else { return }
        do throws(StoreError) {
            journal().warning(try HistoryFile.setAside(path, because: error), .storeRepaired)
        } catch {
            fail(error)
        }
    }

    /// Says once that fixes of the file cannot be read.
    func noteDamage() {
        guard !hasToldDamage, let path else { return }
        hasToldDamage = true
        journal().warning("cannot read all fixes in \(path): some are damaged, and are told as a gap")
    }

    private func fail(_ error: StoreError) {
        let sentence = "\(error); what is accepted meanwhile is not in the history yet"
        guard problem != sentence else { return }
        problem = sentence
        journal().error(sentence, .storeFailed(reason: sentence))
    }

    // MARK: Events and forgetting

    /// Keeps an event that an app was told.
    func note(_ event: AppEvent, of app: HistoryApp, label: String?) {
        guard isOn, let file else { return }
        do throws(StoreError) {
            try file.append(event, of: app, label: label)
        } catch {
            fail(error)
        }
    }

    /// Forgets the events of an app, of which nothing is to be left.
    func forgetEvents(of app: HistoryApp, label: String?) {
        do throws(StoreError) {
            var file = file
            if file == nil { file = try existing() }
            try file?.forgetEvents(of: app, label: label)
        } catch {
            fail(error)
        }
    }

    /// The file of a history that is off now; nil: there is none.
    func existing() throws(StoreError) -> HistoryFile? {
        guard let path, fileExists(path) != false else { return nil }
        return try HistoryFile(path: path, startingAfter: cursor)
    }

    /// Forgets everything at once, and goes on from here.
    func forgetAll() throws(StoreError) -> HistoryForgotten {
        // One that cannot be read is forgotten, too, uncounted.
        let totals = (file ?? (try? existing()))?.totals
        let forgotten = HistoryForgotten(
            locations: (totals?.fixes ?? 0) + (isOn ? waiting : 0), events: totals?.events ?? 0)
        file = nil
        guard let path else { return forgotten }
        try HistoryFile.remove(path)
        if isOn { beginAnew() }
        return forgotten
    }
}
