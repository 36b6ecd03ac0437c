// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices
import LocationStore

/// Where the daemon keeps what must outlive it.
///
/// The runtime directory (memory-backed) holds the log and the managers and survives `kill -9`; the state directory holds what
/// survives a power cut: the bound below which sequences may have been given, the last location, and after an orderly stop a copy of
/// the others. What cannot be kept is said, and the service goes on without it.
final class StateKeeper: StateKeeping {
    let fixes: FixLog
    let slots: SlotFile
    private var database: Database?
    private let stateDirectory: String?
    /// Where the files are that start apps; nil: nowhere.
    let runtimeDirectory: String?
    /// The keeper of everything that apps own.
    let records: RecordKeeper
    /// The view that all are told who may know only roughly where the device is.
    private var reducedView: ReducedViewFile
    /// No authorization request may get this number or a smaller one.
    private(set) var newestAuthorizationRequest: UInt64 = 0
    private var reserved: UInt64
    private var hasWarnedOfSlots = false
    /// How often a manager was written into its slot since the start.
    private(set) var managerSaves = 0
    /// No fix may get this number or a smaller one. With the log of the former process there nothing was given that it does not
    /// hold; without it the rest of the reserved block is skipped.
    let newestSequence: UInt64
    /// Sentences about what is wrong with the directories, for `status`.
    private(set) var problems: [String] = []
    /// That among them which ends when there is room again.
    private var reservationProblem: String?
    /// No number is reserved before this fix: the disk was asked only just now.
    private var nextReservation: UInt64 = 0
    private static let fixesBeforeRetry: UInt64 = 16

    /// Sequences are reserved so many at a time: one durable write in four hours at 1 Hz.
    private static let reservationBlock: UInt64 = 16_384

    /// Opens what the directories hold. nil: no such directory.
    init(
        runtimeDirectory: String?, stateDirectory: String?, _ configuration: Configuration, _ journal: Journal,
        progress: (() -> Void)? = nil
    ) throws(StoreError) {
        self.stateDirectory = stateDirectory
        self.runtimeDirectory = runtimeDirectory
        reducedView = ReducedViewFile(runtimeDirectory: runtimeDirectory, stateDirectory: stateDirectory)
        var problems: [String] = []
        database = StateKeeper.openDatabase(stateDirectory, &problems, journal, progress)
        if database == nil, let stateDirectory {
            let found = UnwritableState(in: stateDirectory, copiedTo: runtimeDirectory, journal)
            records = RecordKeeper(
                found.database, problem: found.unused ?? problems.first, isReadOnly: true,
                unreadable: found.unreadable, journal: { journal })
            // One sentence says it.
            if found.unreadable != nil { problems.removeAll() }
        } else {
            records = RecordKeeper(
                stateDirectory == nil ? try Database.inMemory() : database, problem: nil, journal: { journal })
        }
        newestAuthorizationRequest = StateKeeper.authorizationRequests(of: records.database, &problems)
        let isContinued = StateKeeper.holdsLog(runtimeDirectory)
        fixes = try StateKeeper.openLog(runtimeDirectory, stateDirectory, configuration, &problems, journal)
        slots = try StateKeeper.openSlots(runtimeDirectory, stateDirectory, configuration, &problems, journal)
        reserved = StateKeeper.reservation(of: database, &problems)
        newestSequence = StateKeeper.start(
            isContinued: isContinued && slots.isSameBoot, log: fixes.newest, reserved: reserved,
            isStateLost: stateDirectory != nil && database?.wasReplaced ?? true)
        forgetOtherBoot()
        if newestSequence > reserved {
            // A floor that nothing durable knows of must hold for the next start, too.
            do throws(StoreError) {
                try database?.reserveSequences(upTo: newestSequence)
            } catch {
                problems.append(error.description)
            }
        }
        self.problems = problems
        for problem in problems { journal.error(problem, .storeFailed(reason: problem)) }
        StateKeeper.removeCopies(stateDirectory)
        guard database == nil, records.unreadable == nil, let stateDirectory else { return }
        records.reopen = { [unowned self] () throws(StoreError) in
            let database = try Database(path: "\(stateDirectory)/locationd.sqlite")
            self.database = database
            return database
        }
    }

    /// Where decisions are that are in force and not on the disk; nil: nowhere.
    var owedDecisionsPath: String? { runtimeDirectory.map { "\($0)/decisions.owed" } }

    /// A deferral delivers early when it holds `LogRecords`; the log holds some more, so that what is being written to a slow reader
    /// is not overwritten under it.
    private static func capacity(_ configuration: Configuration) -> Int {
        configuration.limits.logRecords + max(configuration.limits.logRecords / 16, 64)
    }

    private static func openDatabase(
        _ directory: String?, _ problems: inout [String], _ journal: Journal, _ progress: (() -> Void)?
    ) -> Database? {
        guard let directory else { return nil }
        do throws(StoreError) {
            let database = try Database(path: "\(directory)/locationd.sqlite", progress: progress)
            for note in database.notes { journal.warning(note, .storeRepaired) }
            return database
        } catch {
            problems.append(error.description)
            return nil
        }
    }

