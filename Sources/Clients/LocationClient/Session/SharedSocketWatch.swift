// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// The one watch of a socket's path for all sessions of the process: a user may have only some hundred of them in all.
final class SharedSocketWatch: Sendable {
    private typealias Handler = @Sendable () -> Void

    /// Callbacks of the sessions that wait. Not part of the watch, because its handler must not hold the watch.
    private final class Listeners: Sendable {
        private let handlers = Mutex<[UInt64: (queue: DispatchQueue, handler: Handler)]>([:])
        private let lastNumber = Atomic<UInt64>(0)

        func add(_ queue: DispatchQueue, _ handler: @escaping Handler) -> UInt64 {
            let number = lastNumber.add(1, ordering: .relaxed).newValue
            handlers.withLock { $0[number] = (queue, handler) }
            return number
        }

        func remove(_ number: UInt64) {
            let removed = handlers.withLock { $0.removeValue(forKey: number) }
            withExtendedLifetime(removed) {}
        }

        func tell() {
            for (queue, handler) in handlers.withLock({ Array($0.values) }) { queue.async(execute: handler) }
        }
    }

    /// Somebody's interest, as long as it is kept.
    private final class Interest: Sendable {
        private let watch: SharedSocketWatch
        private let number: UInt64

        init(in watch: SharedSocketWatch, _ queue: DispatchQueue, _ handler: @escaping Handler) {
            self.watch = watch
            number = watch.listeners.add(queue, handler)
        }

        deinit { watch.listeners.remove(number) }
    }

    private struct Shared {
        // Those who listen keep it.
        weak var watch: SharedSocketWatch?
    }

    private static let shared = Mutex<[String: Shared]>([:])

    /// Calls `handler` on `queue` when something of that name may have appeared, as long as what is returned is kept; nil: this
    /// system lets no more files be watched.
    static func listen(
        to path: String, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
    ) -> (any Sendable)? {
        shared.withLock { shared in
            shared = shared.filter { $0.value.watch != nil }
            if let watch = shared[path]?.watch { return Interest(in: watch, queue, handler) }
            guard let watch = SharedSocketWatch(path) else { return nil }
            shared[path] = Shared(watch: watch)
            return Interest(in: watch, queue, handler)
        }
    }

    private let listeners: Listeners
    private let watch: SocketWatch

    private init?(_ path: String) {
        let listeners = Listeners()
        let queue = DispatchQueue(label: "CoreLocation.watch")
        guard let watch = SocketWatch(for: path, on: queue, handler: { listeners.tell() }) else { return nil }
        self.listeners = listeners
        self.watch = watch
    }
}
