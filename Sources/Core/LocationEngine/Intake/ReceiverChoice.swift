// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Which of several receivers is believed: one at a time, changed with hysteresis, so that two receivers with different errors
/// do not make the device jump to and fro.
package struct ReceiverChoice: Sendable {
    private struct Seen: Sendable {
        var lastFix: BootInstant?
        /// Usual time between fixes.
        var interval = TimeSpan.seconds(1)
        var betterSince: BootInstant?
        /// The time that it told last, and whether it had told that before.
        var time: WallTime?
        var repeatsTime = false
    }

    /// The one in use.
    package private(set) var current: ReceiverID?
    var preferred: ReceiverID?
    private var seen: [Seen] = []
    private var currentMode: Int8 = 0
    private var currentAccuracy = Double.infinity
    /// The location in use was not measured by a receiver.
    private var isCurrentProvided = false

    /// Whether the receiver's clock stands still. To the choice it is silent then, so that another one may be believed.
    package func repeatsTime(_ receiver: ReceiverID) -> Bool {
        seen.indices.contains(Int(receiver.rawValue)) && seen[Int(receiver.rawValue)].repeatsTime
    }

    /// Takes note of a fix's time, and returns whether its receiver repeats it.
    mutating func noteTime(of fix: Fix) -> Bool {
        let index = Int(fix.receiver.rawValue)
        while seen.count <= index { seen.append(Seen()) }
        let time = fix.hasReceiverTime ? fix.location.timestamp : nil
        seen[index].repeatsTime = time != nil && time == seen[index].time
        seen[index].time = time
        return seen[index].repeatsTime
    }

    /// Whether the fix comes from the receiver that is, or now becomes, the one in use.
    mutating func accepts(_ fix: Fix, at now: BootInstant, switchTime: TimeSpan) -> Bool {
        let index = Int(fix.receiver.rawValue)
        while seen.count <= index { seen.append(Seen()) }
        // That the other receiver was better before a silence is no reason to switch after it.
        if isSilent(fix.receiver, at: now) { seen[index].betterSince = nil }
        if let before = seen[index].lastFix {
            seen[index].interval = min(max(now - before, .milliseconds(50)), .seconds(10))
        }
        seen[index].lastFix = now

        guard let current, current != fix.receiver else {
            use(fix)
            return true
        }
        // Whoever only says where the device is waits for the receivers before that, and says it once: to refuse it would lose it.
        // Any fix of a receiver knows better.
        if isCurrentProvided || fix.location.kind != .receiver {
            use(fix)
            return true
        }
        if isSilent(current, at: now) || fix.receiver == preferred {
            use(fix)
            return true
        }
        // The administrator's choice stays while it has fixes, however good another is.
        guard current != preferred, isClearlyBetter(fix) else {
            seen[index].betterSince = nil
            return false
        }
        let since = seen[index].betterSince ?? now
        seen[index].betterSince = since
        guard now - since >= switchTime else { return false }
        use(fix)
        return true
    }

    private func isSilent(_ receiver: ReceiverID, at now: BootInstant) -> Bool {
        let state = seen[Int(receiver.rawValue)]
        guard let last = state.lastFix else { return true }
        return (now - last).nanoseconds > max(3 * state.interval.nanoseconds, TimeSpan.seconds(2).nanoseconds)
    }

    private func isClearlyBetter(_ fix: Fix) -> Bool {
        if fix.mode != currentMode { return fix.mode > currentMode }
        return fix.location.horizontalAccuracy * 2 <= currentAccuracy
    }

    private mutating func use(_ fix: Fix) {
        if current != fix.receiver {
            current = fix.receiver
            for index in seen.indices { seen[index].betterSince = nil }
        }
        currentMode = fix.mode
        currentAccuracy = fix.location.horizontalAccuracy
        isCurrentProvided = fix.location.kind != .receiver
    }
}
