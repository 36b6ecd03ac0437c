// SPDX-License-Identifier: Apache-2.0
import BusSupport
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import SystemSupport
import SystemdSupport

/// GeoClue's manager: makes clients, and ends the program when there have been none for a while.
final class GeoClueService: BusObject {
    static let interface = BusInterface(
        "org.freedesktop.GeoClue2.Manager",
        methods: [
            .init(name: "GetClient", output: "o", arguments: "client\0"),
            .init(name: "CreateClient", output: "o", arguments: "client\0"),
            .init(name: "DeleteClient", input: "o", arguments: "client\0"),
            .init(name: "AddAgent", input: "s", arguments: "id\0"),
        ],
        properties: [
            .init(name: "InUse", signature: "b"),
            .init(name: "AvailableAccuracyLevel", signature: "u"),
        ])

    /// The name on the bus.
    static let busName = "org.freedesktop.GeoClue2"
    /// How many clients a user may have. The daemon has a limit of connections for the whole bridge.
    static let clientsPerUser = 16

    private struct Owner {
        let watch: BusWatch
        /// The client that `GetClient` gives each time.
        var primary: UInt64?
    }

    let loop: EventLoop
    let bus: Bus
    let options: GeoClueOptions
    private(set) lazy var agents = Agents(bus) { [unowned self] uid in agentChanged(of: uid) }
    private(set) var clients: [UInt64: GeoClueClient] = [:]
    var decisions: [UInt64: Decision] = [:]
    private var owners: [String: Owner] = [:]
    private var lastClient: UInt64 = 0
    private var isInUse = false
    private var available: AccuracyLevel?
    private var idle: EventLoop.Timer?

    /// Serves on the system bus.
    init(_ options: GeoClueOptions) throws(SystemError) {
        self.options = options
        loop = try EventLoop()
        bus = try Bus(loop)
        super.init()
    }

    /// Runs until nobody needs it any more, or it is told to end.
    func run() throws(SystemError) {
        try loop.serve(SIGTERM, SIGINT) { [unowned self] in loop.exit() }
        idle = try loop.timer { [unowned self] in endIfIdle() }
        try bus.add(self, at: ObjectPath.managerPath, GeoClueService.interface)
        try bus.add(
            BusDirectory { [unowned self] path, caller in client(at: path, of: caller) },
            below: ObjectPath.clientsPath, GeoClueClient.interface)
        try bus.add(
            BusDirectory { [unowned self] path, caller in location(at: path, of: caller) },
            below: ObjectPath.clientsPath, GeoClueLocation.interface)
        try bus.own(GeoClueService.busName)
        waitForIdleness()
        try loop.run()
        for client in clients.values { client.end() }
    }

    // MARK: The manager's interface

    override func call(_ method: String, _ message: BusMessage) throws(BusError) -> Answer {
        let caller = try Caller(of: message)
        switch method {
        case "GetClient":
            if let number = owners[caller.name]?.primary { return .now([.path(ObjectPath.client(number).text)]) }
            let client = try newClient(for: caller)
            owners[caller.name]?.primary = client.number
            return .now([.path(client.path)])
        case "CreateClient": return .now([.path(try newClient(for: caller).path)])
        case "DeleteClient":
            guard let client = client(at: try message.readText("o"), of: caller.name) else {
                throw .accessDenied("cannot delete this client: the caller has none of that path")
            }
            delete(client)
        default:
            try addAgent(caller)
        }
        return .now([])
    }

    override func value(of property: String) -> BusValue {
        guard property != "InUse" else { return .boolean(isInUse) }
        let level = DaemonLook.availableLevel(options.daemon)
        available = level
        return .uint32(level.rawValue)
    }

    // MARK: Clients

    private func client(at path: String, of caller: String) -> GeoClueClient? {
        guard case .client(let number) = ObjectPath(path), let client = clients[number], client.caller.name == caller
        else { return nil }
        return client
    }

    private func location(at path: String, of caller: String) -> GeoClueLocation? {
        guard case .location(let number, let location) = ObjectPath(path), let client = clients[number],
            client.caller.name == caller
        else { return nil }
        return client.location(location)
    }

    private func newClient(for caller: Caller) throws(BusError) -> GeoClueClient {
        guard clients.values.count(where: { $0.caller.uid == caller.uid }) < GeoClueService.clientsPerUser else {
            throw .limitsExceeded(
                "cannot make another client for user \(caller.uid): \(GeoClueService.clientsPerUser) are allowed")
        }
        if owners[caller.name] == nil {
            guard let watch = bus.watch(caller.name, gone: { [unowned self] in ownerLeft(caller.name) }) else {
                throw .failed("cannot make a client: \(caller.name) has left the bus")
            }
            owners[caller.name] = Owner(watch: watch)
        }
        lastClient += 1
        let client = GeoClueClient(lastClient, caller, self)
        clients[lastClient] = client
        waitForIdleness()
        return client
    }

    private func delete(_ client: GeoClueClient) {
        stop(client)
        clients[client.number] = nil
        let owner = client.caller.name
        if owners[owner]?.primary == client.number { owners[owner]?.primary = nil }
        if !clients.values.contains(where: { $0.caller.name == owner }) { owners[owner] = nil }
        waitForIdleness()
    }

    private func ownerLeft(_ name: String) {
        for client in clients.values where client.caller.name == name { delete(client) }
    }

    // MARK: What everybody sees

    /// A client has begun or ended to be served.
    func clientsChanged() {
        let isUsed = clients.values.contains { $0.isActive }
        guard isUsed != isInUse else { return }
        isInUse = isUsed
        bus.emitChanges(
            [("InUse", .boolean(isUsed))], of: ObjectPath.managerPath, GeoClueService.interface.name, to: nil)
    }

    /// The daemon has said what it gives this program. Whoever has read what is available hears when that is another now.
    func learned(_ status: AuthorizationStatus, _ accuracy: AccuracyAuthorization?) {
        guard let before = available else { return }
        let level = DaemonLook.availableLevel(options.daemon)
        guard level != before else { return }
        available = level
        bus.emitChanges(
            [("AvailableAccuracyLevel", .uint32(level.rawValue))], of: ObjectPath.managerPath,
            GeoClueService.interface.name, to: nil)
    }

    // MARK: Idleness

    private func waitForIdleness() {
        guard clients.isEmpty, options.idleSeconds > 0 else {
            idle?.set(nil)
            return
        }
        idle?.set(in: .seconds(options.idleSeconds), slack: .seconds(5))
    }

    private func endIfIdle() {
        // A call from now on makes the bus start the program again; calls that have come already are served.
        bus.giveBack(GeoClueService.busName)
        bus.work()
        if clients.isEmpty { return loop.exit() }
        do throws(SystemError) {
            try bus.own(GeoClueService.busName)
        } catch {
            say("\(error)")
            loop.exit()
        }
    }
}
