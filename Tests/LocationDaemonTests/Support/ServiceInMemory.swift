// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationTestSupport
import SystemSupport

@testable import LocationDaemon
@testable import LocationServices

/// The daemon's service with nothing around it: no socket, no disk, no clock.
final class ServiceInMemory {
    let service: LocationService
    private(set) var now = BootInstant(nanoseconds: 1_000_000_000_000)
    private var metres = 0.0
    private var requests = 0

    init(_ change: (inout Configuration) -> Void = { _ in }) throws {
        var configuration = Configuration()
        change(&configuration)
        service = LocationService(inMemory: configuration, journal: Journal(level: .error), at: now)
        service.host.date = { WallTime(milliseconds: 1_700_000_100_000) }
        service.host.account = { _ in }
    }

    /// A connection of root.
    func connect(_ channel: any Channel) -> ClientManager {
        let peer = Peer(
            pid: 0, uid: 0, controlGroup: { ControlGroup(path: nil) }, isMember: { _ in false }, isAdmin: { true })
        return service.openManager(peer: peer, channel: channel)
    }

    func ask(_ request: Request, from manager: ClientManager) { ask(.asked(request), from: manager) }

    func ask(_ call: Call, from manager: ClientManager) {
        requests += 1
        let envelope = RequestEnvelope(id: .integer(Int64(requests)), call: call)
        _ = service.receive(.success(envelope), from: manager, at: now)
        service.flush()
    }

    /// The next fix, a metre farther and a tenth of a second later. `flushing`: what waits is written, too.
    func fix(flushing: Bool = true) {
        now = now + .milliseconds(100)
        metres += 1
        let location = Location(
            coordinate: Coordinate(latitude: 45, longitude: -30).moved(by: metres, course: 0), horizontalAccuracy: 4,
            timestamp: WallTime(milliseconds: 1_700_000_000_000 + now.nanoseconds / 1_000_000))
        service.decide(.fixReceived(Fix(receiver: ReceiverID(rawValue: 0), location: location)), at: now)
        if flushing { service.flush() }
    }
}

/// Takes what it is told to take, and counts how often it is offered something.
final class CountingChannel: Channel {
    private(set) var offers = 0
    private var taken: [UInt8] = []
    var bytes: Int { taken.count }
    /// The messages that it has wholly.
    var lines: [JSON] {
        get throws { try String(decoding: taken, as: UTF8.self).split(separator: "\n").map { try JSON(parsing: $0) } }
    }
    /// Bytes that it still takes; nil: all.
    var room: Int?
    var isBroken = false

    init(room: Int? = nil) { self.room = room }

    func write(_ bytes: UnsafeRawBufferPointer) -> ChannelWritten {
        offers += 1
        guard !isBroken else { return .broken }
        let count = min(bytes.count, room ?? .max)
        room? -= count
        taken += bytes.prefix(count)
        return .bytes(count)
    }
}
