// SPDX-License-Identifier: Apache-2.0

import LocationModel
import LocationProtocol
import Testing

/// A status with every member there is.
let fullStatus = Status(
    daemon: DaemonStatus(
        version: "0.1", uptime: 12.5, pid: 99, memory: DaemonStatus.Memory(resident: 9_000_000, anonymous: 900_000),
        stateProblems: ["cannot write /var/lib/locationd: read-only"], stateRepairs: ["saved 3 rows"]),
    locationServicesEnabled: true,
    gpsd: GPSDStatus(
        connected: true, address: "127.0.0.1:2947", state: "watching", since: 10, lastError: "connection refused"),
    receivers: [
        ReceiverStatus(
            path: "/dev/ttyACM0", driver: "u-blox", mode: 3, satellitesUsed: 8, satellitesSeen: 14, fixAge: 0.5,
            rate: 1,
            preferred: true, lost: false)
    ],
    providers: [
        ProviderStatus(
            name: "unit:wifi.service uid:0", kind: "wifi", horizontalAccuracy: 40, remaining: 12.5, told: true,
            problem: "something")
    ],
    power: PowerStatus(
        policy: .dutyCycled, reason: "only significant changes are wanted", on: false, nextOn: 55,
        demands: [
            PowerStatus.Demand(connection: 1, service: .significantChange, desiredAccuracy: .kilometer),
            PowerStatus.Demand(app: "maps", service: .regions, desiredAccuracy: .hundredMeters),
        ]),
    fixes: FixesStatus(accepted: 17, rejected: ["noFix": 3, "backwards": 1], newestSequence: 1041, lastFixAge: 0.5),
    connections: ConnectionsStatus(
        total: 2, limit: 1024, refused: 3,
        users: [ConnectionsStatus.User(uid: 1000, connections: 2, waitingForTurn: 1, notReading: 1)],
        clients: [
            ConnectionsStatus.Client(
                connection: 1, pid: 4711, uid: 1000, identity: "maps.service", age: 60, waitingForTurn: 2.5,
                notReading: 8)
        ]), managers: [fullManager],
    device: DeviceStatus(stationary: true, since: WallTime(milliseconds: 0), lastCheckAge: 7.5), apps: [fullApp],
    history: fullHistory)

let fullHistory: HistoryStatus = {
    var history = HistoryStatus(keepDays: 30)
    (history.fixes, history.events, history.bytes) = (2_592_000, 12, 60_000_000)
    (history.oldest, history.newest) = (WallTime(milliseconds: 0), WallTime(milliseconds: 2_592_000_000))
    (history.waiting, history.lost) = (17, 3)
    history.problem = "cannot use /var/lib/locationd/history.sqlite: disk full"
    return history
}()

let fullManager: ManagerStatus = {
    var manager = ManagerStatus(
        connection: 1, pid: 4711, uid: 1000, identity: "maps.service", app: "maps", presence: .foreground,
        properties: ManagerProperties(), authorizationStatus: .authorizedAlways, accuracyAuthorization: .full,
        services: [
            ManagerStatus.Service(service: .standard, state: .running, reason: "no receiver"),
            ManagerStatus.Service(service: .liveUpdates, state: .running),
        ],
        deferral: ManagerStatus.Deferral(number: 2, held: 30, distanceLeft: 400, timeLeft: 20),
        request: ManagerStatus.Request(number: 3, timeLeft: 4), delivered: 12,
        filtered: ["distanceFilter": 5, "deferred": 30],
        dropped: 1, lag: ManagerStatus.Lag(locations: 2, bytes: 800), waitingToRejoin: true, paused: false,
        sessions: [
            ManagerStatus.Session(kind: .backgroundActivity, number: 4),
            ManagerStatus.Session(kind: .service, number: 5, requirement: .always, fullAccuracyPurposeKey: "turn"),
        ],
        liveUpdates: [ManagerStatus.LiveUpdates(updates: 6, configuration: .fitness, stationary: true)])
    manager.user = "ada"
    manager.beaconsWanted = WantedBeacons(uuids: [beacons], onlyMonitored: true)
    return manager
}()

