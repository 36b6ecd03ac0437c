// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("A connection that takes no bytes")
struct FullReaderTests {
    /// Starts standard updates of a client whose socket is full after the first bytes of a line.
    private static func full(_ house: ServiceInMemory) -> (ClientManager, CountingChannel) {
        let channel = CountingChannel()
        let manager = house.connect(channel)
        house.ask(.startUpdatingLocation(resumeAfter: nil), from: manager)
        channel.room = 100
        return (manager, channel)
    }

    @Test("costs no line and no attempt to write per fix, however many there are")
    func costsNothing() throws {
        let house = try ServiceInMemory()
        let reader = house.connect(CountingChannel())
        house.ask(.startUpdatingLocation(resumeAfter: nil), from: reader)
        let full = (0..<900).map { _ in FullReaderTests.full(house) }
        // The first two fill them.
        for _ in 0..<2 { house.fix() }
        let offers = full.map { $0.1.offers }
        let lines = house.service.encoder.linesMade
        for _ in 0..<50 { house.fix() }
        #expect(full.map { $0.1.offers } == offers)
        #expect(house.service.encoder.linesMade == lines + 50, "one for each fix: the reader's")
        #expect(reader.outbox.deliveredCount == 52)
    }

    @Test("has what the backlog forgot counted, and hears of it when it takes bytes again")
    func forgotten() throws {
        let house = try ServiceInMemory { $0.limits.backlogLocations = 16 }
        let (manager, channel) = FullReaderTests.full(house)
        for _ in 0..<100 { house.fix() }
        let lines = house.service.encoder.linesMade
        #expect(manager.outbox.waitingLocations == 16)
        // The first is begun; the newest sixteen wait.
        #expect(manager.outbox.droppedCount == 83)
        channel.room = nil
        house.service.channelHasRoom(manager)
        house.service.flush()
        #expect(manager.outbox.isEmpty)
        #expect(manager.outbox.deliveredCount == 17)
        #expect(house.service.encoder.linesMade == lines + 1)
    }

    @Test("gets every line whole and in order, however little it takes at a time, and what it can take at once")
    func dribble() throws {
        let house = try ServiceInMemory()
        let channel = CountingChannel()
        let manager = house.connect(channel)
        house.ask(.startUpdatingLocation(resumeAfter: nil), from: manager)
        var random = SplitMix64(seed: 5)
        var answers = 1
        for _ in 0..<400 {
            channel.room = random.next() % 4 == 0 ? Int(random.next() % 600) : nil
            if random.next() % 8 == 0 {
                house.ask(.getProperties, from: manager)
                answers += 1
            }
            house.fix()
            #expect(manager.outbox.isEmpty || manager.flushed == .full, "else nobody would write it")
            guard channel.room != nil, random.next() % 2 == 0 else { continue }
            channel.room = nil
            house.service.channelHasRoom(manager)
            house.service.flush()
        }
        channel.room = nil
        house.service.channelHasRoom(manager)
        house.service.flush()
        #expect(manager.outbox.isEmpty && manager.outbox.droppedCount == 0 && manager.outbox.deliveredCount == 400)
        let lines = try channel.lines
        #expect(lines.compactMap { $0["params"]?["seq"]?.int } == Array(1...(lines.count - answers)))
        let sequences = lines.flatMap { $0["params"]?["locations"]?.array ?? [] }.compactMap { $0["sequence"]?.int }
        #expect(sequences == Array(sequences[0]..<(sequences[0] + 400)))
    }

    @Test("is no reason for others to wait: a live location is theirs when its turn is over, but not before an answer")
    func atOnce() throws {
        let house = try ServiceInMemory()
        let (_, full) = FullReaderTests.full(house)
        let channel = CountingChannel()
        let manager = house.connect(channel)
        house.ask(.startUpdatingLocation(resumeAfter: nil), from: manager)
        for _ in 0..<2 { house.fix() }
        let (bytes, offers) = (channel.bytes, full.offers)
        house.fix(flushing: false)
        #expect(channel.bytes > bytes && full.offers == offers)
        manager.outbox.reply(Array("{}\n".utf8))
        house.service.markDirty(manager)
        house.fix(flushing: false)
        #expect(manager.outbox.waitingLocations == 1)
        house.service.flush()
        #expect(try channel.lines.last?["method"]?.string == "didUpdateLocations" && manager.outbox.isEmpty)
    }

    @Test("is closed as soon as more waits for it than may, though nobody tries to write")
    func overTheLimit() throws {
        let house = try ServiceInMemory { $0.limits.outputLimit = 2000 }
        var told: [Outbox.Flushed] = []
        house.service.host.channelChanged = { manager, flushed in
            if flushed == .full, manager.outbox.undroppableBytes > 2000 { told.append(flushed) }
        }
        let channel = CountingChannel()
        let manager = house.connect(channel)
        house.ask(.getProperties, from: manager)
        channel.room = 0
        house.ask(.getProperties, from: manager)
        let offers = channel.offers
        for _ in 0..<30 {
            manager.outbox.notify(Array(repeating: 32, count: 100), .kept)
            house.service.markDirty(manager)
        }
        #expect(channel.offers == offers)
        #expect(told == Array(repeating: .full, count: 10))
    }
}