    private static func openLog(
        _ runtime: String?, _ state: String?, _ configuration: Configuration, _ problems: inout [String],
        _ journal: Journal
    ) throws(StoreError) -> FixLog {
        let capacity = capacity(configuration)
        guard let runtime else { return try FixLog.inMemory(capacity: capacity) }
        do throws(StoreError) {
            let log = try FixLog(
                path: "\(runtime)/fixes", capacity: capacity, importing: state.map { "\($0)/fixes.copy" })
            for note in log.notes { journal.warning(note, .storeRepaired) }
            return log
        } catch {
            problems.append(error.description)
            return try FixLog.inMemory(capacity: capacity)
        }
    }

    private static func openSlots(
        _ runtime: String?, _ state: String?, _ configuration: Configuration, _ problems: inout [String],
        _ journal: Journal
    ) throws(StoreError) -> SlotFile {
        let maximum = max(configuration.limits.connections * 2, 64)
        guard let runtime else { return try SlotFile.inMemory(maximumSlots: maximum) }
        do throws(StoreError) {
            let slots = try SlotFile(
                path: "\(runtime)/managers", maximumSlots: maximum, importing: state.map { "\($0)/managers.copy" })
            for note in slots.notes { journal.warning(note, .storeRepaired) }
            return slots
        } catch {
            problems.append(error.description)
            return try SlotFile.inMemory(maximumSlots: maximum)
        }
    }

    // A copy speaks of the stop it was made at: one that is older than the log would bring back what was since delivered.
    private static func removeCopies(_ directory: String?) {
        guard let directory else { return }
        unlink("\(directory)/fixes.copy")
        unlink("\(directory)/managers.copy")
        unlink("\(directory)/reduced-view.copy")
    }

    private static func start(isContinued: Bool, log: UInt64, reserved: UInt64, isStateLost: Bool) -> UInt64 {
        if isContinued, log > 0 { return log }
        let newest = max(log, reserved)
        guard newest == 0, isStateLost else { return newest }
        // Nothing tells what was given before, so that only the date can be trusted to be later: no receiver has made
        // more than ten fixes a second since 1970.
        return UInt64(max(clinux_realtime_milliseconds() / 100, 0))
    }

    private static func reservation(of database: Database?, _ problems: inout [String]) -> UInt64 {
        do throws(StoreError) {
            return try database?.reservedSequence() ?? 0
        } catch {
            problems.append(error.description)
            return 0
        }
    }

    private static func authorizationRequests(of database: Database?, _ problems: inout [String]) -> UInt64 {
        do throws(StoreError) {
            return try database.map { database throws(StoreError) in try database.nextAuthorizationRequest() - 1 } ?? 0
        } catch {
            problems.append(error.description)
            return UInt64(max(clinux_realtime_milliseconds() / 1000, 0))
        }
    }

    /// Reserves the number of an authorization request before anybody hears of it.
    func reserveAuthorizationRequest(_ number: UInt64, _ journal: Journal) {
        guard number > newestAuthorizationRequest + 1 else { return }
        do throws(StoreError) {
            _ = try records.database?.nextAuthorizationRequest()
        } catch {
            journal.error("\(error); numbers of authorization requests may be given twice")
        }
    }

    private static func holdsLog(_ runtimeDirectory: String?) -> Bool {
        guard let runtimeDirectory else { return false }
        return access("\(runtimeDirectory)/fixes", F_OK) == 0 && access("\(runtimeDirectory)/managers", F_OK) == 0
    }

    // MARK: Fixes

    var lastOdometer: Double { fixes.entry(sequence: fixes.newest)?.odometer ?? 0 }

    /// The newest fix from which the reduced view was computed; 0: none in the log.
    var lastReducedSequence: UInt64 {
        var (found, sequence) = (UInt64(0), fixes.oldest > 0 ? fixes.oldest - 1 : 0)
        while let entry = fixes.next(after: sequence) {
            sequence = entry.location.sequence
            if LogFlags(rawValue: entry.flags).contains(.reducedView) { found = sequence }
        }
        return found
    }

    /// The reduced view of a former process that is still in force; nil: there is none.
    func reducedView(at now: BootInstant, _ date: WallTime) -> KeptView? { reducedView.view(at: now, date) }

    /// Keeps the reduced view that was computed just now, before anybody is told.
    func save(_ view: KeptView, _ date: WallTime, _ journal: Journal) {
        do throws(StoreError) {
            try reducedView.save(view, date)
        } catch {
            journal.error("\(error); who may know only roughly where the device is gets a new view after a restart")
        }
    }

