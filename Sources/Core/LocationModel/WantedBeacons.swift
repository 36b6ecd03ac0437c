// SPDX-License-Identifier: Apache-2.0

/// The beacons that somebody wants to know of, for those who hear them.
public struct WantedBeacons: Sendable, Hashable {
    /// Their UUIDs, in order; empty: none.
    public var uuids: [String] = []
    /// More are wanted than are listed: all are to be told.
    public var any = false

    /// Those of these UUIDs.
    public init(uuids: [String] = [], any: Bool = false) {
        self.uuids = uuids
        self.any = any
    }

    /// Whether no beacon is wanted.
    public var isEmpty: Bool { uuids.isEmpty && !any }

    /// Those that the constraints mean; of more than `limit` UUIDs none is listed.
    package init(of constraints: some Sequence<BeaconIdentity>, upTo limit: Int) {
        let all = Set(constraints.map(\.uuid))
        self.init(uuids: all.count > limit ? [] : all.sorted(), any: all.count > limit)
    }
}
