// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel

/// Keeps in memory what a service needs while it runs: for a replay and a simulation, whose end leaves nothing.
package final class ServiceMemory: StateKeeping {
    private let memory: MemoryLog

    /// A log of so many locations.
    package init(logCapacity: Int) { memory = MemoryLog(capacity: logCapacity) }

    package var log: any LocationLog { memory }
    /// Metres that the device had travelled by the newest location.
    package var travelled: Double { memory.travelled }
    package var problems: [String] { [] }

    package func record(_ accepted: AcceptedFix, _ journal: Journal) {
        memory.append(
            LogEntry(location: accepted.location, odometer: accepted.odometer, flags: accepted.flags.rawValue))
    }

    package func save(_ view: KeptView, _ date: WallTime, _ journal: Journal) {}
    package func reserveAuthorizationRequest(_ number: UInt64, _ journal: Journal) {}
    package func keep(_ manager: ClientManager, _ journal: Journal) {}
    package func save(_ manager: ClientManager, _ record: ManagerRecord, _ journal: Journal) {}
    package func setDelivered(_ slot: Int, _ sequence: UInt64) {}
    package func free(_ slot: Int) {}
    package func saveAll(last: Location?, _ journal: Journal) {}
}

/// The accepted locations of one process. Their numbers have no gaps.
private final class MemoryLog: LocationLog {
    private var entries: [LogEntry] = []
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    func append(_ entry: LogEntry) {
        entries.append(entry)
        // Seldom, and many at once: the front of an array is dear to remove.
        if entries.count >= 2 * capacity { entries.removeFirst(entries.count - capacity) }
    }

    var travelled: Double { entries.last?.odometer ?? 0 }
    var oldest: UInt64 { entries.first?.location.sequence ?? 0 }

    func next(after sequence: UInt64) -> LogEntry? {
        guard let first = entries.first?.location.sequence else { return nil }
        let index = sequence < first ? 0 : Int(sequence - first) + 1
        return index < entries.count ? entries[index] : nil
    }
}

/// Knows which apps own something, and takes every change.
package final class MemoryRecords: RecordKeeping {
    private var apps: Set<AppKey> = []

    /// Nothing is kept yet.
    package init() {}

    package var problem: String? { nil }
    package var unreadable: String? { nil }
    package var repairs: [String] { [] }
    package var isBehind: Bool { false }
    package var owedDecisions: Int { 0 }
    package var firstEvent: UInt64 { 1 }
    package var hasCounts: Bool { false }

    package func takeCounts() -> [AppKey: UInt64] { [:] }
    package func holds(_ app: AppKey) -> Bool { apps.contains(app) }
    package func require(_ changes: [RecordChange]) throws(RecordError) { _ = commit(changes) }
    package func retry(at now: BootInstant) -> Bool { false }

    package func commit(_ changes: [RecordChange]) -> Bool {
        for case .app(let app, let change) in changes {
            if change.isKept { apps.insert(app) } else if change.removesApp { apps.remove(app) }
        }
        return true
    }
}
