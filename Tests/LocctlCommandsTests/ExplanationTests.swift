// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocctlCommands
import Testing

@Suite("Why a client gets no locations")
struct ExplanationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var cause: Explanation.Cause
        var sentence: String
        var status: Status
        var testDescription: String { cause.rawValue }

        init(_ cause: Explanation.Cause, _ sentence: String, _ change: @Sendable (inout Status) -> Void = { _ in }) {
            self.init(Sample.working(), cause, sentence, change)
        }

        init(
            _ status: Status, _ cause: Explanation.Cause, _ sentence: String,
            _ change: @Sendable (inout Status) -> Void = { _ in }
        ) {
            self.cause = cause
            self.sentence = sentence
            self.status = status
            change(&self.status)
        }
    }

    static let clients: [Row] = [
        Row(.nothing, "It gets locations: the last one 0.4 s ago."),
        Row(.servicesOff, "It gets no locations: location services are off for the whole device.") {
            $0.locationServicesEnabled = false
        },
        Row(
            .notAuthorized,
            "It gets no locations: locations are denied to it; `locctl authorize uid:1000 when-in-use` allows them."
        ) { $0.managers?[0].authorizationStatus = .denied },
        Row(
            .notAuthorized,
            "It gets no locations: locations are denied to it (decided by uid:0 on 2026-11-21); "
                + "`locctl authorize 'a b' always` allows them."
        ) {
            $0.managers?[0].authorizationStatus = .denied
            var app = AppStatus(app: "a b", identity: "uid:1000", uid: 1000, authorizationStatus: .denied)
            (app.decidedBy, app.decidedAt, app.regions) = ("uid:0", lookedAt, 1)
            $0.apps = [app]
        },
        Row(.notAuthorized, "It gets no locations: locations are restricted on this device, also for it.") {
            $0.managers?[0].authorizationStatus = .restricted
        },
        Row(
            .waitingForAuthorization,
            "It gets no locations: nobody has decided yet whether it may have locations; "
                + "`locctl authorize uid:1000 when-in-use` allows it."
        ) { $0.managers?[0].authorizationStatus = .notDetermined },
        Row(.waitingForAuthorization, "It gets no locations: nobody has decided; try this.") {
            $0.managers?[0].authorizationStatus = .notDetermined
            $0.managers?[0].services[0].reason = "nobody has decided; try this"
        },
        Row(.notStarted, "It gets no locations: it has not started a service and has not asked for a location.") {
            $0.managers?[0].services = []
        },
        Row(
            .waitingToRejoin,
            "It gets no locations: its connection is gone; what comes is kept for a while in case it comes back."
        ) { $0.managers?[0].waitingToRejoin = true },
        Row(
            Sample.withoutGPSD(), .gpsdNotConnected,
            "It gets no locations: gpsd is not connected: cannot connect to 127.0.0.1:2947: Connection refused."),
        Row(.gpsdNotConnected, "It gets no locations: gpsd at 127.0.0.1:2947 is not connected.") {
            $0.gpsd.connected = false
        },
        Row(
            .provided, "It gets locations: from locctl locate, ±25 km, since gpsd at 127.0.0.1:2947 is not connected."
        ) {
            $0.gpsd.connected = false
            $0.providers = [ProviderStatus(name: "locctl locate", horizontalAccuracy: 25_000, told: true)]
        },
        Row(
            .provided, "It gets locations: from another program, ±40 m, since gpsd at 127.0.0.1:2947 is not connected."
        ) {
            $0.gpsd.connected = false
            $0.providers = [ProviderStatus(kind: "wifi", horizontalAccuracy: 40, told: true)]
        },
        Row(Sample.withoutReceiver(), .noReceiver, "It gets no locations: gpsd has no receiver."),
        Row(.noReceiver, "It gets no locations: gpsd has lost its receiver /dev/ttyACM0.") {
            $0.receivers?[0].lost = true
        },
        Row(
            Sample.withoutFix(), .noFix,
            "It gets no locations: the receiver /dev/ttyACM0 has no fix: it uses 2 of 9 satellites."),
        Row(
            Sample.withoutFix(), .noFix,
            "It gets no locations: the receiver /dev/ttyACM0 has no fix: it hears no satellite."
        ) {
            $0.receivers?[0].satellitesUsed = 0
            $0.receivers?[0].satellitesSeen = 0
        },
        Row(.noFix, "It gets no locations: the receiver /dev/ttyACM0 has no fix: it uses 9 of 14 satellites.") {
            $0.receivers?[0].fixAge = 10
        },
        Row(
            .repeatedTime,
            "It gets no locations: the receiver /dev/ttyACM0 repeats its time, so that its fixes are not taken."
        ) {
            $0.receivers?[0].repeatsTime = true
        },
        Row(.clientDoesNotRead, "It gets no locations: it does not read: 57 locations (14 kB) wait for it; 3 are lost.")
        {
            $0.managers?[0].lag = .init(locations: 57, bytes: 14_250)
            $0.managers?[0].dropped = 3
        },
        Row(
            .deferred,
            "It does not get every location at once: its deferral 2 holds 120 locations until 300 m more are travelled "
                + "or 45 s have passed."
        ) { $0.managers?[0].deferral = .init(number: 2, held: 120, distanceLeft: 300, timeLeft: 45) },
        Row(.deferred, "It does not get every location at once: its deferral 1 holds 1 location without a limit.") {
            $0.managers?[0].deferral = .init(number: 1, held: 1)
        },
        Row(.nothing, "It gets locations: the last one 0.4 s ago.") {
            $0.managers?[0].deferral = .init(number: 1, held: 0)
            $0.managers?[0].presence = .foreground
        },
        Row(
            .filtered,
            "It does not get every location at once: its distanceFilter of 100 m keeps back what is nearer to the "
                + "location before, 5,700 so far; it was given 11,520, and the last fix was 0.4 s ago."
        ) {
            $0.managers?[0].properties.distanceFilter = 100
            $0.managers?[0].filtered = ["distanceFilter": 5_700]
        },
        Row(.nothing, "It gets locations: the last one 0.4 s ago.") {
            $0.managers?[0].properties.distanceFilter = 100
        },
        Row(
            .significantChangeOnly,
            "It does not get every location at once: it asked for regions and visits only."
        ) {
            $0.managers?[0].services = [
                .init(service: .visits, state: .running), .init(service: .regions, state: .running),
            ]
        },
        Row(
            .notStarted,
            "It gets no locations: it ranges and monitors beacons, and has not asked for locations; nothing hears them."
        ) {
            $0.gpsd.connected = false
            $0.managers?[0].services = [
                .init(service: .ranging, state: .unavailable, reason: "nothing hears them", onlyBeacons: true),
                .init(service: .regions, state: .running, onlyBeacons: true),
            ]
        },
        Row(
            .paused,
            "It gets no locations: its updates pause while the device rests since 09:55:37, last checked 1 min 30 s ago."
        ) {
            $0.managers?[0].paused = true
            $0.device = Sample.rest
        },
        Row(
            .paused,
            "It gets no locations: it hears nothing while the device rests since 09:55:37, last checked 1 min 30 s ago."
        ) {
            $0.managers?[0].services = [.init(service: .liveUpdates, state: .running)]
            $0.managers?[0].liveUpdates = [.init(updates: 1, configuration: .default, stationary: true)]
            $0.device = Sample.rest
        },
        Row(.nothing, "It gets locations: the last one 0.4 s ago.") {
            $0.managers?[0].services = [.init(service: .liveUpdates, state: .running)]
            $0.managers?[0].liveUpdates = [
                .init(updates: 1, configuration: .default, stationary: true),
                .init(updates: 2, configuration: .airborne),
            ]
            $0.device = Sample.rest
        },
        Row(
            Sample.sleeping(), .atRest,
            "It does not get every location at once: the device rests since 09:55:37, last checked 1 min 30 s ago, and the "
                + "receivers sleep until 10:42:57, 40 s more."
        ) { $0.device = Sample.rest },
        Row(
            Sample.sleeping(), .receiverAsleep,
            "It does not get every location at once: the receivers sleep until 10:42:57, 40 s more, since those who need "
                + "locations can wait between fixes."
        ) { $0.gpsd = GPSDStatus(connected: false, lastError: "it broke") },
        Row(
            Sample.idle(), .notStarted,
            "It gets no locations: it has not started a service and has not asked for a location."
        ) {
            $0.managers = [Sample.client()]
            $0.managers?[0].services = []
            $0.receivers?[0].fixAge = 900
        },
        Row(
            .significantChangeOnly,
            "It does not get every location at once: it asked for significant changes only, when the device has come far."
        ) { $0.managers?[0].services = [.init(service: .significantChange, state: .running)] },
        Row(
            Sample.sleeping(), .receiverAsleep,
            "It does not get every location at once: the receivers sleep until 10:42:57, 40 s more, since those who "
                + "need locations can wait between fixes."),
    ]

    @Test("the first thing in a client's way is named", arguments: clients)
    func client(_ row: Row) throws {
        let manager = try #require(row.status.managers?.first)
        let explanation = Explanation.client(manager, row.status, now: lookedAt, .utc)
        #expect(explanation.cause == row.cause)
        #expect(explanation.sentence(about: "It") == row.sentence)
    }

    /// What stands in the way first hides all that stands behind it.
    static let obstacles: [(Explanation.Cause, @Sendable (inout Status) -> Void)] = [
        (.servicesOff, { $0.locationServicesEnabled = false }),
        (.notAuthorized, { $0.managers?[0].authorizationStatus = .denied }),
        (.gpsdNotConnected, { $0.gpsd = GPSDStatus(connected: false, lastError: "it broke") }),
        (.noReceiver, { $0.receivers = [] }),
        (.repeatedTime, { if $0.receivers?.isEmpty == false { $0.receivers?[0].repeatsTime = true } }),
        (.noFix, { if $0.receivers?.isEmpty == false { $0.receivers?[0].mode = 1 } }),
        (.paused, { $0.managers?[0].paused = true }),
        (
            .filtered,
            {
                $0.managers?[0].properties.distanceFilter = 10
                $0.managers?[0].filtered = ["distanceFilter": 1]
            }
        ),
        (.clientDoesNotRead, { $0.managers?[0].lag = .init(locations: 1, bytes: 250) }),
        (.deferred, { $0.managers?[0].deferral = .init(number: 1, held: 1) }),
    ]

    @Test("of two things in a client's way the earlier one is named", arguments: obstacles.indices)
    func order(_ first: Int) throws {
        for second in Self.obstacles.indices where second >= first {
            let status = Sample.working {
                Self.obstacles[second].1(&$0)
                Self.obstacles[first].1(&$0)
            }
            let manager = try #require(status.managers?.first)
            #expect(Explanation.client(manager, status, now: lookedAt, .utc).cause == Self.obstacles[first].0)
        }
    }

    static let absentApps: [(Explanation.Cause, String, @Sendable (inout AppStatus) -> Void)] = [
        (
            .notStarted,
            "It gets no locations: it is not connected, and has asked for nothing that goes on without it.", { _ in }
        ),
        (
            .notConnected,
            "It does not get every location at once: it is not connected; what happens is kept for it: it has 2 regions, "
                + "visits, 3 events not fetched yet.",
            {
                ($0.regions, $0.wantsVisits, $0.pendingEvents) = (2, true, 3)
            }
        ),
        (
            .notConnected,
            "It does not get every location at once: it is not connected, and may have locations only while it is in use; "
                + "it has 1 region.",
            {
                $0.authorizationStatus = .authorizedWhenInUse
                $0.regions = 1
            }
        ),
        (
            .waitingForAuthorization,
            "It gets no locations: nobody has decided yet whether it may have locations; "
                + "`locctl authorize fence when-in-use` allows it.",
            { $0.authorizationStatus = .notDetermined }
        ),
    ]

    @Test("an app without a connection is told of, too", arguments: absentApps.indices)
    func absentApp(_ index: Int) {
        let (cause, sentence, change) = Self.absentApps[index]
        var app = AppStatus(app: "fence", identity: "app:fence", uid: 1000, authorizationStatus: .authorizedAlways)
        change(&app)
        let explanation = Explanation.app(app, Sample.working(), now: lookedAt, .utc)
        #expect(explanation.cause == cause)
        #expect(explanation.sentence(about: "It") == sentence)
        let status = Sample.working { $0.apps = [app] }
        #expect(ClientSearch.app(named: "app:fence", in: status) == app)
        #expect(ClientSearch.app(named: "navit", in: status) == nil)
    }

    static let devices: [Row] = [
        Row(.nothing, "Locations come: the last one 0.4 s ago."),
        Row(
            .noReceiver, "No locations come: gpsd has no receiver; cannot read /var/lib/locationd/place: it is damaged."
        ) {
            $0.receivers = []
            $0.providers = [
                .init(name: "locctl locate", problem: "cannot read /var/lib/locationd/place: it is damaged")
            ]
        },
        Row(.servicesOff, "No locations come: location services are off for the whole device.") {
            $0.locationServicesEnabled = false
        },
        Row(
            Sample.denied(), .notAuthorized,
            "No locations come: this user may not have locations, or has not asked for any yet."
        ) { $0.apps = nil },
        Row(
            Sample.denied(), .notAuthorized,
            "No locations come: locations are denied to uid:1001; `locctl authorize uid:1001 when-in-use` allows them."
        ) { $0.gpsd.connected = false },
        Row(
            Sample.denied(), .waitingForAuthorization,
            "No locations come: nobody has decided yet whether uid:1001 may have locations; "
                + "`locctl authorize uid:1001 when-in-use` allows it."
        ) { $0.apps?[0].authorizationStatus = .notDetermined },
        Row(
            Sample.denied(), .reducedAccuracy,
            "Locations come to uid:1001 with reduced accuracy: a circle of kilometres, a new one every 15 minutes at most; "
                + "how the receivers do is not told."
        ) {
            $0.apps?[0].authorizationStatus = .authorizedWhenInUse
            $0.apps?[0].accuracyAuthorization = .reduced
        },
        Row(Sample.idle(), .nobodyAsks, "Nobody asks for locations, so the receivers are off; gpsd is there."),
        Row(
            Sample.idle(), .nobodyAsks,
            "Nobody asks for locations, so the receivers are off; gpsd is not connected, and is tried again when somebody "
                + "does."
        ) {
            $0.gpsd = GPSDStatus(connected: false, address: "127.0.0.1:2947", lastError: "it broke")
        },
        Row(
            Sample.idle(), .waitingForAuthorization,
            "No locations come: 2 clients ask for them and wait for somebody's decision (`locctl requests`), so the receivers "
                + "are off; gpsd is there."
        ) {
            $0.managers = (3...5).map { Sample.client($0) }
            for index in 0...1 {
                $0.managers?[index].services = [.init(service: .standard, state: .waitingForAuthorization)]
            }
            $0.managers?[2].services = []
        },
        Row(
            Sample.idle(), .nobodyAsks,
            "Nobody who may have locations asks for them, so the receivers are off; gpsd is there."
        ) {
            $0.managers = [Sample.client()]
            $0.managers?[0].services = [.init(service: .standard, state: .denied)]
        },
        Row(
            Sample.withoutGPSD(), .gpsdNotConnected,
            "No locations come: gpsd is not connected: cannot connect to 127.0.0.1:2947: Connection refused."),
        Row(Sample.withoutReceiver(), .noReceiver, "No locations come: gpsd has no receiver."),
        Row(
            Sample.withoutFix(), .noFix,
            "No locations come: the receiver /dev/ttyACM0 has no fix: it uses 2 of 9 satellites."),
        Row(
            Sample.sleeping(), .receiverAsleep,
            "The receivers sleep until 10:42:57, 40 s more, since those who need locations can wait between fixes."),
    ]

    @Test("the first thing in everybody's way is named", arguments: devices)
    func device(_ row: Row) {
        let explanation = Explanation.device(row.status, now: lookedAt, .utc)
        #expect(explanation.cause == row.cause)
        #expect(explanation.sentence() == row.sentence)
    }
}
