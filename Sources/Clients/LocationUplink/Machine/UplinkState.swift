// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The uplink's state on the disk: how far the broker has acknowledged, since when regions are known, and messages that nobody else keeps.
package struct UplinkState: Sendable, Hashable, Codable {
    /// A region that was configured, and since when: OwnTracks knows a region by that date.
    package struct KnownRegion: Sendable, Hashable, Codable {
        /// As it was configured.
        package var shape: String
        /// Milliseconds since 1970.
        package var since: Int64

        /// A region of this shape.
        package init(shape: String, since: Int64) {
            self.shape = shape
            self.since = since
        }
    }

    /// A message that the broker has not acknowledged and that nobody else keeps.
    package struct KeptMessage: Sendable, Hashable, Codable {
        /// It goes to the topic of events.
        package var isEvent: Bool
        /// The payload, which is JSON.
        package var payload: String
        /// The location that this is; nil: none of the log.
        package var sequence: UInt64?
        /// How exactly it tells where the device was; nil: an earlier version did not note it, so it counts as full.
        package var accuracy: AccuracyAuthorization?

        /// The message `payload`.
        package init(isEvent: Bool, payload: String, sequence: UInt64?, accuracy: AccuracyAuthorization? = nil) {
            self.isEvent = isEvent
            self.payload = payload
            self.sequence = sequence
            self.accuracy = accuracy
        }
    }

    /// All locations up to here are settled.
    package var cursor: UInt64 = 0
    /// Stretches beyond that are settled, too: pairs of a first and a last sequence.
    package var ahead: [[UInt64]] = []
    /// The newest location that the broker has on the location's topic.
    package var newest: UInt64 = 0
    /// How often the daemon has begun to count anew.
    package var generation: UInt64 = 0
    /// The broker retains a location, which is to be cleared when consent is withdrawn; of this accuracy. nil: it retains none.
    package var retained: AccuracyAuthorization?
    /// The uplink sends nothing from before the first location that comes live, but the newest: it has sent nothing yet, or consent was
    /// withdrawn since.
    package var startsAtNewest = false
    /// Consent was withdrawn, and the retained location is not cleared yet.
    package var owesClearing = false
    /// Acknowledged locations.
    package var sent: UInt64 = 0
    /// At most so many locations the log had lost before they could be sent.
    package var lost: UInt64 = 0
    /// At most so many locations were left out because the configuration wants no backlog.
    package var leftOut: UInt64 = 0
    /// Messages that the server did not take while it took others; nil: none.
    package var refused: UInt64?
    /// When the broker last acknowledged something, milliseconds since 1970.
    package var acknowledged: Int64?
    /// By name.
    package var regions: [String: KnownRegion] = [:]
    /// Topics on which the broker retains how the device is found; nil: none.
    package var announced: [String]?
    /// Messages that the daemon does not keep, oldest first: significant changes, and locations that a person asked for; nil: none.
    package var messages: [KeptMessage]?

    /// Nothing was sent, and nothing up to `cursor` is to be.
    package init(cursor: UInt64 = 0) { self.cursor = cursor }

    /// The settled locations.
    package var settled: SequenceSet {
        get {
            SequenceSet(
                through: cursor,
                ahead: ahead.compactMap { $0.count == 2 && $0[0] <= $0[1] ? $0[0]...$0[1] : nil })
        }
        set {
            cursor = newValue.through
            ahead = newValue.ahead.map { [$0.lowerBound, $0.upperBound] }
        }
    }
}
