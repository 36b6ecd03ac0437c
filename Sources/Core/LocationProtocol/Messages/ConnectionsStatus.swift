// SPDX-License-Identifier: Apache-2.0

/// How many connections there are, in `status`; to administrators who ask for all, also whose they are and who is held back.
public struct ConnectionsStatus: Sendable, Hashable, Codable {
    /// All connections of a user, and of those that are its subordinate users.
    public struct User: Sendable, Hashable, Codable {
        /// Which user.
        public var uid: UInt32
        /// How many it has.
        public var connections: Int
        /// Of those, with requests that wait until others had their turn.
        public var waitingForTurn: Int
        /// Of those, with output that is not read.
        public var notReading: Int

        /// The user `uid`.
        public init(uid: UInt32, connections: Int = 0, waitingForTurn: Int = 0, notReading: Int = 0) {
            self.uid = uid
            self.connections = connections
            self.waitingForTurn = waitingForTurn
            self.notReading = notReading
        }
    }

    /// One connection.
    public struct Client: Sendable, Hashable, Codable {
        /// Its number, which no other connection ever has; `closeConnection` takes it.
        public var connection: UInt64
        /// The client's process, if it is known.
        public var pid: Int?
        /// The client's user.
        public var uid: UInt32
        /// The identity that the daemon derived; absent until the client asks for something that depends on it.
        public var identity: String?
        /// Seconds since it came.
        public var age: Double
        /// Seconds that requests of its user have waited for their turn, its own among them; absent: its own do not wait.
        public var waitingForTurn: Double?
        /// Seconds that it has not read what waits for it, or since it was last seen to; absent: it reads.
        public var notReading: Double?

        /// The client of `connection`.
        public init(
            connection: UInt64, pid: Int? = nil, uid: UInt32, identity: String? = nil, age: Double,
            waitingForTurn: Double? = nil, notReading: Double? = nil
        ) {
            self.connection = connection
            self.pid = pid
            self.uid = uid
            self.identity = identity
            self.age = age
            self.waitingForTurn = waitingForTurn
            self.notReading = notReading
        }
    }

    /// Open now.
    public var total: Int
    /// The most that may be.
    public var limit: Int?
    /// How many were refused since the start.
    public var refused: UInt64?
    /// Whose they are, by user number.
    public var users: [User]?
    /// Each of them, by number.
    public var clients: [Client]?

    /// These numbers.
    public init(
        total: Int, limit: Int? = nil, refused: UInt64? = nil, users: [User]? = nil, clients: [Client]? = nil
    ) {
        self.total = total
        self.limit = limit
        self.refused = refused
        self.users = users
        self.clients = clients
    }
}

extension ConnectionsStatus {
    static let schema = JSONSchema.object([
        Described("total", .count, required: true, "open now"),
        Described("limit", .count, "the most that may be"),
        Described("refused", .count, "how many were refused since the start"),
        Described(
            "users",
            .array(
                of: .object([
                    Described("uid", .count, required: true, "which user"),
                    Described("connections", .count, required: true, "how many it has"),
                    Described(
                        "waitingForTurn", .count, required: true,
                        "of those, with requests that wait until others had their turn"),
                    Described("notReading", .count, required: true, "of those, with output that is not read"),
                ])), "whose they are; subordinate users count as the user that they belong to"),
        Described(
            "clients",
            .array(
                of: .object([
                    Described("connection", .ordinal, required: true, "its number, which no other connection ever has"),
                    Described("pid", .count, "the client's process"),
                    Described("uid", .count, required: true, "the client's user"),
                    Described("identity", .string(), "who the daemon found it to be; absent: that did not matter yet"),
                    Described("age", .amount, required: true, "seconds since it came"),
                    Described("waitingForTurn", .amount, "seconds that requests have waited for their turn"),
                    Described("notReading", .amount, "seconds that what waits for it was not read"),
                ])), "each of them"),
    ])
}
