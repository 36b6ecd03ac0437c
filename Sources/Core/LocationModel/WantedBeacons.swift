// SPDX-License-Identifier: Apache-2.0

/// The beacons that somebody wants to know of, for those who hear them.
public struct WantedBeacons: Sendable, Hashable, Codable {
    /// Their UUIDs, in order; empty: none.
    public var uuids: [String] = []
    /// More are wanted than are listed: all are to be told.
    public var any = false
    /// Nobody ranges them: that a beacon is heard is enough to be told every few seconds.
    public var onlyMonitored = false

    /// Those of these UUIDs.
    public init(uuids: [String] = [], any: Bool = false, onlyMonitored: Bool = false) {
        self.uuids = uuids
        self.any = any
        self.onlyMonitored = onlyMonitored
    }

    /// Whether no beacon is wanted.
    public var isEmpty: Bool { uuids.isEmpty && !any }

    /// Those that are ranged and those that are monitored; of more than `limit` UUIDs none is listed.
    package init(ranged: some Sequence<String>, monitored: some Sequence<String>, upTo limit: Int) {
        let ranged = Set(ranged)
        let all = ranged.union(monitored)
        self.init(
            uuids: all.count > limit ? [] : all.sorted(), any: all.count > limit,
            onlyMonitored: ranged.isEmpty && !all.isEmpty)
    }
}
