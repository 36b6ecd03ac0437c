// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// How an outbox treats an unwritten notification when its connection is lost.
package enum NotificationKind: Sendable {
    /// The engine says it again when the client is back.
    case engineRepeats
    /// Must wait for the client.
    case kept
    /// Tells where the device is, and is forgotten when consent for that is gone. `survives`: waits for the client like `kept`.
    case place(survives: Bool)
    /// An element of a stream: a newer one takes its place. Is forgotten when consent or the connection is gone.
    case element(Stream)

    /// Whose elements replace each other while they are not written.
    package enum Stream: Sendable, Equatable {
        /// Elements without anything special to say.
        case liveUpdates(UInt32)
        case heading
        /// The beacons of one constraint.
        case ranging(BeaconIdentity)
    }

    /// Whether it waits for a client that is away.
    package var survives: Bool {
        switch self {
        case .kept, .place(survives: true): true
        case .engineRepeats, .place(survives: false), .element: false
        }
    }

    /// Whether it is forgotten when consent is gone.
    package var tellsPlace: Bool {
        switch self {
        case .place, .element: true
        case .engineRepeats, .kept: false
        }
    }
}
