// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices
import SystemSupport
import SystemdSupport

/// Takes clients, reads requests and writes what the service queues. All clients sit behind one epoll descriptor of their own,
/// because sd-event alone looks at every ready source again for each that it dispatches.
final class Server {
    let service: LocationService
    private let loop: EventLoop
    let poll: Int32
    var listener: Listener?
    private var pollSource: EventLoop.Source?
    private var laterSource: EventLoop.Source?
    var stallTimer: EventLoop.Timer?
    var changeTimer: EventLoop.Timer?
    /// Connections whose next request is a change that has to wait.
    var changes = ChangeQueue()

    var connections = ConnectionTable()
    private var subordinates: SubordinateUserFile
    var count: Int { connections.quota.total }
    var notices = ServerNotices()
    /// Connections that are to be closed when the turn is over.
    private var ended: [Connection] = []
    /// Connections with requests that wait for their turn.
    var turns = Turns()
    /// A round of turns goes on, and will see to whoever begins to wait.
    var isServing = false
    var isStopping = false
    /// Connections whose peer reads slower than we write.
    var blocked = SlowReaders()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    let decoder = RequestDecoder()
    /// Whether output of any connection waits for room in its socket.
    var hasSlowReaders: Bool { !blocked.isEmpty }
    var ready = [clinux_ready](repeating: clinux_ready(), count: 64)

    init(
        service: LocationService, loop: EventLoop, listener: Int32,
        subordinates: SubordinateUserFile = SubordinateUserFile()
    ) throws(SystemError) {
        self.service = service
        self.subordinates = subordinates
        self.loop = loop
        poll = clinux_epoll_create()
        guard poll >= 0 else { throw SystemError(cannot: "create a poll for clients") }
        self.listener = try Listener(
            listener, loop: loop, journal: service.journal.unlimited,
            admit: { [unowned self] channel, now in admit(channel, at: now) },
            accepted: { [unowned self] in if hasWaiting { serveWaiting() } })
        pollSource = try loop.watch(poll) { [unowned self] in serveReady() }
        laterSource = try loop.deferred { [unowned self] in serveWaiting() }
        // Behind the listener and the poll, which begin a round themselves.
        laterSource?.setPriority(10)
        stallTimer = try loop.timer { [unowned self] in closeStalled() }
        changeTimer = try loop.timer { [unowned self] in allowChanges() }
        service.host.closeConnection = { [unowned self] number, reason in close(number, reason) }
        service.host.channelChanged = { [unowned self] manager, flushed in channelChanged(manager, flushed) }
    }

    deinit {
        Glibc.close(poll)
        buffer.deallocate()
    }

    // MARK: Accepting

    private func admit(_ channel: SocketChannel, at now: BootInstant) {
        do throws(SystemError) {
            let peer = try peer(of: channel)
            if let reason = objection(to: peer) {
                connections.noteRefusal()
                if let unsaid = notices.refusals.take(peer.account, at: now) {
                    let more = NoticeLimit.text(unsaid)
                    service.journal.warning(
                        "cannot take another connection of user \(peer.uid) (pid \(peer.pid)): \(reason)\(more)",
                        .clientRefused(pid: peer.pid, uid: peer.uid, reason: reason))
                }
                return channel.refuse(reason)
            }
            watch(connections.enter(channel, service.openManager(peer: peer, channel: channel), at: now), at: now)
        } catch {
            return
        }
    }

    /// Returns the peer at the other end. Throws if nobody is there.
    func peer(of channel: SocketChannel) throws(SystemError) -> Peer {
        let credentials = try PeerCredentials(of: channel.fd)
        var peer = Peer(credentials, of: channel.fd, adminGroup: service.rules.authorization.adminGroup)
        peer.account = subordinates.account(of: peer.uid)
        return peer
    }

    /// Why a client may have no other connection; nil: it may.
    func objection(to peer: Peer) -> String? {
        connections.quota.objection(to: peer.client, service.settings.limits, isAdmin: peer.isAdmin)
    }

    /// Serves a connection from now on.
    func watch(_ connection: Connection, at now: BootInstant) {
        let added = clinux_epoll_add(poll, connection.channel.fd, connection.interest, UInt64(connection.place))
        if added != 0 { drop(connection, "cannot watch its socket", at: now) }
    }

    /// Closes a connection when the turn is over: writing happens while the service handles other things, and a manager must not
    /// vanish in the middle of that.
    func end(_ connection: Connection, _ reason: String? = nil) {
        // Of one that is gone and has requests left, those are not carried out any more if there is a reason.
        guard !connection.ending.isDue || reason != nil && connection.ending.reason == nil else { return }
        connection.ending = (true, reason)
        ended.append(connection)
        serveLater()
    }

    /// Closes those that are to be closed. Whoever cannot be written to may have said something before it went.
    func dropEnded(at now: BootInstant) {
        while let connection = ended.popLast() {
            if let reason = connection.ending.reason { drop(connection, reason, at: now) } else { hangUp(connection) }
        }
    }

    /// Has a round of turns begin when everybody else had theirs.
    func serveLater() {
        if !isServing { laterSource?.enableOnce() }
    }

    /// Whether something is left for another round.
    var hasWaiting: Bool { !turns.isEmpty || !ended.isEmpty }

    /// Closes a connection; what it leaves is the service's business.
    func drop(_ connection: Connection, _ reason: String? = nil, at now: BootInstant) {
        guard connections[connection.place] === connection else { return }
        let peer = connection.manager.peer
        if let reason, let unsaid = notices.closings.take(peer.account, at: now) {
            service.journal.warning(
                "closed the connection of pid \(peer.pid): \(reason)\(NoticeLimit.text(unsaid))",
                .clientClosed(pid: peer.pid, uid: peer.uid, reason: reason))
        }
        clinux_epoll_remove(poll, connection.channel.fd)
        connections.remove(connection)
        blocked.remove(connection.place)
        changes.leave(connection.place)
        turns.leave(connection.number)
        service.disconnect(connection.manager, at: now)
    }
}

extension Peer {
    /// Whom its connections are charged to.
    var client: ConnectionQuota.Client { ConnectionQuota.Client(account: account, pid: pid) }
}
