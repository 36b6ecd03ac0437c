// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationStore

/// A checksum says only that bytes are as they were written: what they say is checked as what a client says is.
@Suite("Files whose bytes are whole and say what cannot be", .tellsSeed)
struct AbsurdContentTests {
    private let directory: TemporaryDirectory
    private let path: String

    private static let reals: [Double] = [.nan, .infinity, -.infinity, 1e300, -1e300, 90.5, -180.5, 0, -1, 1e-300]
    private static let integers: [Int64] = [.min, .min + 1, -1, 0, 1 << 53, .max]

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("state")
    }

    private static func isSound(_ location: Location) -> Bool {
        location.isPlausible && location.sequence <= Location.greatestSequence
    }

    @Test("a fix that cannot have been is left out of the ring, and said")
    func ring() throws {
        let bad: [WritableKeyPath<LogEntry, Double>: [Double]] = [
            \.location.coordinate.latitude: [90.5, .nan], \.location.coordinate.longitude: [-180.5, .infinity],
            \.location.horizontalAccuracy: [0, -1, .nan, .infinity], \.odometer: [-1, .nan, .infinity],
        ]
        var entries = bad.flatMap { member, numbers in
            numbers.map { number in
                var entry = entry(9)
                entry[keyPath: member] = number
                return entry
            }
        }
        for date in [Int64.min, .max] {
            var entry = entry(9)
            entry.location.timestamp = WallTime(milliseconds: date)
            entries.append(entry)
        }
        for sequence in [Location.greatestSequence + 1, .max] {
            var entry = entry(9)
            entry.location.sequence = sequence
            entries.append(entry)
        }
        for (number, absurd) in entries.enumerated() {
            let path = directory.file("ring-\(number)")
            do {
                let log = try FixLog(path: path, capacity: 16)
                for sequence in 1...8 as ClosedRange<UInt64> { #expect(log.append(entry(sequence))) }
                #expect(log.append(absurd))
            }
            let log = try FixLog(path: path, capacity: 16)
            #expect(log.newest == 8, "\(absurd)")
            #expect(log.notes == ["dropped 1 damaged or unconnected records of \(path)"], "\(absurd)")
        }
    }

    @Test("what is read of an event can have happened, whatever number stands anywhere in it")
    func events() {
        for seed in SplitMix64.seeds(3) {
            var random = SplitMix64(seed: seed)
            for number in 1...40 {
                let content = event(number, keepsAll: true).content
                let words = Self.reals.map(\.bitPattern) + Self.integers.map { UInt64(bitPattern: $0) }
                for _ in 0..<50 {
                    var bytes = content.encoded
                    guard bytes.count >= 8 else { continue }
                    let place = random.below(bytes.count - 7)
                    let word = words[random.below(words.count)]
                    withUnsafeBytes(of: word.littleEndian) { bytes.replaceSubrange(place..<(place + 8), with: $0) }
                    check(bytes.withUnsafeBytes { AppEvent.Content(kind: content.kind.rawValue, decoding: $0) }, seed)
                }
            }
        }
    }

    private func check(_ content: AppEvent.Content?, _ seed: UInt64) {
        switch content {
        case .region(let region, _, let location):
            let isPlaced = location.map(Self.isSound) ?? (region.shape.beacons != nil)
            #expect(isPlaced && region.hysteresis.isValid && isSound(region.shape), "seed \(seed)")
        case .visit(let visit):
            #expect(visit.coordinate.isValid && visit.horizontalAccuracy > 0, "seed \(seed)")
            #expect(visit.arrival?.isWritable ?? true && visit.departure?.isWritable ?? true, "seed \(seed)")
        case .monitor(_, _, let event):
            #expect(event.date.isWritable && event.refinement.map(isSound) ?? true, "seed \(seed)")
        case .significantChange(let location, _): #expect(Self.isSound(location), "seed \(seed)")
        case .notice, nil: break
        }
    }

    private func isSound(_ shape: RegionShape) -> Bool {
        switch shape {
        case .circle(let center, let radius): center.isValid && radius > 0 && radius.isFinite
        case .polygon(let polygon): polygon.vertices.allSatisfy(\.isValid)
        case .beacon(let beacons): beacons.uuid.utf8.count == 36 && (beacons.major != nil || beacons.minor == nil)
        }
    }

    /// A database with a row in each table.
    private func filled() throws -> Database {
        let database = try Database(path: path)
        var app = try database.app(uid: 1, name: "a", label: nil)
        app.significant = StoredSignificant(
            reference: Coordinate(latitude: 1, longitude: 2), at: date(8), keepsEvents: true)
        app.nextEvent = 5
        try database.save(app)
        try database.saveLastLocation(entry(3).location)
        try database.reserveSequences(upTo: 100)
        try database.setLocationServicesEnabled(true)
        try database.save(region(1, app: app.id))
        try database.save(
            StoredCondition(
                app: app.id, monitor: "m", identifier: "c",
                shape: .circle(center: Coordinate(latitude: 1, longitude: 2), radius: 5),
                lastEvent: ConditionEvent(state: .satisfied, date: date(5)), pendingEvent: 4,
                found: ConditionEvent(state: .unsatisfied, date: date(6))))
        try database.save(event(1), of: app.id)
        return database
    }

    @Test("whatever number stands in a row, reading it ends, and what is read can be")
    func rows() throws {
        let database = try filled()
        let columns = [
            ("last_location", "latitude longitude horizontal_accuracy speed timestamp sequence"),
            ("sequence_reservation", "upper_bound"), ("service", "authorization_requests removed_events"),
            ("apps", "next_event events_dropped significant_latitude significant_longitude significant_at"),
            ("regions", "cushion dwell_nanoseconds state_date"),
            ("conditions", "last_date last_flags pending_event found_date"),
            ("events", "number date"),
        ]
        for (table, names) in columns {
            for name in names.split(separator: " ") {
                for value in Self.integers.map({ "\($0)" }) + ["9e999", "-9e999", "1e300", "-1e300", "90.5"] {
                    try database.connection.execute("SAVEPOINT one")
                    // Some are refused by the type of the column, or a check.
                    try? database.connection.execute("UPDATE \(table) SET \(name) = \(value)")
                    read(database, "\(table).\(name) = \(value)")
                    try database.connection.execute("ROLLBACK TO one; RELEASE one")
                }
            }
        }
    }

    private func read(_ database: Database, _ change: String) {
        if let last = try? database.lastLocation() { #expect(Self.isSound(last), "\(change)") }
        if let bound = try? database.reservedSequence() { #expect(bound <= Location.greatestSequence, "\(change)") }
        _ = try? database.firstEventOfNewApps()
        for app in (try? database.apps()) ?? [] {
            #expect(app.nextEvent <= Location.greatestSequence, "\(change)")
            #expect(app.significant?.reference?.isValid ?? true, "\(change)")
            #expect(app.significant?.at?.isWritable ?? true, "\(change)")
            for event in (try? database.events(of: app.id)) ?? [] {
                #expect(event.number <= Location.greatestSequence && event.date.isWritable, "\(change)")
            }
        }
        try? database.forEachRegion { stored in
            #expect(stored.region.hysteresis.isValid && stored.stateDate?.isWritable ?? true, "\(change)")
        }
        try? database.forEachCondition { stored in
            #expect(stored.lastEvent?.date.isWritable ?? true, "\(change)")
            #expect(stored.pendingEvent ?? 0 <= Location.greatestSequence, "\(change)")
        }
    }
}
