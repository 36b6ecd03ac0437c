// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore
import LocationTestSupport
import SystemSupport

@testable import LocationDaemon
@testable import LocationServices

/// The daemon's service in this process: on a disk of its own, without a socket, with a clock that the test moves.
final class ServiceBench {
    let directory: TemporaryDirectory
    let service: LocationService
    let keeper: StateKeeper
    private(set) var now = BootInstant(nanoseconds: 1_000_000_000_000)
    private(set) var date = WallTime(milliseconds: 1_750_000_000_000)
    private var slept = TimeSpan.seconds(7)

    /// `former`: a service that was killed just now; this one finds what it left.
    init(_ configuration: Configuration = Configuration(), after former: ServiceBench? = nil) throws {
        directory = try former?.directory ?? TemporaryDirectory()
        let journal = Journal(level: .error)
        keeper = try StateKeeper(
            runtimeDirectory: directory.path, stateDirectory: directory.path, configuration, journal)
        service = LocationService(configuration: configuration, keeper: keeper, journal: journal, at: now, date)
        service.host.date = { [unowned self] in date }
        service.host.slept = { [unowned self] in slept }
        RecordRestoring(service: service, keeper: keeper, now: now).restore()
    }

    /// How many transactions `body` takes.
    func countTransactions(_ body: () throws -> Void) rethrows -> Int {
        let before = keeper.records.transactions
        try body()
        return keeper.records.transactions - before
    }

    func connect(uid: UInt32, isAdmin: Bool = false) -> BenchClient { BenchClient(self, uid: uid, isAdmin: isAdmin) }

    /// `asleep`: so much of it the device sleeps.
    func advance(seconds: Double, asleep: Double = 0) {
        now = now + .seconds(seconds)
        slept = slept + .seconds(asleep)
        date = WallTime(milliseconds: date.milliseconds + Int64(seconds * 1000))
        service.handle(.woke, at: now)
    }

    /// A minute of fixes, `metres` north of home.
    func stay(at metres: Double) {
        for _ in 0..<60 {
            advance(seconds: 1)
            let location = Location(
                coordinate: Simulation.home.moved(by: metres, course: 0), horizontalAccuracy: 5, timestamp: date)
            service.handle(.fixReceived(Fix(receiver: ReceiverID(rawValue: 1), location: location)), at: now)
        }
    }

    /// Nothing can be written while `body` runs: another program holds the database.
    func whileTheDiskTakesNothing(_ body: () throws -> Void) throws {
        let other = try Database(path: directory.file("locationd.sqlite"))
        var failure: (any Error)?
        try other.transaction(.process) { () throws(StoreError) in
            do { try body() } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

/// A client of the service in this process.
final class BenchClient {
    private final class Lines: Channel {
        var bytes: [UInt8] = []

        func write(_ bytes: UnsafeRawBufferPointer) -> ChannelWritten {
            self.bytes += bytes
            return .bytes(bytes.count)
        }
    }

    private let bench: ServiceBench
    private let lines = Lines()
    private(set) var manager: ClientManager
    private var requests = 0

    init(_ bench: ServiceBench, uid: UInt32, isAdmin: Bool) {
        self.bench = bench
        let peer = Peer(
            pid: 1, uid: uid, controlGroup: { ControlGroup(path: nil) }, isMember: { _ in false }, isAdmin: { isAdmin })
        manager = bench.service.openManager(peer: peer, channel: lines)
    }

    /// All that it was sent.
    var heard: [JSON] {
        String(decoding: lines.bytes, as: UTF8.self).split(separator: "\n").compactMap { try? JSON(parsing: $0) }
    }

    func notifications(_ method: String) -> [JSON] { heard.filter { $0["method"]?.string == method } }

    /// The reply to a request.
    @discardableResult
    func ask(_ method: String, _ params: String = "{}") throws -> JSON {
        requests += 1
        let line = #"{"jsonrpc":"2.0","id":\#(requests),"method":"\#(method)","params":\#(params)}"#
        let decoded = RequestDecoder().decode(Array(line.utf8)[...])
        manager = bench.service.receive(decoded, from: manager, at: bench.now)
        bench.service.flush()
        guard let reply = heard.last(where: { $0["id"]?.int == requests }) else {
            throw TestFailure("cannot see a reply to \(method)")
        }
        return reply
    }

    func disconnect() { bench.service.disconnect(manager, at: bench.now) }
}
