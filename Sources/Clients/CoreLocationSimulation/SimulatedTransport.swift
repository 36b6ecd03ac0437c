// SPDX-License-Identifier: Apache-2.0
import Dispatch
import LocationClient
import LocationModel
import LocationProtocol
import Synchronization

/// Leads sessions to the simulated daemon, without a socket.
final class SimulatedTransport: SessionTransport {
    let daemon: Mutex<SimulatedDaemon>
    private let lastNumber = Atomic<UInt64>(0)

    init(_ daemon: sending SimulatedDaemon) { self.daemon = Mutex(daemon) }

    func open(
        on queue: DispatchQueue, handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
        let connection = SimulatedConnection(to: self, on: queue, handler)
        daemon.withLock { $0.connect(connection) }
        return connection
    }

    func watch(on queue: DispatchQueue, handler: @escaping @Sendable () -> Void) -> (any Sendable)? {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        daemon.withLock { $0.watchers[number] = { queue.async(execute: handler) } }
        return SimulatedWatch(number, self)
    }

    var now: BootInstant { daemon.withLock { $0.clock.now } }

    func schedule(
        after span: TimeSpan, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
    ) -> any SessionTimer {
        daemon.withLock { $0.clock.schedule(after: span, on: queue, body) }
    }
}

/// One connection of a session to the simulated daemon.
final class SimulatedConnection: TransportConnection {
    private let transport: SimulatedTransport
    let queue: DispatchQueue
    private let handler: @Sendable (TransportEvent) -> Void
    private let isClosed = Atomic(false)

    init(
        to transport: SimulatedTransport, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) {
        self.transport = transport
        self.queue = queue
        self.handler = handler
    }

    func send(_ call: Call, as id: RequestID) {
        transport.daemon.withLock { $0.receive(call, id, from: self) }
    }

    func close() {
        isClosed.store(true, ordering: .releasing)
        transport.daemon.withLock { $0.disconnect(self) }
    }

    /// Hands an event to the session, later and in order.
    func tell(_ event: TransportEvent) {
        queue.async { [self] in hear(event) }
    }

    /// Hands an event to the session; on its queue.
    func hear(_ event: TransportEvent) {
        if !isClosed.load(ordering: .acquiring) { handler(event) }
    }
}

/// Told when a simulated daemon starts, as long as somebody keeps it.
final class SimulatedWatch: Sendable {
    private let number: UInt64
    private let transport: SimulatedTransport

    init(_ number: UInt64, _ transport: SimulatedTransport) {
        self.number = number
        self.transport = transport
    }

    deinit { transport.daemon.withLock { $0.watchers[number] = nil } }
}
