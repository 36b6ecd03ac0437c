// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// How one adapter listens: by which of BlueZ's ways, whether it does, and since when it has heard nothing.
struct AdapterScan: Sendable {
    /// BlueZ's two ways to listen.
    enum Way: Sendable {
        /// `AdvertisementMonitorManager1`: the controller itself passes on only beacons, and sends nothing.
        case monitor
        /// Discovery, which hears everything.
        case discovery
    }

    enum State: Sendable, Equatable {
        case off
        case starting
        case on
        /// BlueZ refused, and is asked again then.
        case refused(until: BootInstant)
    }

    /// The longest time between two tries of what BlueZ refuses.
    private static let longestRetry = TimeSpan.seconds(60)
    /// Where nothing sends, a scan is begun again no more often.
    private static let longestPatience = TimeSpan.seconds(1800)

    var isPowered: Bool
    var way: Way
    var state = State.off
    /// When it heard something last, or began to listen.
    var heardAt = BootInstant(nanoseconds: 0)
    /// Silence for so long is taken for a stall.
    private(set) var patience: TimeSpan
    private let firstPatience: TimeSpan
    private var retry = TimeSpan.seconds(1)
    /// It was said that it stalled, and nothing was heard since.
    private var hasStalled = false
    private var hasComplained = false

    init(isPowered: Bool, way: Way, patience: TimeSpan) {
        (self.isPowered, self.way, self.patience, firstPatience) = (isPowered, way, patience, patience)
    }

    /// BlueZ has refused to listen, and has not listened since.
    var isRefused: Bool { hasComplained }
    /// Whether BlueZ has a monitor of it, or will soon.
    var hasMonitor: Bool { way == .monitor && (state == .on || state == .starting) }

    mutating func began(at now: BootInstant) {
        (state, heardAt, retry, hasComplained) = (.on, now, .seconds(1), false)
    }

    /// Returns whether that is to be said: once, until it works again.
    mutating func wasRefused(at now: BootInstant) -> Bool {
        state = .refused(until: now + retry)
        retry = min(TimeSpan(nanoseconds: retry.nanoseconds * 2), Self.longestRetry)
        defer { hasComplained = true }
        return !hasComplained
    }

    /// Something was heard; returns whether that ended a stall.
    mutating func heard(at now: BootInstant) -> Bool {
        heardAt = now
        patience = firstPatience
        defer { hasStalled = false }
        return hasStalled
    }

    /// It heard nothing for too long; returns whether that is to be said.
    mutating func stalled() -> Bool {
        defer { hasStalled = true }
        patience = min(TimeSpan(nanoseconds: patience.nanoseconds * 2), Self.longestPatience)
        return !hasStalled
    }

    /// When something is due; nil: never.
    var due: BootInstant? {
        switch state {
        case .off, .starting: nil
        case .on: heardAt + patience
        case .refused(let until): until
        }
    }
}
