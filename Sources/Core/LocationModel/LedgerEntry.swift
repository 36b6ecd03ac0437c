// SPDX-License-Identifier: Apache-2.0

/// One holder's time of the receiver, and how much it was told, in a stretch of time.
public struct LedgerEntry: Sendable, Hashable {
    /// Somebody whom an entry is about.
    public enum Holder: Sendable, Hashable {
        /// The device: whenever the receiver was on, whoever needed it.
        case device
        /// An app: the user, and what its identity has beside that; nil: nothing.
        case app(uid: UInt32, name: String?)
        /// Further apps together, where there were too many.
        case others
    }

    /// How much of what.
    public struct Amounts: Sendable, Hashable {
        /// How long the receiver was on, for an app: while the app needed it.
        public var receiver = TimeSpan.zero
        /// Locations that it was told.
        public var locations: UInt64 = 0
        /// Elements of live updates.
        public var liveUpdates: UInt64 = 0
        /// Crossings, visits and other events of places.
        public var events: UInt64 = 0

        /// Nothing.
        public init() {}

        /// Whether there was nothing.
        public var isNothing: Bool { self == Amounts() }

        /// Adds what came beside it.
        public static func += (left: inout Amounts, right: Amounts) {
            left.receiver = left.receiver + right.receiver
            left.locations += right.locations
            left.liveUpdates += right.liveUpdates
            left.events += right.events
        }
    }

    /// When the stretch begins, a multiple of its length since 1970.
    public var start: WallTime
    /// Whom it is about.
    public var holder: Holder
    /// How much of what.
    public var amounts: Amounts

    /// How long a stretch is.
    public static let stretch = TimeSpan.seconds(300)

    /// The entry of `holder` in the stretch that begins with `start`.
    public init(start: WallTime, holder: Holder, amounts: Amounts) {
        self.start = start
        self.holder = holder
        self.amounts = amounts
    }

    /// When the stretch begins in which `date` lies.
    public static func start(of date: WallTime) -> WallTime {
        let length = stretch.nanoseconds / 1_000_000
        let past = (date.milliseconds % length + length) % length
        return WallTime(milliseconds: date.milliseconds - past)
    }
}