@Suite("What waits for a client")
struct OutboxQueueTests {
    private static func run(_ sequence: UInt64) -> LocationRun {
        LocationRun(Delivery(first: sequence, last: sequence, source: .standard), isLive: true)
    }

    @Test("has sums that are those of its items, whatever was done to it")
    func sums() {
        var random = SplitMix64(seed: 11)
        var queue = OutboxQueue()
        var sequence: UInt64 = 1
        for _ in 0..<1_000 {
            switch random.next() % 8 {
            case 0: queue.append(.reply(Array(repeating: 0, count: Int(random.next() % 50))))
            case 1: queue.append(.notification(Array(repeating: 0, count: Int(random.next() % 50)), kind: .kept))
            case 2:
                let stream = NotificationKind.Stream.liveUpdates(UInt32(random.next() % 3))
                queue.replace(stream, with: .notification([1, 2, 3], kind: .element(stream)))
            case 3, 4:
                // Some are not for this client.
                sequence += 1 + random.next() % 2
                let run = OutboxQueueTests.run(sequence)
                if !queue.join(run) { queue.append(.locations(run)) }
            case 5: _ = queue.dropOldestLive()
            case 6:
                guard let item = queue.takeFirst() else { continue }
                if random.next() % 2 == 0 { queue.putBack(item) }
            default:
                guard random.next() % 50 == 0 else { continue }
                queue.removeAll { if case .reply = $0 { true } else { false } }
            }
            OutboxQueueTests.check(queue)
        }
    }

    private static func check(_ queue: OutboxQueue) {
        let whole = OutboxQueue(Array(queue.items))
        #expect(queue.replyBytes == whole.replyBytes)
        #expect(queue.notificationBytes == whole.notificationBytes)
        #expect(queue.locations == whole.locations)
        #expect(queue.liveLocations == whole.liveLocations)
        var (last, total): (UInt64, Int) = (0, 0)
        for case .locations(let run) in queue.items {
            run.forEachRange { range in
                #expect(range.first > last && range.last >= range.first)
                (last, total) = (range.last, total + range.count)
                return true
            }
        }
        #expect(total == queue.locations)
    }

    @Test("lets locations meet when the element between them is replaced")
    func neighbours() {
        var queue = OutboxQueue()
        let element = Outbox.Item.notification([1], kind: .element(.heading))
        for sequence in 1...100 {
            let run = OutboxQueueTests.run(UInt64(sequence))
            if !queue.join(run) { queue.append(.locations(run)) }
            queue.replace(.heading, with: element)
        }
        #expect(queue.items.count == 2)
        #expect(queue.locations == 100)
    }

    @Test("keeps what was begun with `more` apart from what comes live")
    func begun() {
        var run = OutboxQueueTests.run(1)
        run.isBegun = true
        let next = OutboxQueueTests.run(2)
        let joins = run.join(next)
        #expect(!joins)
    }
}

@Suite("Connections that do not read")
struct SlowReaderOrderTests {
    private let start = BootInstant(nanoseconds: 0)

    @Test("are looked at in the order in which they were last seen to read, however often others come and go")
    func order() {
        var readers = SlowReaders()
        for number in 0..<1000 { readers.insert(number, lines: 0, at: start + .seconds(Double(number))) }
        for number in 0..<1000 where number % 2 == 0 { readers.remove(number) }
        #expect(readers.count == 500)
        #expect(readers.oldestMark == start + .seconds(1))
        readers.insert(1, lines: 5, at: start + .seconds(2000))
        #expect(readers.oldestMark == start + .seconds(1), "it was watched already")
        let stalled = readers.stalled(for: .seconds(60), at: start + .seconds(71)) { $0 == 3 ? 1 : 0 }
        #expect(stalled == [1, 5, 7, 9, 11])
        #expect(readers.oldestMark == start + .seconds(13))
        #expect(readers.mark(of: 3) == start + .seconds(71), "it took a line")
    }

    @Test("are forgotten one by one from either end and the middle")
    func leaving() {
        var readers = SlowReaders()
        for number in [4, 2, 9] { readers.insert(number, lines: 0, at: start + .seconds(Double(number))) }
        readers.remove(2)
        #expect(readers.oldestMark == start + .seconds(4))
        readers.remove(4)
        #expect(readers.oldestMark == start + .seconds(9))
        readers.remove(9)
        #expect(readers.isEmpty && readers.oldestMark == nil)
    }
}
