// SPDX-License-Identifier: Apache-2.0

/// Where messages go at the broker.
package struct Topics: Sendable, Hashable {
    /// Where the device is; the newest is retained.
    package let location: String
    /// Transitions; never retained.
    package var event: String { "\(location)/event" }
    /// The will, and that nothing comes any more: never on the location's topic, which it would overwrite.
    package var lastWill: String { "\(location)/lwt" }
    /// The topic of late locations, where they have one of their own.
    package var backlog: String { "\(location)/backlog" }

    /// Below `location`, which has no wildcards.
    package init(location: String) { self.location = location }
}

/// A message for the broker.
package struct Message: Sendable, Hashable {
    /// Where it goes.
    package var topic: String
    /// Its content; empty: the broker forgets what it retains.
    package var payload: [UInt8]
    /// Whether the broker keeps it for those who come later.
    package var isRetained: Bool

    /// A message to be acknowledged.
    package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
