// SPDX-License-Identifier: Apache-2.0

/// Watches named conditions, and tells when one begins or ceases to hold, also of the time when the application did not run.
///
/// A monitor is kept at the daemon under its name, with its conditions and what the application has taken of them: opened again, by
/// the next process as well, it goes on where it was. An event counts as taken when an iteration over `events` has handed it out; until
/// then it is kept, and its condition rests. So iterate always, and begin right after the start of the program.
///
/// A name can be open once at a time, in this process or in another one of the same application. As the initialiser cannot fail, a
/// monitor of a name that is open elsewhere watches nothing: a line on standard error says so, and each of its conditions has one
/// event that is `unmonitored` with `persistenceUnavailable`.
///
/// While nothing but conditions and regions needs the receiver it sleeps between looks: events come seconds to minutes late, and a small
/// area that is passed in a minute may be missed, above all on a drive that begins under a roof.
public actor CLMonitor {
    /// The monitor's events, oldest first. Each iteration gets every event that none had taken when it began.
    public let events: Events
    nonisolated let link: MonitorLink

    /// Opens the monitor `name` (1 to 128 bytes), or makes it.
    ///
    /// It returns when the daemon has said which conditions there are. Where none answers for ten seconds it returns all the same,
    /// says so on standard error, and opens the monitor as soon as one does.
    public init(_ name: String) async { await self.init(name, of: CoreLocationBackend.sharedSession) }

    init(_ name: String, of shared: SharedSession) async {
        let link = MonitorLink(name, of: shared)
        self.link = link
        events = Events(link: link)
        await link.waitUntilOpen(isolation: nil)
    }

    /// The identifiers of its conditions, in alphabetical order, whether they can be watched or not.
    public var identifiers: [String] { link.identifiers }

    /// Watches a condition, of which nothing is known: the first thing that is found of it is an event.
    ///
    /// A condition of the same identifier is replaced, and its record begins anew. A condition that this device cannot watch, and one
    /// beyond the 20 that an application may have, is `unmonitored`: an event says so, with `conditionUnsupported` or
    /// `conditionLimitExceeded`.
    ///
    /// An identifier is 1 to 128 bytes without control characters.
    public func add(_ condition: any CLCondition, identifier: String) {
        link.add(condition, identifier, assuming: .unknown)
    }

    /// Watches a condition that is taken to stand as `state` says: there is an event only when it is found to stand otherwise.
    public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {
        link.add(condition, identifier, assuming: state)
    }

    /// Watches a condition no longer, and forgets its record and what has not been taken of it. Nothing if there is none.
    public func remove(_ identifier: String) { link.remove(identifier) }

    /// A condition and the event that was last taken of it; nil: there is none of that identifier.
    public func record(for identifier: String) async -> Record? { await link.record(for: identifier) }

    /// The events of a monitor; whoever iterates over them keeps it open.
    public struct Events: AsyncSequence, Sendable {
        /// The type of the sequence's elements.
        public typealias Element = Event
        /// The type of the errors that `next()` throws.
        public typealias Failure = any Error

        fileprivate let link: MonitorLink

        /// A new iteration.
        public func makeAsyncIterator() -> Iterator { Iterator(link: link, queue: link.read()) }

        /// One iteration over the events of a monitor.
        public struct Iterator: AsyncIteratorProtocol {
            /// The type of the sequence's elements.
            public typealias Element = Event
            /// The type of the errors that `next()` throws.
            public typealias Failure = any Error

            fileprivate let link: MonitorLink
            fileprivate let queue: ElementQueue<MonitorEvents.Pending>

            /// The next event, which counts as taken; waits for it. Nil after the task was cancelled.
            public mutating func next() async throws -> Event? { try await next(isolation: nil) }

            /// The next event, which counts as taken; waits for it. Nil after the task was cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Event? {
                try await link.next(of: queue, isolation: actor)
            }
        }
    }
}
