// SPDX-License-Identifier: Apache-2.0
import Foundation
import LocationTestSupport
import Synchronization
import Testing

@testable import CoreLocation

@Suite("Where and when callbacks run", .asynchronous)
struct DeliveryTests {
    private let notes = Notes<Int>()
    private let lines = Notes<String>()
    private var log: DeliveryLog { DeliveryLog { [lines] in lines.add($0) } }

    /// A mailbox that a thread of its own made.
    private static func onThread(_ log: DeliveryLog) throws -> (thread: RunLoopThread, mailbox: Mailbox) {
        let made = Notes<Mailbox>()
        let thread = RunLoopThread { made.add(Mailbox(at: placeOfCurrentThread(), log: log)) }
        return (thread, try #require(made.all.first))
    }

    @Test("on the run loop of the thread that made the manager, in order")
    func runLoop() async throws {
        let (thread, mailbox) = try DeliveryTests.onThread(log)
        thread.run()
        for number in 0..<1000 {
            mailbox.post { [notes] in notes.add(RunLoopThread.isCurrent ? number : -1) }
        }
        try await eventually("all came") { notes.all.count == 1000 }
        #expect(notes.all == Array(0..<1000))
        #expect(lines.all.isEmpty)
    }

    @Test("a loop that is turned inside of a callback delivers what comes meanwhile, and what waited already")
    func turnedInside() async throws {
        let (thread, mailbox) = try DeliveryTests.onThread(log)
        mailbox.post { [notes] in
            mailbox.post { notes.add(3) }
            while notes.all.count < 2, RunLoop.current.run(mode: .default, before: .distantFuture) {}
            notes.add(4)
        }
        mailbox.post { [notes] in notes.add(2) }
        thread.run()
        try await eventually("all came") { notes.all.count == 3 }
        #expect(notes.all == [2, 3, 4])
    }

    @Test("run(mode:before:) returns when something was delivered")
    func runReturns() async throws {
        let made = Notes<Mailbox>()
        let turns = Notes<Int>()
        Thread.detachNewThread { [log, notes] in
            made.add(Mailbox(at: placeOfCurrentThread(), log: log))
            while notes.all.count < 3, RunLoop.current.run(mode: .default, before: .distantFuture) {
                turns.add(notes.all.count)
            }
        }
        try await eventually("the thread is ready") { made.all.count == 1 }
        for number in 1...3 {
            made.all.first?.post { [notes] in notes.add(number) }
            try await eventually("\(number) came, and the call returned") { turns.all.last == number }
        }
    }

    @Test("a queue that stands in does what is due while the run loop is not turned, and what it leaves behind")
    func standIn() async throws {
        let queue = DispatchQueue(label: "test")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let places = Notes<String>()
        @Sendable func note() { places.add(DispatchQueue.getSpecific(key: key) == true ? "queue" : "loop") }
        let sources = Notes<RunLoopSource>()
        let (turn, hasTurned, isTurning) = (DispatchSemaphore(value: 0), Notes<Bool>(), Notes<Bool>())
        Thread.detachNewThread {
            sources.add(RunLoopSource(elsewhere: queue))
            turn.wait()
            RunLoop.current.perform { isTurning.add(true) }
            hasTurned.add(RunLoop.current.run(mode: .default, before: .distantFuture))
            // Alive, but not in its run loop.
            turn.wait()
        }
        try await eventually("the thread is ready") { sources.all.count == 1 }
        let source = try #require(sources.all.first)
        source.schedule(note)
        try await eventually("the queue did it") { places.all == ["queue"] }
        turn.signal()
        try await eventually("the run loop is turned") { isTurning.all == [true] }
        source.schedule {
            note()
            source.schedule(note)
        }
        try await eventually("the run loop did one, the queue the other") { places.all.count == 3 }
        #expect(places.all == ["queue", "loop", "queue"])
        #expect(hasTurned.all == [true])
        turn.signal()
    }

    @Test("a run loop in a mode of the program's own, in which the source is made, is not taken for one that serves it")
    func ownMode() async throws {
        let queue = DispatchQueue(label: "test")
        let (sources, end) = (Notes<RunLoopSource>(), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            let mode = RunLoop.Mode("of its own")
            let timer = Timer(timeInterval: 0, repeats: false) { _ in sources.add(RunLoopSource(elsewhere: queue)) }
            RunLoop.current.add(timer, forMode: mode)
            while sources.all.isEmpty { _ = RunLoop.current.run(mode: mode, before: .distantFuture) }
            end.wait()
        }
        try await eventually("the source is made") { sources.all.count == 1 }
        sources.all.first?.schedule { [notes] in
            dispatchPrecondition(condition: .onQueue(queue))
            notes.add(1)
        }
        try await eventually("the queue stands in") { notes.all == [1] }
        end.signal()
    }

    @Test("what was due before the thread ran its loop comes when it does")
    func before() async throws {
        let (thread, mailbox) = try DeliveryTests.onThread(log)
        for number in 0..<3 { mailbox.post { [notes] in notes.add(RunLoopThread.isCurrent ? number : -1) } }
        #expect(notes.all.isEmpty)
        thread.run()
        try await eventually("all came") { notes.all == [0, 1, 2] }
    }

    @Test("nothing is lost or late when several threads ring while the loop is busy", arguments: 1...3)
    func manyRing(round: Int) async throws {
        let (thread, mailbox) = try DeliveryTests.onThread(log)
        thread.run()
        let notes = Notes<(Int, Int)>()
        for sender in 0..<4 {
            try startThread {
                for number in 0..<5000 { mailbox.post { notes.add((sender, number)) } }
            }
        }
        try await eventually("all came") { notes.all.count == 20000 }
        for sender in 0..<4 { #expect(notes.all.filter { $0.0 == sender }.map(\.1) == Array(0..<5000)) }
    }

    @Test("nothing is kept for an actor that is gone")
    func actorIsGone() async throws {
        actor Place {}
        final class Kept: Sendable {}
        var actor: Place? = Place()
        let mailbox = Mailbox(at: ActorPlace(try #require(actor)), log: log)
        actor = nil
        weak var kept: Kept?
        do {
            let object = Kept()
            kept = object
            mailbox.post { withExtendedLifetime(object) {} }
        }
        #expect(kept == nil)
    }

    @Test("never from inside the call, even on the very place")
    func notInside() async throws {
        let queue = DispatchQueue(label: "test")
        let mailbox = Mailbox(at: QueuePlace(queue), log: log)
        queue.async { [notes] in
            mailbox.post { notes.add(2) }
            notes.add(1)
        }
        try await eventually("both came") { notes.all.count == 2 }
        #expect(notes.all == [1, 2])
        let (thread, second) = try DeliveryTests.onThread(log)
        thread.run()
        second.post { [notes] in
            second.post { notes.add(4) }
            notes.add(3)
        }
        try await eventually("both came") { notes.all.count == 4 }
        #expect(notes.all == [1, 2, 3, 4])
    }

    @Test(
        "a thread that does not run its loop loses nothing: it is said once, and the main thread steps in until it does"
    )
    func neverRuns() async throws {
        let (thread, mailbox) = try DeliveryTests.onThread(log)
        let notes = Notes<String>()
        @Sendable func post(_ number: Int) {
            mailbox.post {
                notes.add("\(number) \(RunLoopThread.isCurrent ? "thread" : MainPlace.isCurrent ? "main" : "?")")
            }
        }
        for number in 0..<3 { post(number) }
        try await eventually("the main thread stepped in") { notes.all.count == 3 }
        post(3)
        try await eventually("it goes on") { notes.all.count == 4 }
        thread.run()
        try await eventually("the thread runs its loop") { thread.isTurning }
        for number in 4..<6 { post(number) }
        try await eventually("all came") { notes.all.count == 6 }
        #expect(notes.all == ["0 main", "1 main", "2 main", "3 main", "4 thread", "5 thread"])
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.contains("has not run its run loop for 2 s") == true)
    }

    @Test("what the main thread does in a thread's place, it ends before the thread goes on")
    func oneAtATime() async throws {
        let (thread, mailbox) = try DeliveryTests.onThread(log)
        let (notes, free) = (Notes<Int>(), DispatchSemaphore(value: 0))
        mailbox.post {
            notes.add(1)
            free.wait()
            notes.add(2)
        }
        try await eventually("the main thread stepped in") { notes.all == [1] }
        thread.run()
        try await eventually("the thread runs its loop") { thread.isTurning }
        mailbox.post { notes.add(RunLoopThread.isCurrent ? 3 : -3) }
        free.signal()
        try await eventually("all came") { notes.all.count == 3 }
        #expect(notes.all == [1, 2, 3])
    }

    @Test("what a thread that ended has left or still gets is the main thread's", arguments: [true, false])
    func threadIsOver(isOfFoundation: Bool) async throws {
        let (made, notes) = (Notes<Mailbox>(), Notes<Int>())
        let begin: @Sendable () -> Void = {
            let mailbox = Mailbox(at: placeOfCurrentThread(), log: DeliveryLog())
            // Begins here, so that nobody looks after it any more.
            mailbox.post { notes.add(0) }
            _ = RunLoop.current.run(mode: .default, before: .distantFuture)
            mailbox.post { notes.add(MainPlace.isCurrent ? 1 : -1) }
            made.add(mailbox)
        }
        if isOfFoundation { Thread.detachNewThread(begin) } else { try startThread(begin) }
        try await eventually("what was left came") { notes.all.count == 2 }
        made.all.first?.post { notes.add(MainPlace.isCurrent ? 2 : -2) }
        try await eventually("what came later came, too") { notes.all.count == 3 }
        #expect(notes.all == [0, 1, 2])
    }

    @Test("a task and the main thread have the main queue")
    func mainQueue() async throws {
        #expect(placeOfCurrentThread() is MainPlace)
        let onMain = await MainActor.run { placeOfCurrentThread() is MainPlace }
        #expect(onMain)
        let mailbox = Mailbox(at: placeOfCurrentThread(), log: log)
        mailbox.post { [notes] in MainActor.assumeIsolated { notes.add(1) } }
        try await eventually("it came") { notes.all == [1] }
    }

    @Test("one at a time and in order on a concurrent queue")
    func concurrentQueue() async throws {
        let queue = DispatchQueue(label: "test", attributes: .concurrent)
        let mailbox = Mailbox(at: QueuePlace(queue), log: log)
        for number in 0..<200 {
            mailbox.post { [notes] in
                dispatchPrecondition(condition: .onQueue(queue))
                notes.add(number)
            }
        }
        try await eventually("all came") { notes.all.count == 200 }
        #expect(notes.all == Array(0..<200))
    }

    private actor Keeper {
        var numbers: [Int] = []
        var mailbox: Mailbox?

        func keep(_ mailbox: Mailbox) { self.mailbox = mailbox }
        func add(_ number: Int) { numbers.append(number) }
    }

    @Test("isolated to an actor, in order; the actor is not kept alive")
    func onActor() async throws {
        weak var gone: Keeper?
        do {
            let keeper = Keeper()
            gone = keeper
            let mailbox = Mailbox(at: ActorPlace(keeper), log: log)
            await keeper.keep(mailbox)
            for number in 0..<200 {
                mailbox.post { [weak keeper] in keeper?.assumeIsolated { $0.numbers.append(number) } }
            }
            try await eventually("all came") { await keeper.numbers.count == 200 }
            #expect(await keeper.numbers == Array(0..<200))
        }
        try await eventually("the actor is gone") { gone == nil }
    }

    @Test("a closed mailbox calls nothing any more")
    func closed() async throws {
        let queue = DispatchQueue(label: "test")
        let mailbox = Mailbox(at: QueuePlace(queue), log: log)
        queue.suspend()
        mailbox.post { [notes] in notes.add(1) }
        mailbox.close()
        mailbox.post { [notes] in notes.add(2) }
        queue.resume()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(notes.all.isEmpty)
    }

    @Test("ten thousand mailboxes of a thread share one source, and their end lets its run loop end")
    func noLeak() async throws {
        let made = Notes<Mailbox>()
        let sources = Mutex<[ObjectIdentifier]>([])
        let thread = RunLoopThread { [log] in
            for _ in 0..<10_000 { made.add(Mailbox(at: placeOfCurrentThread(), log: log)) }
            let first = RunLoopSource.ofCurrentThread()
            sources.withLock { $0 = [ObjectIdentifier(first), ObjectIdentifier(RunLoopSource.ofCurrentThread())] }
        }
        #expect(Set(sources.withLock { $0 }).count == 1)
        thread.run()
        made.all.first?.post { [notes] in notes.add(1) }
        try await eventually("the loop runs") { notes.all == [1] }
        made.removeAll()
        try await eventually("nothing keeps the run loop alive") { thread.hasEnded }
    }
}
