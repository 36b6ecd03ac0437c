// SPDX-License-Identifier: Apache-2.0
internal import LocationModel

/// The diagnostics of a session, newest state first; states that change while nobody looks are passed over.
public final class DiagnosticSequence<Diagnostic: Sendable>: AsyncSequence, Sendable {
    /// The type of the sequence's elements.
    public typealias Element = Diagnostic
    /// The type of the errors that `next()` throws.
    public typealias Failure = any Error

    // Whoever iterates over diagnostics holds the session.
    private let session: any AnyObject & Sendable
    private let held: HeldSession
    private let diagnostic: @Sendable (DiagnosticFlags) -> Diagnostic

    init(
        of session: any AnyObject & Sendable, _ held: HeldSession,
        _ diagnostic: @escaping @Sendable (DiagnosticFlags) -> Diagnostic
    ) {
        (self.session, self.held, self.diagnostic) = (session, held, diagnostic)
    }

    /// A new iteration; it begins with the present state.
    public func makeAsyncIterator() -> Iterator { Iterator(diagnostics: self, queue: held.diagnostics()) }

    /// One iteration over the diagnostics of a session.
    public struct Iterator: AsyncIteratorProtocol {
        /// The type of the sequence's elements.
        public typealias Element = Diagnostic
        /// The type of the errors that `next()` throws.
        public typealias Failure = any Error

        fileprivate let diagnostics: DiagnosticSequence
        fileprivate let queue: ElementQueue<DiagnosticFlags>

        /// The next state; waits for a change. Nil after the session ended or the task was cancelled.
        public mutating func next() async throws -> Diagnostic? { try await next(isolation: nil) }

        /// The next state; waits for a change. Nil after the session ended or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Diagnostic? {
            try await queue.next(isolation: actor).map(diagnostics.diagnostic)
        }
    }
}
