// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// One receiver as people are told of it.
package struct ReceiverState: Sendable, Hashable {
    /// Its number here.
    package var receiver: ReceiverID
    /// gpsd's name for it, such as `/dev/ttyUSB0`.
    package var path: String
    /// The protocol it speaks, such as `u-blox`; nil until gpsd found out.
    package var driver: String?
    /// Whether gpsd has it.
    package var isPresent: Bool
    /// The mode of its last report: 0 not known, 1 no fix, 2 without altitude, 3 with altitude.
    package var mode: Int8
    /// Satellites its fix is computed from.
    package var satellitesUsed: Int?
    /// Satellites in view.
    package var satellitesSeen: Int?
    /// When anything was last heard from it.
    package var lastHeard: BootInstant?
    /// When its last fix was handed out.
    package var lastFix: BootInstant?
    /// The time from one epoch to the next, measured; nil until two were heard. Its inverse is the rate.
    package var cycle: TimeSpan?
}

/// A receiver came or went.
package struct PresenceChange: Sendable, Hashable, BitwiseCopyable {
    /// Which.
    package var receiver: ReceiverID
    /// Whether it is there now.
    package var isPresent: Bool
}
