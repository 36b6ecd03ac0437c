// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
package import Testing

/// Runs each test of a suite on a thread that may block: tests here wait for sockets and processes, and Swift's own threads are as few
/// as processors.
package struct BlockingTests: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await withTaskExecutorPreference(BlockingThreads.shared) { try await function() }
    }
}

extension Trait where Self == BlockingTests {
    /// Tests that block their thread.
    package static var blocking: Self { BlockingTests() }
}

/// A few threads that do one job after the other. Few, because every test starts a daemon of its own.
private final class BlockingThreads: TaskExecutor {
    static let shared = BlockingThreads(count: 8)

    private let jobs = Mutex<[UnownedJob]>([])
    private let waiting: Counter

    private init(count: Int) {
        waiting = Counter()
        for _ in 0..<count { start() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        waiting.signal()
    }

    private func start() {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { _ in
                BlockingThreads.shared.work()
                return nil
            }, nil)
    }

    private func work() {
        while true {
            waiting.wait()
            guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// A semaphore that lives as long as the process.
private struct Counter: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    func signal() { sem_post(semaphore) }

    func wait() { while sem_wait(semaphore) != 0 {} }
}
