// SPDX-License-Identifier: Apache-2.0
internal import LocationModel

extension CLLocationUpdate {
    /// The activity that live updates are for; by it the daemon decides when the device counts as stationary.
    @nonexhaustive(warn)
    public enum LiveConfiguration: Sendable, Hashable {
        /// Anything.
        case `default`
        /// Following roads.
        case automotiveNavigation
        /// Travel off the roads: a boat, a train, a bicycle.
        case otherNavigation
        /// On foot.
        case fitness
        /// In the air: the device never counts as resting.
        case airborne
    }

    /// Locations as they come, about one a second while the device moves.
    ///
    /// The service starts at the daemon with the first `next()` of an iteration, and ends with it: by `break`, by `return`, by
    /// an error, or when the task is cancelled, which ends the sequence without an error. Any number of iterations of the same
    /// configuration share one service; one that joins begins with what they were told last. Where nobody has decided yet
    /// whether the application may know locations, somebody is asked.
    ///
    /// The program may be slow: of the locations that it has not yet taken, the newest stays, but no flag and no change between
    /// rest and movement gives way to a location.
    ///
    /// - Throws: `next()` throws when the daemon refuses the stream. There being no fix, no permission or no daemon is told by
    ///   elements, and is no error.
    public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
        Updates(configuration: configuration, shared: CoreLocationBackend.sharedSession)
    }

    /// A stream of live updates.
    public struct Updates: AsyncSequence, Sendable {
        /// The type of the stream's elements.
        public typealias Element = CLLocationUpdate
        /// The type of the errors that `next()` throws.
        public typealias Failure = any Error

        let configuration: LiveConfiguration
        let shared: SharedSession

        /// A new iteration; its service starts with the first `next()`.
        public func makeAsyncIterator() -> Iterator { Iterator(configuration: configuration, shared: shared) }

        /// One iteration over live updates.
        public struct Iterator: AsyncIteratorProtocol {
            /// The type of the stream's elements.
            public typealias Element = CLLocationUpdate
            /// The type of the errors that `next()` throws.
            public typealias Failure = any Error

            private enum Phase {
                case unstarted
                case running(LiveUpdateStream)
                case over
            }

            private let configuration: LiveConfiguration
            private let shared: SharedSession
            private var phase = Phase.unstarted

            fileprivate init(configuration: LiveConfiguration, shared: SharedSession) {
                self.configuration = configuration
                self.shared = shared
            }

            /// The next update; waits for it. Nil after the task was cancelled.
            public mutating func next() async throws -> CLLocationUpdate? { try await next(isolation: nil) }

            /// The next update; waits for it. Nil after the task was cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> CLLocationUpdate? {
                guard !Task.isCancelled, let stream = start() else {
                    phase = .over
                    return nil
                }
                do {
                    if let update = try await stream.next(isolation: actor) { return update }
                    phase = .over
                    return nil
                } catch {
                    phase = .over
                    throw error
                }
            }

            private mutating func start() -> LiveUpdateStream? {
                switch phase {
                case .unstarted:
                    let stream = LiveUpdateStream(configuration, of: shared)
                    phase = .running(stream)
                    return stream
                case .running(let stream): return stream
                case .over: return nil
                }
            }
        }
    }
}

extension LiveConfiguration {
    init(_ configuration: CLLocationUpdate.LiveConfiguration) {
        switch configuration {
        case .default: self = .default
        case .automotiveNavigation: self = .automotiveNavigation
        case .otherNavigation: self = .otherNavigation
        case .fitness: self = .fitness
        case .airborne: self = .airborne
        }
    }
}
