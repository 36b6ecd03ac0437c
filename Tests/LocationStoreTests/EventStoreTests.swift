// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationStore

@Suite("Events that wait to be acknowledged")
struct EventStoreTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("state.db")
    }

    @Test("all kinds come back bit for bit, oldest first")
    func kinds() throws {
        let events = (1...200).map { event($0, keepsAll: true) }
        do {
            let database = try Database(path: path)
            let app = try database.app(uid: 1, name: nil, label: nil).id
            for event in events.reversed() { try database.save(event, of: app) }
        }
        let database = try Database(path: path)
        let app = try database.app(uid: 1, name: nil, label: nil).id
        #expect(try database.events(of: app) == events)
        #expect(try database.events(of: app).count == events.count)
    }

    @Test("a significant change takes the place of the earlier one of its app only")
    func significantChange() throws {
        let database = try Database.inMemory()
        let apps = try [1, 2].map { try database.app(uid: $0, name: nil, label: nil).id }
        for app in apps {
            for number in 1...8 { try database.save(event(number), of: app) }
        }
        try database.save(event(12), of: apps[0])
        #expect(try database.events(of: apps[0]).map(\.number) == [1, 2, 3, 5, 6, 7, 12])
        #expect(try database.events(of: apps[1]).map(\.number) == [1, 2, 3, 5, 6, 7, 8])
    }

    @Test("an acknowledged event goes, that of its app and no other")
    func removal() throws {
        let database = try Database.inMemory()
        let apps = try [1, 2].map { try database.app(uid: $0, name: nil, label: nil).id }
        for app in apps {
            for number in [5, 1, 3, 2, 7, 6, 9, 10] { try database.save(event(number), of: app) }
        }
        #expect(try database.removeEvent(3, of: apps[0]))
        #expect(try !database.removeEvent(3, of: apps[0]))
        #expect(try database.events(of: apps[0]).map(\.number) == [1, 2, 5, 6, 7, 9, 10])
        #expect(try database.events(of: apps[1]).count == 8)
    }

    @Test("bytes that are no event are told from events, at every cut and for every changed length")
    func damage() throws {
        for number in 1...40 {
            let content = event(number, keepsAll: true).content
            let bytes = content.encoded
            func decoded(_ bytes: [UInt8]) -> AppEvent.Content? {
                bytes.withUnsafeBytes { AppEvent.Content(kind: content.kind.rawValue, decoding: $0) }
            }
            #expect(decoded(bytes) == content)
            for length in 0..<bytes.count { #expect(decoded(Array(bytes[..<length])) == nil, "\(number) \(length)") }
            #expect(decoded(bytes + [0]) == nil)
            #expect(decoded([2] + bytes.dropFirst()) == nil)
            bytes.withUnsafeBytes { #expect(AppEvent.Content(kind: "song", decoding: $0) == nil) }
        }
    }

    @Test("whatever the bytes are, reading them ends", .tellsSeed)
    func anyBytes() throws {
        var random = SplitMix64()
        for _ in 0..<4000 {
            let original = event(Int(random.next() % 100) + 1, keepsAll: true).content
            var bytes = original.encoded
            for _ in 0...random.next() % 4 {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            let content = bytes.withUnsafeBytes { AppEvent.Content(kind: original.kind.rawValue, decoding: $0) }
            // What is read at all is written again as it was, but for flags that no bit stands for.
            if let content { #expect(content.encoded.count == bytes.count) }
        }
    }

    @Test("an event and its number are kept together or not at all")
    func together() throws {
        let database = try Database(path: path)
        var app = try database.app(uid: 1, name: nil, label: nil)
        app.nextEvent = 2
        #expect(throws: StoreError.self) {
            try database.transaction(.power) { () throws(StoreError) in
                try database.save(event(1), of: app.id)
                try database.save(app)
                throw StoreError("cannot go on: a test")
            }
        }
        #expect(try database.events(of: app.id) == [])
        #expect(try database.apps()[0].nextEvent == 1)
        try database.transaction(.power) { () throws(StoreError) in
            try database.save(event(1), of: app.id)
            try database.save(app)
        }
        #expect(try Database(path: path).events(of: app.id) == [event(1)])
        #expect(try database.apps() == [app])
    }

    @Test("a joined call that fails takes the whole transaction with it, even if its error is caught")
    func joined() throws {
        let database = try Database.inMemory()
        let app = try database.app(uid: 1, name: nil, label: nil).id
        #expect(throws: StoreError.self) {
            try database.transaction(.process) { () throws(StoreError) in
                try database.save(event(1), of: app)
                try? database.save(event(2), of: 99)
            }
        }
        #expect(try database.events(of: app).count == 0)
        try database.save(event(1), of: app)
        #expect(try database.events(of: app).count == 1)
    }

    @Test("a transaction is as durable as the strictest call in it")
    func durability() throws {
        let database = try Database(path: path)
        let app = try database.app(uid: 1, name: nil, label: nil).id
        try database.transaction(.process) { () throws(StoreError) in try database.saveStay([1]) }
        #expect(try database.connection.integer("PRAGMA synchronous") == 1)
        let before = try readFile(path)
        try database.transaction(.process) { () throws(StoreError) in try database.saveStay([2]) }
        #expect(try readFile(path) == before)
        // The log is synced before it is written into the database itself: more than was asked for, and no less.
        try database.transaction(.process) { () throws(StoreError) in try database.save(event(1), of: app) }
        #expect(try readFile(path) != before)
        try database.transaction(.power) { () throws(StoreError) in try database.saveStay([2]) }
        #expect(try database.connection.integer("PRAGMA synchronous") == 2)
    }

    @Test(
        "after kill -9 every event that was kept is there, with its number used and the region it is about", .tellsSeed)
    func killed() async throws {
        var random = SplitMix64()
        for _ in 0..<4 {
            let path = directory.file("killed-\(random.next()).db")
            let delay = 5_000 + Int(random.next() % 30_000)
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, delay = delay as Int] in
                let database = try Database(path: path)
                let progress = try FixLog(path: path + ".progress", capacity: 16)
                var app = try database.app(uid: 1, name: nil, label: nil)
                while true {
                    // The first is never interrupted: a slow disk would leave nothing to look at.
                    if app.nextEvent == 2 { killThisProcess(afterMicroseconds: delay) }
                    let number = Int(app.nextEvent)
                    app.nextEvent += 1
                    try database.transaction(.power) { () throws(StoreError) in
                        try database.save(event(number, keepsAll: true), of: app.id)
                        try database.save(region(number, app: app.id))
                        try database.save(app)
                    }
                    progress.append(entry(UInt64(number)))
                }
            }
            let database = try Database(path: path)
            let kept = Int(try FixLog(path: path + ".progress", capacity: 16).newest)
            #expect(database.notes == [])
            let app = try #require(try database.apps().first)
            let count = try database.events(of: app.id).count
            #expect(kept > 0 && (kept...kept + 1).contains(count))
            #expect(try database.events(of: app.id) == (1...count).map { event($0, keepsAll: true) })
            #expect(try storedRegions(database) == (1...count).map { region($0, app: app.id) })
            #expect(app.nextEvent == UInt64(count) + 1)
        }
    }
}
