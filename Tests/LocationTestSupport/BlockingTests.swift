// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
package import Testing

/// Runs each test of a suite on a thread that may block: tests here wait for sockets and processes, and Swift's own threads are as few
/// as processors.
package struct BlockingTests: SuiteTrait, TestTrait, TestScoping {
    /// A test that runs for longer ends the process.
    fileprivate let minutes: Int
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await withTaskExecutorPreference(BlockingThreads.shared) {
            let watch = try Watch(test, minutes: minutes)
            defer { watch.end() }
            try await function()
        }
    }
}

extension Trait where Self == BlockingTests {
    /// Tests that block their thread.
    package static var blocking: Self { .blocking(minutes: 10) }
    /// Tests that block their thread, of which one takes up to so long.
    package static func blocking(minutes: Int) -> Self { BlockingTests(minutes: minutes) }
}

extension Trait where Self == TimeLimitTrait {
    /// Tests that wait for other tasks. Each waits for its turn, too, so that the limit only ends what would never end.
    package static var asynchronous: Self { .timeLimit(.minutes(20)) }
}

/// Ends the process when a test that blocks has run for too long: nothing else can end a thread that hangs. A time limit of the library's
/// would count how long the test waited for a thread, too.
private struct Watch {
    private let writeEnd: Int32

    init(_ test: Test, minutes: Int) throws {
        let name = "\(test.sourceLocation.fileName):\(test.sourceLocation.line): \(test.displayName ?? test.name)"
        let pipe = try makePipe()
        writeEnd = pipe.write
        try startThread {
            // The other end is closed when the test is over.
            let isOver = Deadline.within(Double(minutes) * 60).wait(for: POLLIN, on: pipe.read)
            guard isOver else { fatalError("a test does not end within \(minutes) min: \(name)") }
            close(pipe.read)
        }
    }

    func end() { close(writeEnd) }
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
