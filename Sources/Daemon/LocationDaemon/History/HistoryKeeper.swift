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
    /// Fixes of the log up to this one are not taken into a file in place of a damaged one: somebody had some of them forgotten, or switched
    /// history on. It stands in a file of its own, which a damaged history leaves.
    private var forgottenTo: UInt64 = 0
    /// A sentence about the damage that was found, and its outcome; nil: none was found.
    private(set) var damage: String?
    private var salvage: HistorySalvage?
    /// Before it nothing is saved of a damaged file: the disk has just not taken it.
    private var saveAt = BootInstant(nanoseconds: 0)
    /// Events that could not be written, and are when the disk takes them.
    private var waitingEvents: [(event: AppEvent, app: HistoryApp, label: String?)] = []
    /// Events that were lost because too many waited.
    private(set) var lostEvents: UInt64 = 0
    /// The part of the ledger that no file has.
    var ledger = LedgerBook()
    private var clock = HistoryClock()
    private var ageAt = BootInstant(nanoseconds: 0)

    /// Fixes that one batch writes: more are written in the next turn.
    private static let batch = 2048
    /// Events that may wait for a disk that takes nothing.
    private static let mostWaitingEvents = 256
    /// Between two looks for what is too old, if the daemon is awake then.
    private static let ageInterval = TimeSpan.seconds(3600)

    /// - Parameter directory: The state directory; nil: nothing can be kept.
    init(directory: String?, log: FixLog, _ settings: Configuration.History, journal: @escaping () -> Journal) {
        path = directory.map { "\($0)/history.sqlite" }
        self.log = log
        self.settings = settings
        self.journal = journal
        cursor = log.newest
        forgottenTo = path.map { HistoryKeeper.mark(of: $0, log) } ?? 0
        plan = HistoryPlan(sync: settings.sync, room: UInt64(min(HistoryKeeper.batch, log.capacity / 2)))
        if isOn { open() }
        noteLoss()
        if isOn { age(at: bootClock()) }
    }

    /// Whether history is to be kept.
    var isOn: Bool { settings.keepDays > 0 }

    /// Takes new settings. What is kept stays when no more is to be: `forgetHistory` removes it.
    func apply(_ new: Configuration.History, at now: BootInstant) {
        let wasOn = isOn
        if wasOn, new.keepDays == 0 {
            finish(at: now)
            (file, problem, salvage, damage) = (nil, nil, nil, nil)
            waitingEvents.removeAll()
        }
        settings = new
        plan.sync = new.sync
        // From now on, and not from before somebody wanted it.
        guard isOn, !wasOn else { return }
        ledger.remove()
        beginAnew()
    }

    private func beginAnew() {
        cursor = log.newest
        let newest = cursor
        noteForgetting()
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
            take(try HistoryFile(path: path, startingAfter: cursor, rebuilt: startInLog))
        } catch {
            fail(error)
        }
    }

    /// A new file in place of a damaged one takes what the log has behind this number; nil: the log has nothing.
    private var startInLog: UInt64? { log.count > 0 ? max(log.oldest - 1, forgottenTo) : nil }

    private func take(_ file: HistoryFile) {
        for note in file.notes { journal().warning(note, .storeRepaired) }
        self.file = file
        cursor = file.cursor
        damage = file.notes.last ?? damage
        saveAt = BootInstant(nanoseconds: 0)
    }

    // MARK: Writing

    /// Fixes in the log that are not written; more than there are where numbers were left out.
    var waiting: UInt64 { log.newest > cursor ? min(log.newest - cursor, UInt64(log.count)) : 0 }

    /// Fixes and events that are not written. Events wait only for a disk that has not taken them.
    private var unwritten: UInt64 { waiting + UInt64(waitingEvents.count) }
    /// The same with the ledger, which waits for a batch.
    private var toWrite: UInt64 { unwritten + (ledger.isEmpty ? 0 : 1) }

    /// The turns of this wake-up are over: writes what is due before the daemon sleeps, and tidies up a little.
    func settle(at now: BootInstant, nextWake: BootInstant?) {
        guard isOn else { return }
        if plan.isDue(waiting: toWrite, at: now, nextWake: nextWake) { write(at: now) }
        age(at: now)
        saveSome(at: now)
    }

    // Records that are too old go although no fix comes, when something else has woken the daemon.
    private func age(at now: BootInstant) {
        guard now >= ageAt, let file else { return }
        ageAt = now + HistoryKeeper.ageInterval
        do throws(StoreError) {
            let limits = limits(at: now)
            // Records that one call leaves go with the next wake-up.
            if try file.dropSome(limits) { ageAt = now }
            if let oldest = limits.oldest { try file.removeDamaged(before: oldest) }
        } catch {
            failed(error, at: now)
        }
    }

    private func saveSome(at now: BootInstant) {
        guard let file, let name = file.pendingSalvage, now >= saveAt else { return }
        do throws(StoreError) {
            _ = try saveMore(into: file)
        } catch {
            journal().warning("cannot save what is in \(name): \(error)")
            guard !error.isDamage else { return failed(error, at: now) }
            saveAt = now + HistoryKeeper.ageInterval
        }
    }

    /// Saves some of what a damaged file held into the one in its place. True: there is more to save.
    func saveMore(into file: HistoryFile) throws(StoreError) -> Bool {
        guard let salvage = try salvage(into: file) else { return false }
        guard try !salvage.goOn() else { return true }
        let lost = salvage.isPartial ? "; not all of it could be read" : ""
        let note = "saved \(salvage.fixes) fixes and \(salvage.events) events from \(salvage.name)\(lost)"
        journal().info(note, .storeRepaired)
        let isLater = salvage.isOfLaterVersion
        let cause = isLater ? "\(salvage.name) is of a later version, and stays" : "\(path ?? "") was damaged"
        if isOn { damage = "\(cause): \(note)" }
        self.salvage = nil
        return false
    }

    private func salvage(into file: HistoryFile) throws(StoreError) -> HistorySalvage? {
        guard file.pendingSalvage != nil else { return nil }
        if let salvage, salvage.target === file { return salvage }
        let salvage = try HistorySalvage(into: file)
        if file === self.file { self.salvage = salvage }
        return salvage
    }

    /// Writes all that waits.
    func finish(at now: BootInstant) {
        guard isOn else { return }
        var former = UInt64.max
        while toWrite < former, toWrite > 0 || problem != nil {
            former = toWrite
            write(at: now)
        }
    }

    private func write(at now: BootInstant) {
        noteLoss()
        if file == nil { open() }
        guard let file else { return plan.failed(at: now) }
        do throws(StoreError) {
            try file.append(nextBatch(), limits(at: now))
            try writeWaitingEvents(to: file)
            try file.append(ledger.entries(), size: settings.maximumSize)
            ledger.remove()
            cursor = max(cursor, file.cursor)
            plan.wrote(remaining: waiting)
            isKeptAgain()
        } catch {
            failed(error, at: now)
            plan.failed(at: now)
        }
    }

    private func isKeptAgain() {
        guard problem != nil else { return }
        problem = nil
        journal().info("history is kept again\(losses)", .storeRepaired)
    }

    // A damaged file is replaced at once, and who asked asks again.
    private func failed(_ error: StoreError, at now: BootInstant) {
        guard error.isDamage, file != nil, let path else { return fail(error) }
        (file, salvage) = (nil, nil)
        do throws(StoreError) {
            take(try HistoryFile(path: path, startingAfter: cursor, rebuilt: startInLog, damage: error))
        } catch {
            fail(error)
        }
    }

    /// Reads the file; one that turns out to be damaged is replaced, and the error says so.
    func reading<Result>(_ work: (HistoryFile) throws(StoreError) -> Result) throws(StoreError) -> Result {
        guard isOn else { throw StoreError("cannot tell the history: it is off (Keep=0 in [History])") }
        guard let file else { throw StoreError(problem ?? "cannot tell the history: it is not open") }
        do throws(StoreError) {
            return try work(file)
        } catch {
            if error.isDamage { failed(error, at: bootClock()) }
            throw error
        }
    }

    private var losses: String {
        let counts = [(lost, "fixes"), (lostEvents, "events")].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return counts.isEmpty ? "" : "; \(counts.joined(separator: " and ")) are lost"
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

    private func limits(at now: BootInstant) -> HistoryFile.Limits {
        let newest = log.entry(sequence: log.newest)?.location.timestamp ?? (try? file?.newestDate) ?? nil
        let today = clock.today(
            newest: newest, wall: wallClock(), isTrusted: fileExists(HistoryKeeper.synchronized) == true, at: now)
        let oldest = today.map { WallTime(milliseconds: $0.milliseconds - Int64(settings.keepDays) * 86_400_000) }
        return HistoryFile.Limits(oldest: oldest, size: settings.maximumSize)
    }

    /// systemd-timesyncd makes it when a network has told it the time.
    private static let synchronized = "/run/systemd/timesync/synchronized"

    /// Counts what the log has overwritten before it was written.
    func noteLoss() {
        guard isOn, log.count > 0 else { return }
        let counted = max(countedTo ?? log.oldest - 1, cursor)
        countedTo = counted
        guard log.oldest > counted + 1 else { return }
        lost += log.oldest - 1 - counted
        countedTo = log.oldest - 1
    }

    /// Says once that fixes of the file cannot be read.
    func noteDamage() {
        guard damage == nil, let path else { return }
        let sentence = "cannot read all fixes in \(path): some are damaged, and are told as a gap"
        damage = sentence
        journal().warning(sentence)
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
        guard isOn else { return }
        waitingEvents.append((event, app, label))
        do throws(StoreError) {
            if let file { try writeWaitingEvents(to: file) }
            if unwritten == 0 { isKeptAgain() }
        } catch {
            failed(error, at: bootClock())
        }
        guard waitingEvents.count > HistoryKeeper.mostWaitingEvents else { return }
        waitingEvents.removeFirst()
        lostEvents += 1
        if lostEvents == 1 { journal().error("events are lost for the history, which cannot be written") }
    }

    private func writeWaitingEvents(to file: HistoryFile) throws(StoreError) {
        while let (event, app, label) = waitingEvents.first {
            try file.append(event, of: app, label: label, size: settings.maximumSize)
            waitingEvents.removeFirst()
        }
    }

    /// Forgets the events of an app, of which nothing is to be left.
    func forgetEvents(of app: HistoryApp, label: String?) {
        waitingEvents.removeAll { $0.app == app && $0.label == label }
        do throws(StoreError) {
            var file = file
            if file == nil { file = try existing() }
            guard let file else { return }
            // Events that are saved later would bring them back.
            try salvage(into: file)?.saveAllEvents()
            try file.forgetEvents(of: app, label: label)
        } catch {
            fail(error)
        }
    }

    /// The file of a history that is off now; nil: there is none.
    func existing() throws(StoreError) -> HistoryFile? {
        guard let path, fileExists(path) != false else { return nil }
        return try HistoryFile(path: path, startingAfter: cursor)
    }

    /// Something in the log may be forgotten: it does not come back when the file turns out to be damaged.
    func noteForgetting() {
        forgottenTo = log.newest
        // On a full disk the mark holds until the daemon ends: what is to be forgotten goes all the same.
        if let path { try? replaceFile("\(path).forgotten", with: Array("\(forgottenTo)".utf8)) }
    }

    /// The mark that a former process left beside the history at `path`; where it cannot be read, the whole log counts as forgotten.
    private static func mark(of path: String, _ log: FixLog) -> UInt64 {
        switch SmallFile(at: "\(path).forgotten", limit: 32) {
        case .missing: 0
        case .bytes(let bytes): UInt64(String(decoding: bytes, as: UTF8.self)) ?? log.newest
        case .refused: log.newest
        }
    }

    /// Forgets everything at once, and goes on from here.
    func forgetAll() throws(StoreError) -> HistoryForgotten {
        // One that cannot be read is forgotten, too, uncounted.
        let totals = (file ?? (try? existing()))?.totals
        let forgotten = HistoryForgotten(
            locations: (totals?.fixes ?? 0) + (isOn ? waiting : 0),
            events: (totals?.events ?? 0) + UInt64(waitingEvents.count))
        (file, salvage, damage) = (nil, nil, nil)
        waitingEvents.removeAll()
        ledger.remove()
        guard let path else { return forgotten }
        try HistoryFile.remove(path)
        if isOn { beginAnew() }
        return forgotten
    }
}