    /// The last known location and when it was accepted, as far as the dates can tell: one from the future has no age that could be trusted.
    func lastKnown(at now: BootInstant, _ wall: WallTime) -> (location: Location, at: BootInstant)? {
        let stored: Location?
        do throws(StoreError) {
            stored = try database?.lastLocation()
        } catch {
            stored = nil
        }
        guard let location = fixes.entry(sequence: fixes.newest)?.location ?? stored else { return nil }
        let age = wall.milliseconds - location.timestamp.milliseconds
        let trusted = age >= 0 ? TimeSpan.milliseconds(min(age, 1 << 40)) : .seconds(86_400 * 365)
        return (location, now - trusted)
    }

    /// Appends an accepted fix to the log; its number is durably reserved before.
    func record(_ accepted: AcceptedFix, _ journal: Journal) {
        if accepted.location.sequence > reserved { reserve(from: accepted.location.sequence, journal) }
        fixes.append(
            LogEntry(location: accepted.location, odometer: accepted.odometer, flags: accepted.flags.rawValue))
    }

    private func reserve(from sequence: UInt64, _ journal: Journal) {
        guard sequence >= nextReservation else { return }
        let bound = sequence + StateKeeper.reservationBlock
        do throws(StoreError) {
            try database?.reserveSequences(upTo: bound)
            reserved = bound
            problems.removeAll { $0 == reservationProblem }
            reservationProblem = nil
        } catch {
            nextReservation = sequence + StateKeeper.fixesBeforeRetry
            guard reservationProblem == nil else { return }
            let problem = "\(error); sequences may be given twice after a power cut"
            reservationProblem = problem
            problems.append(problem)
            journal.error(problem, .storeFailed(reason: problem))
        }
    }

    var log: any LocationLog { fixes }

    // MARK: Managers

    func setDelivered(_ slot: Int, _ sequence: UInt64) { slots.setDelivered(slot, sequence) }
    func free(_ slot: Int) { slots.free(slot) }

    // Instants of another boot mean nothing. Before anybody gets a slot: who has one now must not lose it.
    private func forgetOtherBoot() {
        guard !slots.isSameBoot else { return }
        for kept in slots.occupied { slots.free(kept.slot) }
        slots.adoptCurrentBoot()
    }

    /// Gives a manager with a token a slot.
    func keep(_ manager: ClientManager, _ journal: Journal) {
        do throws(StoreError) {
            let slot = try slots.allocate()
            // One that is taken up with its connection has had locations already.
            slots.setDelivered(slot, manager.outbox.delivered)
            manager.slot = slot
            hasWarnedOfSlots = false
        } catch {
            // Once until there is room again: clients could fill the journal.
            guard !hasWarnedOfSlots else { return }
            hasWarnedOfSlots = true
            journal.warning("\(error); a client cannot be taken back after a restart of the daemon")
        }
    }

    /// Writes what a restarted daemon would need of a manager.
    func save(_ manager: ClientManager, _ record: ManagerRecord, _ journal: Journal) {
        guard let slot = manager.slot, manager.token != nil, let saved = SavedManager(manager, record) else { return }
        managerSaves += 1
        do throws(StoreError) {
            try slots.write(slot, blob: saved.encoded(limit: SlotFile.maximumBlobLength))
        } catch {
            // The slot has a former state of the manager: an empty slot is better, and the journal says so once.
            slots.free(slot)
            manager.slot = nil
            journal.warning("\(error); a client cannot be taken back after a restart of the daemon")
        }
    }

    /// Whether a slot holds the manager with this token.
    func holds(_ token: ManagerToken, in slot: Int?) -> Bool {
        guard let slot, let blob = slots.blob(slot) else { return false }
        return SavedManager(decoding: blob)?.token == token
    }

    /// The managers that a former process left. What cannot have been one is left out, and said.
    func savedManagers(_ journal: Journal) -> [(slot: Int, manager: SavedManager, delivered: UInt64)] {
        let occupied = slots.occupied
        let managers = occupied.compactMap { kept -> (slot: Int, manager: SavedManager, delivered: UInt64)? in
            guard let manager = SavedManager(decoding: kept.blob), manager.token != nil,
                kept.delivered <= Location.greatestSequence
            else {
                slots.free(kept.slot)
                return nil
            }
            return (kept.slot, manager, kept.delivered)
        }
        if managers.count < occupied.count {
            journal.warning(
                "cannot take back \(occupied.count - managers.count) of \(occupied.count) clients: what was kept of them is damaged",
                .storeRepaired)
        }
        return managers
    }

    // MARK: Stopping

    /// Copies everything to the state directory: an orderly stop loses nothing even if the runtime directory goes.
    func saveAll(last: Location?, _ journal: Journal) {
        guard let stateDirectory else { return }
        do throws(StoreError) {
            if let last { try database?.saveLastLocation(last) }
            try fixes.copy(to: "\(stateDirectory)/fixes.copy")
            try slots.copy(to: "\(stateDirectory)/managers.copy")
            try reducedView.saveCopy()
            // A run without a fix knows of none, and must not take back what was given before it.
            try database?.endReservation(at: max(fixes.newest, newestSequence))
        } catch {
            journal.error("\(error); clients can be taken back only while the runtime directory stays")
        }
    }
}

extension FixLog: LocationLog {}
