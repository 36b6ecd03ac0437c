// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices

/// A connection as one process leaves it to the next: all but the socket itself, from which the next one learns anew who is there.
struct KeptConnection: Codable {
    /// Input that the socket has brought and nobody has carried out.
    struct Input: Codable {
        var unread = KeptBytes()
        var isEnded = false
        var isRefused = false
    }

    /// The manager behind it; nil: nobody asked yet who that is.
    struct Manager: Codable {
        var saved: SavedManager
        /// Where it lies for a client that comes back; nil: nowhere.
        var slot: Int?
    }

    private static let version = 2

    /// The version of the service that wrote it.
    var v: Int
    var input = Input()
    let manager: Manager?
    let outbox: KeptOutbox
    /// Its number for people; nil: it was left by a version that did not keep it.
    let connection: UInt64?
    let hasAsked: Bool
    let awaitsEvents: Bool
    let takesEvents: Bool
    let toldEvent: UInt64
    let hasEventBacklog: Bool
    let isAgent: Bool
    /// False where it was left by a version that knew no notices.
    let takesNotices: Bool
    let whenInUse: String?
    let always: String?
    let temporaryFullAccuracy: [String: String]

    init(_ manager: ClientManager, _ kept: Manager?, isAgent: Bool, takesNotices: Bool = false) {
        v = KeptConnection.version
        self.manager = kept
        outbox = KeptOutbox(manager.outbox)
        connection = manager.connection
        hasAsked = manager.hasAsked
        awaitsEvents = manager.events.areAwaited
        takesEvents = manager.events.areTaken
        toldEvent = manager.events.told
        hasEventBacklog = manager.events.hasBacklog
        self.isAgent = isAgent
        self.takesNotices = takesNotices
        whenInUse = manager.usageDescriptions.whenInUse
        always = manager.usageDescriptions.always
        temporaryFullAccuracy = manager.usageDescriptions.temporaryFullAccuracy
    }

    private enum CodingKeys: String, CodingKey {
        case v, input, manager, outbox, connection, hasAsked, awaitsEvents, takesEvents, toldEvent, hasEventBacklog,
            isAgent, takesNotices
        case whenInUse, always, temporaryFullAccuracy
    }

    /// Members that locationd 0.1.0 wrote beside these, or in another form.
    private struct Version1: Decodable {
        struct Manager: Decodable {
            var kept: HandedManagerVersion1
        }

        let manager: Manager?
        let purposeKey: String?

        /// The manager that 0.1.0 kept as a slot and, beside it, where that stood.
        func manager(of slot: KeptConnection.Manager) throws -> KeptConnection.Manager {
            guard let record = manager?.kept.filling(slot.saved.record, purposeKey: purposeKey) else {
                throw DecodingError.valueNotFound(
                    ManagerRecord.self, DecodingError.Context(codingPath: [], debugDescription: "no manager"))
            }
            return KeptConnection.Manager(saved: slot.saved.with(record), slot: slot.slot)
        }
    }

    /// Reads what this version of the service wrote and what 0.1.0 did; throws whatever else it looks like.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        v = try container.decode(Int.self, forKey: .v)
        guard (1...KeptConnection.version).contains(v) else {
            throw DecodingError.dataCorruptedError(forKey: .v, in: container, debugDescription: "no such version")
        }
        input = try container.decode(Input.self, forKey: .input)
        let kept = try container.decodeIfPresent(Manager.self, forKey: .manager)
        manager = v == 1 ? try kept.map { try Version1(from: decoder).manager(of: $0) } : kept
        outbox = try container.decode(KeptOutbox.self, forKey: .outbox)
        connection = try container.decodeIfPresent(UInt64.self, forKey: .connection)
        hasAsked = try container.decode(Bool.self, forKey: .hasAsked)
        awaitsEvents = try container.decode(Bool.self, forKey: .awaitsEvents)
        takesEvents = try container.decode(Bool.self, forKey: .takesEvents)
        toldEvent = try container.decode(UInt64.self, forKey: .toldEvent)
        hasEventBacklog = try container.decode(Bool.self, forKey: .hasEventBacklog)
        isAgent = try container.decode(Bool.self, forKey: .isAgent)
        takesNotices = try container.decodeIfPresent(Bool.self, forKey: .takesNotices) ?? false
        whenInUse = try container.decodeIfPresent(String.self, forKey: .whenInUse)
        always = try container.decodeIfPresent(String.self, forKey: .always)
        temporaryFullAccuracy = try container.decode([String: String].self, forKey: .temporaryFullAccuracy)
    }

    /// Bytes that wait, in either direction.
    var size: Int { input.unread.bytes.count + outbox.size }

    /// Puts in place what needs no engine. False: that cannot be gone on with.
    func restore(_ manager: ClientManager) -> Bool {
        guard let outbox = outbox.outbox, toldEvent <= Location.greatestSequence else { return false }
        manager.outbox = outbox
        if let connection { manager.connection = connection }
        manager.hasAsked = hasAsked
        manager.events.areAwaited = awaitsEvents
        manager.events.areTaken = takesEvents
        manager.events.told = toldEvent
        manager.events.hasBacklog = hasEventBacklog
        manager.usageDescriptions = UsageDescriptions(
            whenInUse: whenInUse, always: always, temporaryFullAccuracy: temporaryFullAccuracy)
        return true
    }
}

/// The state that all kept connections share.
struct KeptSurroundings: Codable {
    /// A question that waits for a person.
    struct Request: Codable {
        var question: LocationProtocol.AuthorizationRequest
        var uid: UInt32
        var unit: String?
        var label: String?
        /// The connection that caused it, by its place among the kept ones.
        var connection: Int?
        var purposeKey: String?
        var since: Int64
    }

    /// The newest event of an app that waits for a person to say that "always" is meant.
    struct Held: Codable {
        var uid: UInt32
        var unit: String?
        var label: String?
        var event: UInt64
        var date: Int64
        var kind: String
        var content: KeptBytes
        var since: Int64
    }

    var requests: [Request] = []
    var held: [Held] = []
    /// The reduced view that was computed last; nil: none was.
    var view: KeptView?
    var rests: [StationaryPlace] = []
    /// The number of the next connection; nil: see `KeptConnection.connection`.
    var nextConnection: UInt64?
    /// Latitude and longitude of where travel counts from; none: from the last location.
    var anchor: [Double] = []

    /// Whether the next process has nothing from them when no connection is left to it.
    var isOfNoUse: Bool { requests.isEmpty && held.isEmpty && view == nil }
}

extension KeptSurroundings {
    /// Without what no running process can have left, and how much that is.
    var usable: (surroundings: KeptSurroundings, damaged: Int) {
        var usable = self
        usable.requests.removeAll { $0.question.request > Location.greatestSequence }
        usable.held.removeAll { $0.event > Location.greatestSequence || !WallTime(milliseconds: $0.date).isWritable }
        usable.rests.removeAll { !$0.isUsable }
        if view?.isUsable == false { usable.view = nil }
        if anchor.count != 2 || !Coordinate(latitude: anchor[0], longitude: anchor[1]).isValid { usable.anchor = [] }
        return (usable, count - usable.count)
    }

    private var count: Int {
        requests.count + held.count + rests.count + (view == nil ? 0 : 1) + (anchor.isEmpty ? 0 : 1)
    }
}
