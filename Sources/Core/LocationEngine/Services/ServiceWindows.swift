// SPDX-License-Identifier: Apache-2.0

/// The stretches of the log during which an app's standard service was running or waiting to rejoin: only fixes of those may be
/// delivered again by `resumeAfter` (Protocol 4.6).
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

    /// Forgets what was accepted so far: the app has another accuracy now.
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