@Suite("Status")
struct StatusTests {
    @Test("a full status has every member, both ways")
    func full() throws {
        let json = try encoded(fullStatus)
        let daemon =
            #""daemon":{"memory":{"anonymous":900000,"resident":9000000},"pid":99,"#
            + #""stateProblems":["cannot write /var/lib/locationd: read-only"],"stateRepairs":["saved 3 rows"],"uptime":12.5,"version":"0.1"}"#
        let fixes =
            #""fixes":{"accepted":17,"lastFixAge":0.5,"newestSequence":1041,"rejected":{"backwards":1,"noFix":3}}"#
        let power =
            #""power":{"for":[{"connection":1,"desiredAccuracy":"kilometer","service":"significantChange"},"#
            + #"{"app":"maps","desiredAccuracy":"hundredMeters","service":"regions"}],"#
            + #""nextOn":55,"on":false,"policy":"dutyCycled","reason":"only significant changes are wanted"}"#
        let receiver =
            #""receivers":[{"driver":"u-blox","fixAge":0.5,"lost":false,"mode":3,"path":"/dev/ttyACM0","#
            + #""preferred":true,"rate":1,"satellitesSeen":14,"satellitesUsed":8}]"#
        let gpsd =
            #""gpsd":{"address":"127.0.0.1:2947","connected":true,"lastError":"connection refused","since":10,"#
            + #""state":"watching"}"#
        let device = #""device":{"lastCheckAge":7.5,"since":"1970-01-01T00:00:00.000Z","stationary":true}"#
        for part in [device, daemon, fixes, power, receiver, gpsd] { #expect(json.contains(part)) }
        #expect(json.hasPrefix(#"{"apps":[{"accuracyAuthorization":"reduced","#))
        let connections =
            #""connections":{"clients":[{"age":60,"connection":1,"identity":"maps.service","notReading":8,"pid":4711,"#
            + #""uid":1000,"waitingForTurn":2.5}],"limit":1024,"refused":3,"total":2,"users":[{"connections":2,"#
            + #""notReading":1,"uid":1000,"waitingForTurn":1}]},"#
        #expect(json.contains(connections))
        #expect(try decode(Status.self, json) == fullStatus)
    }

    @Test("a manager in a status, both ways")
    func manager() throws {
        #expect(
            try encoded(fullManager)
                == #"{"accuracyAuthorization":"full","app":"maps","authorizationStatus":"authorizedAlways","#
                + #""beaconsWanted":{"any":false,"onlyMonitored":true,"uuids":["\#(beacons)"]},"connection":1,"#
                + #""deferral":{"distanceLeft":400,"held":30,"number":2,"timeLeft":20},"delivered":12,"dropped":1,"#
                + #""filtered":{"deferred":30,"distanceFilter":5},"identity":"maps.service","#
                + #""lag":{"bytes":800,"locations":2},"liveUpdates":[{"configuration":"fitness","stationary":true,"#
                + #""updates":6}],"paused":false,"pid":4711,"presence":"foreground","properties":"#
                + #"{"activityType":"other","allowsBackgroundLocationUpdates":false,"desiredAccuracy":"best","#
                + #""distanceFilter":"none","headingFilter":1,"pausesLocationUpdatesAutomatically":true},"#
                + #""request":{"number":3,"timeLeft":4},"services":[{"reason":"no receiver","service":"standard","#
                + #""state":"running"},{"service":"liveUpdates","state":"running"}],"#
                + #""sessions":[{"kind":"backgroundActivity","number":4},{"fullAccuracyPurposeKey":"turn","kind":"service","#
                + #""number":5,"requirement":"always"}],"uid":1000,"user":"ada","waitingToRejoin":true}"#)
    }

    @Test("what is not known or not for this client is absent")
    func reduced() throws {
        let status = Status(
            daemon: DaemonStatus(version: "0.1", uptime: 1, pid: 2), locationServicesEnabled: false,
            gpsd: GPSDStatus(connected: false), connections: ConnectionsStatus(total: 1))
        let json = try encoded(status)
        #expect(
            json == #"{"connections":{"total":1},"daemon":{"pid":2,"uptime":1,"version":"0.1"},"#
                + #""gpsd":{"connected":false},"locationServicesEnabled":false}"#)
        #expect(try decode(Status.self, json) == status)
    }
}
