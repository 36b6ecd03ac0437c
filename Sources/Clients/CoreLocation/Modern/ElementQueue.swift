// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Elements that a service has told and the program has not yet taken: bounded, for any number of producers and of tasks that wait.
final class ElementQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Element?, any Error>)] = []
        var lastTicket: UInt64 = 0
        /// Elements that tasks have taken and not yet come back from.
        var taken: [DeliveryGauge.Passage] = []
        var end: Result<Void, any Error>?
    }

    private enum Step {
        case element(Element)
        case over(Result<Void, any Error>)
        case wait
    }

    private let state = Mutex(State())
    private let gauge = CoreLocationBackend.gauge
    private let insert: @Sendable (inout [Element], Element) -> Void

    /// `insert` puts a new element where it belongs among those that nobody has taken, and takes away what it replaces.
    init(insert: @escaping @Sendable (inout [Element], Element) -> Void) { self.insert = insert }

    /// Elements that no task has taken yet, oldest first.
    var elements: [Element] { state.withLock { $0.elements } }

    /// Gives an element to a task that waits, or keeps it for the next one; nothing after the end.
    func push(_ element: Element) {
        let continuation = state.withLock { state -> CheckedContinuation<Element?, any Error>? in
            guard state.end == nil else { return nil }
            guard state.waiting.isEmpty else {
                if let gauge { state.taken.append(gauge.passage()) }
                return state.waiting.removeFirst().continuation
            }
            insert(&state.elements, element)
            return nil
        }
        continuation?.resume(returning: element)
    }

    /// Takes away what nobody has taken yet.
    func removeAll(where isUnwanted: (Element) -> Bool) {
        state.withLock { $0.elements.removeAll(where: isUnwanted) }
    }

    /// Ends the queue behind what it still holds; the first end counts.
    func finish(throwing error: (any Error)? = nil) {
        let (waiting, taken) = state.withLock {
            state -> ([CheckedContinuation<Element?, any Error>], [DeliveryGauge.Passage]) in
            let taken = state.taken
            state.taken = []
            guard state.end == nil else { return ([], taken) }
            state.end = error.map { .failure($0) } ?? .success(())
            defer { state.waiting = [] }
            return (state.waiting.map(\.continuation), taken)
        }
        _ = consume taken
        guard let first = waiting.first else { return }
        // As without anybody waiting, the error is thrown once.
        if let error { first.resume(throwing: error) } else { first.resume(returning: nil) }
        for continuation in waiting.dropFirst() { continuation.resume(returning: nil) }
        if error != nil { state.withLock { $0.end = .success(()) } }
    }

    /// The oldest element; waits for one. Nil: the queue is over, or the task was cancelled, which ends nobody else's waiting.
    func next(isolation: isolated (any Actor)? = #isolation) async throws -> Element? {
        let (ticket, served) = state.withLock { state in
            state.lastTicket += 1
            // A task that asks for another element is done with the one before.
            return (state.lastTicket, state.taken.isEmpty ? nil : state.taken.removeFirst())
        }
        _ = consume served
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in take(ticket, continuation) }
        } onCancel: {
            cancel(ticket)
        }
    }

    private func take(_ ticket: UInt64, _ continuation: CheckedContinuation<Element?, any Error>) {
        let step = state.withLock { state -> Step in
            // A cancellation from here on finds the continuation in `waiting`.
            if Task.isCancelled { return .over(.success(())) }
            if !state.elements.isEmpty {
                if let gauge { state.taken.append(gauge.passage()) }
                return .element(state.elements.removeFirst())
            }
            if let end = state.end {
                state.end = .success(())
                return .over(end)
            }
            state.waiting.append((ticket, continuation))
            return .wait
        }
        switch step {
        case .element(let element): continuation.resume(returning: element)
        case .over(let end): continuation.resume(with: end.map { nil })
        case .wait: break
        }
    }

    private func cancel(_ ticket: UInt64) {
        let continuation = state.withLock { state -> CheckedContinuation<Element?, any Error>? in
            guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.waiting.remove(at: index).continuation
        }
        continuation?.resume(returning: nil)
    }
}
