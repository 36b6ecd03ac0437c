// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationStore

@Suite("What the database keeps of apps")
struct DatabaseRecordsTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("state.db")
    }

    @Test("a decision comes back with every member, one per identity, until it is removed")
    func consents() throws {
        let user = StoredConsent(uid: 1000, name: nil, choice: 2, accuracy: 1, decidedBy: "uid:0", decidedAt: date(5))
        var unit = StoredConsent(
            uid: 1000, name: "unit:a.service", choice: 3, accuracy: 0, hasAskedAlways: true, decidedBy: "agent",
            decidedAt: date(6), lastUse: date(7))
        let other = StoredConsent(
            uid: .max, name: "unit:a.service", choice: -1, accuracy: 9, decidedBy: "", decidedAt: date(-1))
        do {
            let database = try Database(path: path)
            #expect(try database.consents() == [])
            for consent in [user, unit, other] { try database.save(consent) }
            unit.choice = 4
            try database.save(unit)
            try database.setLastUse(date(99), uid: 1000, name: nil)
        }
        let database = try Database(path: path)
        var used = user
        used.lastUse = date(99)
        #expect(try database.consents() == [used, unit, other])
        #expect(try database.removeConsent(uid: 1000, name: "unit:a.service"))
        #expect(try !database.removeConsent(uid: 1000, name: "unit:a.service"))
        #expect(try database.consents() == [used, other])
    }

    @Test("an app is found by user, name and label, and keeps what it was given")
    func apps() throws {
        let database = try Database.inMemory()
        var app = try database.app(uid: 7, name: "gpx", label: nil)
        #expect(app.nextEvent == 1 && app.significant == nil && !app.monitorsVisits && app.label == nil)
        let others = [
            try database.app(uid: 7, name: nil, label: nil), try database.app(uid: 7, name: "gpx", label: "x"),
            try database.app(uid: 8, name: "gpx", label: nil),
        ]
        #expect(Set([app.id] + others.map(\.id)).count == 4)
        for significant in [
            StoredSignificant(keepsEvents: true), nil,
            StoredSignificant(
                reference: Coordinate(latitude: 1.5, longitude: -2.5), at: date(8), keepsEvents: false),
        ] {
            app.significant = significant
            app.monitorsVisits.toggle()
            app.isSystemUnit.toggle()
            app.nextEvent += 3
            app.eventsDropped += 1
            try database.save(app)
            #expect(try database.app(uid: 7, name: "gpx", label: nil) == app)
            #expect(try database.apps() == [app] + others)
        }
        app.nextEvent = 2
        try database.save(app)
        #expect(try database.apps()[0].nextEvent == 10)
    }

    @Test("an app goes when nothing is left of it, and its event numbers do not come again")
    func emptyApps() throws {
        let database = try Database(path: path)
        var app = try database.app(uid: 1, name: nil, label: "l")
        let id = app.id
        let cases: [(keep: () throws -> Void, drop: () throws -> Void)] = [
            ({ try database.save(region(1, app: id)) }, { try database.removeRegion(app: id, identifier: "region 1") }),
            (
                { try database.save(StoredMonitor(app: id, name: "m")) },
                { try database.removeMonitor(StoredMonitor(app: id, name: "m")) }
            ),
            ({ try database.save(event(1), of: id) }, { try database.removeEvent(1, of: id) }),
        ]
        for (keep, drop) in cases {
            try keep()
            #expect(try !database.removeAppIfEmpty(id))
            try drop()
        }
        app.significant = StoredSignificant(keepsEvents: false)
        try database.save(app)
        #expect(try !database.removeAppIfEmpty(id))
        app.significant = nil
        app.monitorsVisits = true
        try database.save(app)
        #expect(try !database.removeAppIfEmpty(id))
        app.monitorsVisits = false
        app.eventsDropped = 1
        try database.save(app)
        #expect(try !database.removeAppIfEmpty(id))
        app.eventsDropped = 0
        app.nextEvent = 42
        try database.save(app)
        #expect(try database.removeAppIfEmpty(id))
        #expect(try database.apps() == [])
        #expect(try !database.removeAppIfEmpty(id))
        #expect(try database.app(uid: 1, name: nil, label: "l").nextEvent == 42)
    }

    @Test("circles, polygons and beacons come back bit for bit with flags, hysteresis and state")
    func regions() throws {
        let database = try Database(path: path)
        let apps = [try database.app(uid: 1, name: nil, label: nil), try database.app(uid: 2, name: nil, label: nil)]
        var regions: [StoredRegion] = []
        for number in 0..<64 { regions.append(region(number, app: apps[number % 2].id)) }
        for region in regions { try database.save(region) }
        #expect(try storedRegions(database) == regions)
        for number in 0..<32 {
            regions[number] = region(number + 100, app: regions[number].app, identifier: "region \(number)")
            try database.save(regions[number])
        }
        regions[40].state = .inside
        regions[40].stateDate = date(77)
        try database.setRegionState(app: regions[40].app, identifier: "region 40", .inside, at: date(77), .process)
        #expect(try storedRegions(database) == regions)
        #expect(try database.removeRegion(app: apps[0].id, identifier: "region 0"))
        #expect(try !database.removeRegion(app: apps[1].id, identifier: "region 0"))
        regions.removeFirst()
        #expect(try storedRegions(Database(path: path)) == regions)
    }

    @Test("monitors are kept without conditions, conditions with their last and their waiting event")
    func monitors() throws {
        let database = try Database(path: path)
        let app = try database.app(uid: 1, name: nil, label: nil).id
        for name in ["empty", "full", "empty"] { try database.save(StoredMonitor(app: app, name: name)) }
        #expect(try database.monitors().map(\.name) == ["empty", "full"])
        var conditions: [StoredCondition] = []
        for number in 0..<16 {
            let last = ConditionEvent(
                state: ConditionState.allCases[number % 4], date: date(number),
                refinement: number % 3 == 0 ? region(number, app: app).region.shape : nil,
                flags: DiagnosticFlags(rawValue: UInt16(number * 4000)))
            conditions.append(
                StoredCondition(
                    app: app, monitor: number < 8 ? "full" : "new", identifier: "c\(number)",
                    shape: region(number, app: app).region.shape, lastEvent: number % 5 == 0 ? nil : last,
                    pendingEvent: number % 2 == 0 ? UInt64(number) : nil,
                    found: number % 4 == 0 ? ConditionEvent(state: .unsatisfied, date: date(number)) : nil))
        }
        for condition in conditions { try database.save(condition) }
        #expect(try storedConditions(database) == conditions)
        conditions[3].lastEvent = conditions[7].lastEvent
        conditions[3].pendingEvent = 1 << 40
        try database.save(conditions[3])
        #expect(try storedConditions(database) == conditions)
        #expect(try database.removeCondition(app: app, monitor: "full", identifier: "c0"))
        #expect(try !database.removeCondition(app: app, monitor: "new", identifier: "c0"))
        #expect(try database.removeMonitor(StoredMonitor(app: app, name: "new")))
        #expect(try storedConditions(Database(path: path)) == Array(conditions[1..<8]))
        #expect(try database.monitors().map(\.name) == ["empty", "full"])
    }

    @Test("services are on until somebody turns them off")
    func switchedOff() throws {
        do {
            let database = try Database(path: path)
            #expect(try database.locationServicesEnabled())
            try database.setLocationServicesEnabled(false)
        }
        let database = try Database(path: path)
        #expect(try !database.locationServicesEnabled())
        try database.setLocationServicesEnabled(true)
        #expect(try database.locationServicesEnabled())
    }

    @Test("what the visit detector wrote comes back, the empty blob too")
    func stay() throws {
        let database = try Database(path: path)
        #expect(try database.stay() == nil)
        for state: [UInt8]? in [[1, 0, 255], [], nil, [UInt8](repeating: 7, count: 9000)] {
            try database.saveStay(state)
            #expect(try Database(path: path).stay() == state)
        }
    }

    @Test("authorization requests count from 1, and after a restart on from what was reserved")
    func requests() throws {
        var given: [UInt64] = []
        for _ in 0..<3 {
            let database = try Database(path: path)
            for _ in 0..<65 { given.append(try database.nextAuthorizationRequest()) }
        }
        #expect(given == Array(1...65) + Array(129...193) + Array(257...321))
    }

    @Test("what belongs to an app that is not kept is refused")
    func unknownApp() throws {
        let database = try Database.inMemory()
        #expect(throws: StoreError.self) { try database.save(region(1, app: 5)) }
        #expect(throws: StoreError.self) { try database.save(event(1), of: 5) }
        #expect(throws: StoreError.self) { try database.save(StoredMonitor(app: 5, name: "m")) }
        #expect(try database.events(of: 5).count == 0)
    }
}
