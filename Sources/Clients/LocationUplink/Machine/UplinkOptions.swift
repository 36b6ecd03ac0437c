// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The choice of locations and events that are sent.
package enum UplinkMode: String, Sendable, CaseIterable {
    /// Significant changes, visits and regions.
    case significant
    /// Every location.
    case move
    /// Locations that a person asks for.
    case manual
}

/// The rule for locations that are late because there was no connection.
package enum BacklogRule: String, Sendable, CaseIterable {
    /// They go where all others go.
    case same
    /// They go to a topic of their own.
    case topic
    /// They are left out; only the newest is sent.
    case drop
}

/// The other side, which takes the messages.
package enum UplinkCarrier: String, Sendable {
    /// A broker, by MQTT: it says yes to a connection, and retains messages.
    case broker
    /// A server, by HTTP: a request for each message.
    case server

    /// Messages that may wait for their acknowledgement. A server may answer two in any order, and so gets one.
    package var window: Int { self == .broker ? 20 : 1 }
}

/// An administrator's settings for the uplink's messages.
package struct UplinkOptions: Sendable {
    /// The other side.
    package var carrier = UplinkCarrier.broker
    /// The choice of locations and events that are sent.
    package var mode = UplinkMode.move
    /// How long the daemon may hold locations; zero: they come live.
    package var batch = TimeSpan.zero
    /// The rule for late locations.
    package var backlog = BacklogRule.same
    /// Where messages go.
    package var topics: Topics
    /// The writer of their payloads.
    package var writer: OwnTracks
    /// Retained messages that go to the broker once a connection: how Home Assistant finds the device.
    package var announcements: [Message] = []
    /// Whether there may be a history to read.
    package var readsHistory = false
    /// Ends when there was nothing to do for so long; zero: never.
    package var exitWhenIdle = TimeSpan.zero
    /// The seed of the waits between attempts.
    package var seed: UInt64 = 0

    /// The messages of `writer` at `topics`.
    package init(topics: Topics, writer: OwnTracks) {
        self.topics = topics
        self.writer = writer
    }
}
