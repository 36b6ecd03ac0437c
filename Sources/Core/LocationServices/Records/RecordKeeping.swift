// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Writes what apps own and what people decided. What is told or acknowledged was written before.
package protocol RecordKeeping: AnyObject {
    /// Why nothing can be written now; nil: it can.
    var problem: String? { get }
    /// Why nobody can tell what people decided; nil: it is known.
    var unreadable: String? { get }
    /// Damaged files that were set aside since the start, and what was saved of them, a sentence each.
    var repairs: [String] { get }
    /// Whether changes wait for the disk.
    var isBehind: Bool { get }
    /// Decisions that are in force and not on the disk.
    var owedDecisions: Int { get }
    /// Where events of apps count from of which nothing is kept.
    var firstEvent: UInt64 { get }
    /// Whether some app is kept for the first time since `takeCounts`.
    var hasCounts: Bool { get }

    /// Where the events of such apps count from.
    func takeCounts() -> [AppKey: UInt64]
    /// Whether something of the app is kept.
    func holds(_ app: AppKey) -> Bool
    /// Makes all changes or none. False: they wait.
    func commit(_ changes: [RecordChange]) -> Bool
    /// Makes all changes or none. Throws why they cannot be made now.
    func require(_ changes: [RecordChange]) throws(RecordError)
    /// Tries again what waits, when it is time to. True: all that waited is on the disk now.
    func retry(at now: BootInstant) -> Bool
}

/// Why a change cannot be kept.
package struct RecordError: Error, CustomStringConvertible {
    /// A sentence that begins with "cannot".
    package let description: String

    /// An error of these words.
    package init(_ description: String) { self.description = description }
}
