// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// What an app may learn.
package struct Authorization: Sendable, Hashable, BitwiseCopyable {
    /// Core Location's status.
    package var status: AuthorizationStatus
    /// How precisely; means nothing while not determined.
    package var accuracy: AccuracyAuthorization
    /// The app reads `authorizedAlways`, the person has only said "while using".
    package var isProvisional: Bool
    /// Denied because location services are off for everyone.
    package var isDeniedGlobally: Bool

    /// An authorization.
    package init(
        status: AuthorizationStatus, accuracy: AccuracyAuthorization = .full, isProvisional: Bool = false,
        isDeniedGlobally: Bool = false
    ) {
        self.status = status
        self.accuracy = accuracy
        self.isProvisional = isProvisional
        self.isDeniedGlobally = isDeniedGlobally
    }

    /// Whether locations may be handed over.
    package var isAuthorized: Bool { status == .authorizedAlways || status == .authorizedWhenInUse }

    /// Whether a client is told of the change: not of what reads the same as before. A provisional always that becomes a real one does
    /// (CL 4.2), and accuracy means nothing while not determined.
    func isToldApart(from other: Authorization) -> Bool {
        status != other.status || status != .notDetermined && accuracy != other.accuracy
    }

    /// What a `start…` leads to.
    package var serviceState: ServiceState {
        switch status {
        case .authorizedAlways, .authorizedWhenInUse: .running
        case .notDetermined: .waitingForAuthorization
        case .denied, .restricted: .denied
        }
    }
}

/// The stretches of the log during which an app's standard service was running or waiting to rejoin: only fixes of those may be
/// delivered again by `resumeAfter` (protocol.md, standard updates).
struct ServiceWindows: Sendable {
    /// Older stretches are forgotten: a client that resumes over them is told of a gap.
    static let bound = 8

    private struct Stretch: Sendable {
        var after: UInt64
        var through: UInt64?
    }

    private var stretches: [Stretch] = []
    private(set) var runningServices = 0

    mutating func opened(after newest: UInt64) {
        runningServices += 1
        if runningServices > 1, let last = stretches.indices.last {
            // Services that a restarted daemon takes back began at different places.
            stretches[last].after = min(stretches[last].after, newest)
            return
        }
        if let last = stretches.indices.last, stretches[last].through == newest {
            stretches[last].through = nil
            return
        }
        if stretches.count == ServiceWindows.bound { stretches.removeFirst() }
        stretches.append(Stretch(after: newest, through: nil))
    }

    mutating func closed(at newest: UInt64) {
        runningServices -= 1
        guard runningServices == 0, let last = stretches.indices.last else { return }
        if stretches[last].after == newest {
            stretches.removeLast()
        } else {
            stretches[last].through = newest
        }
    }

    /// What was accepted so far may not be seen again: it was for another accuracy.
    mutating func restart(after newest: UInt64) {
        stretches = runningServices > 0 ? [Stretch(after: newest, through: nil)] : []
    }

    func contains(_ sequence: UInt64) -> Bool {
        stretches.contains { sequence > $0.after && sequence <= $0.through ?? .max }
    }

    /// The parts of (`after`, `through`] that lie in the stretches, oldest first.
    func forEachPart(after: UInt64, through: UInt64, _ body: (ClosedRange<UInt64>) -> Void) {
        var reached = after
        for stretch in stretches {
            let last = min(through, stretch.through ?? .max)
            let first = max(reached, stretch.after) + 1
            guard first <= last else { continue }
            body(first...last)
            reached = last
        }
    }

    /// Whether no fix in (`after`, `newest`] lies outside the stretches.
    func covers(after: UInt64, through newest: UInt64) -> Bool {
        var reached = after
        for stretch in stretches where stretch.after <= reached {
            reached = max(reached, stretch.through ?? .max)
        }
        return reached >= newest
    }
}
