// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocationTestSupport

/// 2026-11-21T10:42:17.250Z: the date at which everything here is looked at.
let lookedAt = WallTime(year: 2026, month: 11, day: 21, hour: 10, minute: 42, second: 17, millisecond: 250)

/// Documents and locations for tests to bend.
enum Sample {
    static func location(_ sequence: UInt64 = 48_211, secondsAgo: Double = 0.4) -> Location {
        Location(
            coordinate: Coordinate(latitude: 44.9901376, longitude: -30.0092867), horizontalAccuracy: 3.24,
            timestamp: WallTime(milliseconds: lookedAt.milliseconds - Int64(secondsAgo * 1000)), sequence: sequence,
            altitude: 266.84, ellipsoidalAltitude: 325.1, verticalAccuracy: 8.7, speed: 13.52, speedAccuracy: 0.31,
            course: 271.4, courseAccuracy: 2)
    }

    static func receiver() -> ReceiverStatus {
        ReceiverStatus(
            path: "/dev/ttyACM0", driver: "u-blox", mode: 3, satellitesUsed: 9, satellitesSeen: 14, fixAge: 0.42,
            rate: 1, preferred: true)
    }

    static func client(_ connection: UInt64 = 3, app: String? = "navit") -> ManagerStatus {
        ManagerStatus(
            connection: connection, pid: 1200 + Int(connection), uid: 1000, identity: "uid:1000", app: app,
            presence: .background, properties: ManagerProperties(), authorizationStatus: .authorizedAlways,
            accuracyAuthorization: .full, services: [.init(service: .standard, state: .running)], delivered: 11_520,
            filtered: [:], dropped: 0, lag: .init(locations: 0, bytes: 0))
    }

    /// A daemon with which everything is well.
    static func working() -> Status {
        Status(
            daemon: DaemonStatus(
                version: "0.1.0", uptime: 11_562, pid: 812,
                memory: DaemonStatus.Memory(resident: 11_230_000, anonymous: 2_100_000)),
            locationServicesEnabled: true,
            gpsd: GPSDStatus(connected: true, address: "127.0.0.1:2947", state: "watching", since: 11_560),
            receivers: [receiver()],
            power: PowerStatus(
                policy: .fullRate, reason: "somebody needs every fix", on: true,
                demands: [.init(connection: 3, service: .standard, desiredAccuracy: .best)]),
            fixes: FixesStatus(
                accepted: 11_560, rejected: ["repeatedTime": 3, "invalid": 1], newestSequence: 48_211,
                lastFixAge: 0.42),
            connections: ConnectionsStatus(total: 2, limit: 1024), managers: [client()])
    }

    static func working(_ change: (inout Status) -> Void) -> Status {
        var status = working()
        change(&status)
        return status
    }

    /// The device does not move.
    static let rest = DeviceStatus(
        stationary: true, since: WallTime(milliseconds: lookedAt.milliseconds - 2_800_000), lastCheckAge: 90)

    /// Apps of every kind.
    static func apps() -> [AppStatus] {
        var navit = AppStatus(
            app: "navit", identity: "app:navit uid:1000", uid: 1000, authorizationStatus: .authorizedWhenInUse)
        navit.accuracyAuthorization = .full
        (navit.isInUse, navit.isUsingLocation, navit.connections) = (true, true, 1)
        (navit.decidedBy, navit.decidedAt) = ("uid:0", WallTime(milliseconds: lookedAt.milliseconds - 86_400_000))
        navit.lastUse = WallTime(milliseconds: lookedAt.milliseconds - 400)
        var fence = AppStatus(
            app: "unit:a-fence-with-a-long-name.service uid:0",
            identity: "unit:a-fence-with-a-long-name.service uid:0", uid: 0, authorizationStatus: .authorizedAlways)
        fence.accuracyAuthorization = .reduced
        fence.labels = ["home", "work\u{1B}"]
        (fence.regions, fence.conditions, fence.wantsVisits, fence.pendingEvents, fence.eventsDropped) = (
            2, 1, true, 3, 4
        )
        fence.lastUse = WallTime(milliseconds: lookedAt.milliseconds - 300_000_000)
        fence.isProvisional = true
        let unknown = AppStatus(app: "uid:1001", identity: "uid:1001", uid: 1001, authorizationStatus: .notDetermined)
        return [navit, fence, unknown]
    }

    /// An app asks.
    static func request(_ number: UInt64 = 3, _ level: AuthorizationLevel = .always) -> AuthorizationRequest {
        AuthorizationRequest(
            request: number, identity: "unit:gpxlogger.service uid:1000", label: "gpxlogger", uid: 1000, level: level,
            usageDescription: "Writes the tracks of your walks.",
            since: WallTime(milliseconds: lookedAt.milliseconds - 5_000))
    }

