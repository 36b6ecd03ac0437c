// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
import LocationModel
package import LocationProtocol
package import SystemSupport

/// One location manager as the shell knows it: who it is, what is still to be sent to it, and how to take it back.
package final class ClientManager {
    // Read at each delivery, so they stand together.

    /// The engine's name for it.
    package let id: ManagerID
    /// nil while its connection is gone.
    var channel: (any Channel)?
    /// Where it is kept for a restarted daemon.
    package var slot: Int?
    /// How its channel was when last written to. Nothing is made for a full one until somebody says that there is room again, and nothing
    /// more for a broken one.
    var flushed = Outbox.Flushed.done
    /// Its connection waits for that room.
    package var awaitsRoom = false
    /// Its client will send no more: when all is written and nothing runs, the connection ends.
    package var awaitsEnd = false
    /// Waits in the service's list of managers with something to write.
    package var isDirty = false
    /// How far it has its app's events.
    package var events = Events()
    /// The ledger does not have yet that it was told these.
    var told = LedgerEntry.Amounts()
    package var outbox = Outbox()

    package var peer: Peer
    /// The number of its connection, or of the one that it had last; no other connection has it.
    package var connection: UInt64
    /// Known from the first request that needs it.
    package var app: AppID?
    /// The client's identity, by the kernel's word and its manifest.
    package var who = Who()
    /// The name that the client gives itself; it separates apps, but grants nothing.
    package var label: String?
    /// With it the client can take the manager back; nil: nothing is kept on disconnect.
    package var token: ManagerToken?
    /// Whether a request has been carried out: `hello` comes before.
    package var hasAsked = false
    /// It has asked for what apps ask for, and not only for what administrators and agents do.
    package var isApp = false
    /// Waits until the turn is over to be kept for a restarted daemon.
    var isUnsaved = false
    /// The client's own words for why it wants locations; its manifest's go before.
    package var usageDescriptions = UsageDescriptions()

    /// A client's identity, manifest and control group, not looked up before that matters.
    package struct Who {
        package var identity: PeerIdentity?
        package var manifest: AppManifest?
        /// The client's control group; nil: not looked up.
        var controlGroup: ControlGroup?
        /// It is a unit of the system's manager.
        package var isSystemUnit = false
    }

    /// Events of a client's app, on its connection.
    package struct Events {
        /// It said `events: true`.
        package var areTaken = false
        /// It takes them as they come: it waits for them even when it asks for nothing.
        package var areAwaited = false
        /// The last stored one that was queued for this connection.
        package var told: UInt64 = 0
        /// Stored ones wait until it has read what is queued.
        package var hasBacklog = false
    }

    init(id: ManagerID, peer: Peer, connection: UInt64, channel: (any Channel)?) {
        self.id = id
        self.peer = peer
        self.connection = connection
        self.channel = channel
    }
}

extension ClientManager {
    /// Queues a delivery. False: its client is gone.
    func deliver(_ delivery: Delivery, isLive: Bool, backlog: Int) -> Bool {
        guard channel != nil else { return false }
        outbox.deliver(delivery, isLive: isLive, backlog: backlog)
        return true
    }

    /// Its client is there, and nothing waits for it.
    var hasAll: Bool {
        flushed == .done && !awaitsRoom && !awaitsEnd && !events.hasBacklog && outbox.hasNothingToTell && channel != nil
    }

    /// Writes a live location past the queue, where the client `hasAll`. Returns whether something is left to be written.
    func writeAtOnce(_ delivery: Delivery, _ line: inout SharedLine, backlog: Int, _ keeper: any StateKeeping) -> Bool {
        guard let channel else { return false }
        assert(hasAll)
        let former = outbox.deliveredCount
        let flushed = outbox.writeAtOnce(delivery, to: channel, &line) { note($0, keeper) }
        guard outbox.deliveredCount > former else { return deliver(delivery, isLive: true, backlog: backlog) }
        told.locations += 1
        return flushed != .done
    }

    /// Writes what the channel takes.
    func flush(to channel: any Channel, _ encoder: LineEncoder, _ keeper: any StateKeeping) -> Outbox.Flushed {
        let former = outbox.deliveredCount
        flushed = outbox.flush(to: channel, encoder) { note($0, keeper) }
        told.locations += outbox.deliveredCount - former
        return flushed
    }

    private func note(_ delivered: UInt64, _ keeper: any StateKeeping) {
        if let slot { keeper.setDelivered(slot, delivered) }
    }

    /// The words for why the client wants locations: the manifest's where there is one, else its own.
    package var usage: UsageDescriptions { who.manifest?.usageDescriptions ?? usageDescriptions }
}

/// The process at the other end.
package struct Peer {
    package let pid: Int32
    package let uid: UInt32
    /// Looks up what it belongs to when that first matters; nil: a user of another user namespace, whom nobody can name.
    let controlGroup: () -> ControlGroup?
    /// Whether it is a member of a group.
    let isMember: (UInt32) -> Bool
    /// Whether it may administer the daemon.
    package let isAdmin: () -> Bool
    /// The user that it is charged to: its own, or the one whose subordinate that is.
    package var account: UInt32

    /// A process of the user `uid`, which is charged to that user.
    package init(
        pid: Int32, uid: UInt32, controlGroup: @escaping () -> ControlGroup?, isMember: @escaping (UInt32) -> Bool,
        isAdmin: @escaping () -> Bool
    ) {
        self.pid = pid
        self.uid = uid
        self.controlGroup = controlGroup
        self.isMember = isMember
        self.isAdmin = isAdmin
        account = uid
    }
}
