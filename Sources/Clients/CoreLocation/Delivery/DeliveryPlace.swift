// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Foundation

/// Where callbacks run: one at a time, and later than the call that asks for it.
protocol DeliveryPlace: Sendable {
    /// Seconds after which something is wrong with a place that has not begun; nil: it may take as long as it likes.
    var patience: Double? { get }
    /// A line that says what is wrong if it took longer, and what the developer can do.
    var complaint: String { get }
    /// Whether its thread runs it, so that a call is only late.
    var isServing: Bool { get }
    /// Whether nothing will ever run here again.
    var isOver: Bool { get }
    /// The place that runs the calls until this one begins; nil: none.
    var successor: (any DeliveryPlace)? { get }

    /// Runs `work` here; never from inside this call.
    func schedule(_ work: @escaping @Sendable () -> Void)
}

extension DeliveryPlace {
    var patience: Double? { nil }
    var complaint: String { "" }
    var isServing: Bool { false }
    var isOver: Bool { false }
    var successor: (any DeliveryPlace)? { nil }
}

/// The main thread: its run loop while it turns that, else the main queue, which dispatchMain() and the main actor serve.
struct MainPlace: DeliveryPlace {
    private static let mark: DispatchSpecificKey<Bool> = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    /// Whether the caller runs here. After dispatchMain() that is not the main thread.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

    // A run loop that is turned inside of the main queue does not serve that, so that a callback could wait for no other one.
    private let source = RunLoopSource.ofMainThread()

    var patience: Double? { 10 }
    var complaint: String {
        "cannot call the delegate: the main thread has not served its queue for \(Int(patience ?? 0)) s; let it run"
            + " RunLoop.main.run(), dispatchMain() or an async main, or make the manager with init(deliveringOn:)"
    }

    func schedule(_ work: @escaping @Sendable () -> Void) { source.schedule(work) }
}

/// A developer's queue.
struct QueuePlace: DeliveryPlace {
    private let queue: DispatchQueue

    /// In order also where `queue` is a concurrent one.
    init(_ queue: DispatchQueue) { self.queue = DispatchQueue(label: "CoreLocation.delivery", target: queue) }

    func schedule(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}

/// A developer's actor, which is not kept alive by it: an actor may hold the manager that calls it.
final class ActorPlace: DeliveryPlace {
    private struct Reference: Sendable { weak let actor: (any Actor)? }
    private let reference: Reference

    init(_ actor: any Actor) { reference = Reference(actor: actor) }

    var isOver: Bool { reference.actor == nil }

    func schedule(_ work: @escaping @Sendable () -> Void) {
        guard let actor = reference.actor else { return }
        Task { await ActorPlace.run(work, on: actor) }
    }

    private static func run(_ work: @Sendable () -> Void, on actor: isolated any Actor) { work() }
}

/// The run loop of a thread other than the main one.
struct RunLoopPlace: DeliveryPlace {
    private let source: RunLoopSource

    init(_ source: RunLoopSource) { self.source = source }

    var patience: Double? { 2 }
    var complaint: String {
        "cannot call the delegate on the thread that made the manager: it has not run its run loop for"
            + " \(Int(patience ?? 0)) s; until it does, the delegate is called on the main thread; let that thread run"
            + " RunLoop.current.run(), or make the manager with init(deliveringOn:)"
    }
    var isServing: Bool { source.isServing }
    var successor: (any DeliveryPlace)? { MainPlace() }

    func schedule(_ work: @escaping @Sendable () -> Void) { source.schedule(work) }
}

/// The place for a manager that is made here and now.
///
/// The main thread and Swift's tasks have the main one: a task's thread runs no run loop. Every other thread is taken at
/// its word to run its own, as Core Location wants it.
func placeOfCurrentThread() -> any DeliveryPlace {
    let isInTask = withUnsafeCurrentTask { $0 != nil }
    return Thread.isMainThread || isInTask || MainPlace.isCurrent
        ? MainPlace() : RunLoopPlace(RunLoopSource.ofCurrentThread())
}