    static func region(_ name: String = "home") -> Region {
        Region(
            identifier: name,
            shape: .circle(center: Coordinate(latitude: 52.5163, longitude: 13.3777), radius: 100))
    }

    /// The device rests, and an app uses it.
    static func resting() -> Status {
        sleeping().with {
            $0.device = rest
            $0.apps = apps()
            $0.daemon.stateProblems = ["cannot write the state: the disk is full"]
            $0.daemon.stateRepairs = ["took 3 decisions of people from the second file"]
            $0.power?.demands?.append(.init(app: "fence", service: .regions, desiredAccuracy: .hundredMeters))
        }
    }

    /// gpsd cannot be reached.
    static func withoutGPSD() -> Status {
        working {
            $0.gpsd = GPSDStatus(
                connected: false, address: "127.0.0.1:2947", state: "waiting", since: 42,
                lastError: "cannot connect to 127.0.0.1:2947: Connection refused")
            $0.receivers = []
            $0.fixes = FixesStatus(accepted: 0, newestSequence: 0)
        }
    }

    /// gpsd has nothing to read from.
    static func withoutReceiver() -> Status {
        working {
            $0.receivers = []
            $0.fixes = FixesStatus(accepted: 0)
        }
    }

    /// The receiver sees too little of the sky.
    static func withoutFix() -> Status {
        working {
            $0.receivers = [
                ReceiverStatus(
                    path: "/dev/ttyACM0", driver: "u-blox", mode: 1, satellitesUsed: 2, satellitesSeen: 9,
                    preferred: true)
            ]
            $0.fixes = FixesStatus(accepted: 120, newestSequence: 1200, lastFixAge: 95)
        }
    }

    /// Nobody needs every fix.
    static func sleeping() -> Status {
        working {
            $0.power = PowerStatus(
                policy: .dutyCycled, reason: "those who need locations can wait between fixes", on: false,
                nextOn: 40, demands: [.init(connection: 3, service: .standard, desiredAccuracy: .kilometer)])
            $0.receivers?[0].fixAge = 20
            $0.fixes?.lastFixAge = 20
            $0.managers?[0].properties.desiredAccuracy = .kilometer
        }
    }

    /// What somebody sees who may not know where the device is.
    static func denied(_ authorization: AuthorizationStatus = .denied) -> Status {
        Status(
            daemon: DaemonStatus(version: "0.1.0", uptime: 61, pid: 812), locationServicesEnabled: true,
            gpsd: GPSDStatus(connected: true), connections: ConnectionsStatus(total: 7),
            apps: [AppStatus(app: "uid:1001", identity: "uid:1001", uid: 1001, authorizationStatus: authorization)])
    }

    /// Nobody asks.
    static func idle() -> Status {
        working {
            $0.power = PowerStatus(policy: .off, reason: "nobody needs a location", on: false, demands: [])
            $0.managers = []
        }
    }

    /// One client of every kind.
    static func crowded() -> Status {
        working { status in
            var clients = (3...9).map { client($0, app: nil) }
            clients[0].app = "navit"
            clients[1].identity = "unit:a-logger-with-a-very-long-name.service uid:1000"
            clients[1].properties.distanceFilter = 100
            clients[1].filtered = ["distanceFilter": 5_700]
            clients[2].deferral = .init(number: 2, held: 120, distanceLeft: 300, timeLeft: 45)
            clients[3].services = [.init(service: .significantChange, state: .running)]
            clients[3].request = .init(number: 4, timeLeft: 8)
            clients[3].properties.desiredAccuracy = .meters(25)
            clients[4].authorizationStatus = .denied
            clients[4].services = [
                .init(service: .standard, state: .denied, reason: "locations are denied to uid:1000")
            ]
            (clients[4].delivered, clients[4].filtered) = (nil, nil)
            clients[5].lag = .init(locations: 57, bytes: 14_250)
            clients[5].dropped = 1
            clients[5].accuracyAuthorization = .reduced
            clients[6].waitingToRejoin = true
            clients[6].pid = nil
            var over = client(10, app: "gone")
            over.waitingToRejoin = true
            over.services = []
            status.managers = clients + [over]
            status.connections.total = 9
            status.power?.demands = clients.map {
                .init(connection: $0.connection, service: .standard, desiredAccuracy: .best)
            }
        }
    }
}

extension Status {
    fileprivate func with(_ change: (inout Status) -> Void) -> Status {
        var status = self
        change(&status)
        return status
    }
}

extension FakeDaemonClient {
    /// Sends live locations of the standard service; returns the line.
    @discardableResult
    func update(_ sequences: UInt64...) -> String { update(with: sequences.map { Sample.location($0) }) }

    /// Sends locations; returns the line.
    @discardableResult
    func update(_ attributes: UpdateAttributes, _ sequences: UInt64...) -> String {
        update(attributes, with: sequences.map { Sample.location($0) })
    }
}
