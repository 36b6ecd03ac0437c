// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@testable import CoreLocation

private struct Broken: Error {}

@Suite("The queue between a service and a program", .asynchronous)
struct ElementQueueTests {
    private static func numbers() -> ElementQueue<Int> { ElementQueue { $0.append($1) } }

    @Test("hands out in order what came before and what comes while somebody waits")
    func order() async throws {
        let queue = ElementQueueTests.numbers()
        queue.push(1)
        queue.push(2)
        let taken = Task { [try await queue.next(), try await queue.next(), try await queue.next()] }
        try await eventually("the first two are taken") { queue.elements.isEmpty }
        queue.push(3)
        #expect(try await taken.value == [1, 2, 3])
    }

    @Test("gives what is left before its end, then the error once, then nil")
    func end() async throws {
        let queue = ElementQueueTests.numbers()
        queue.push(1)
        queue.finish(throwing: Broken())
        queue.push(2)
        #expect(try await queue.next() == 1)
        await #expect(throws: Broken.self) { try await queue.next() }
        #expect(try await queue.next() == nil)
    }

    @Test("ends the waiting of whom it ends for")
    func endWhileWaiting() async throws {
        for error in [Broken(), nil] {
            let queue = ElementQueueTests.numbers()
            let waiting = Task { try await queue.next() }
            await Task.yield()
            queue.finish(throwing: error)
            if error == nil {
                #expect(try await waiting.value == nil)
            } else {
                await #expect(throws: Broken.self) { try await waiting.value }
            }
        }
    }

    @Test("a cancelled task gets nil, and the others wait on")
    func cancelled() async throws {
        let queue = ElementQueueTests.numbers()
        let (first, second) = (Task { try await queue.next() }, Task { try await queue.next() })
        first.cancel()
        #expect(try await first.value == nil)
        queue.push(1)
        #expect(try await second.value == 1)
    }

    @Test("a thousand tasks that wait and are cancelled at any moment all end, and no element is lost to them")
    func storm() async throws {
        let queue = ElementQueueTests.numbers()
        let tasks = (1...1000).map { _ in Task { try await queue.next() } }
        for (index, task) in tasks.enumerated() {
            if index.isMultiple(of: 10) { queue.push(index) }
            task.cancel()
        }
        var taken: [Int] = []
        for task in tasks { if let element = try await task.value { taken.append(element) } }
        #expect((taken + queue.elements).sorted() == Array(stride(from: 0, to: 1000, by: 10)))
    }
}
