// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

// Journeys: time that passes with fixes.
extension EngineBench {
    /// `count` fixes, one a second, each after the second and `metres` farther east.
    mutating func travel(_ count: Int, from start: Double = 0, metres: Double = 10) {
        for step in 0..<count {
            advance(by: 1)
            fix(at: start + Double(step) * metres)
        }
    }

    /// A receiver that hears only while it is switched on, and has its first fix 3 s later, then one a second. `place`: metres east by
    /// seconds from now.
    mutating func receive(for seconds: Int, place: (Double) -> Double) {
        let start = now
        for _ in 0..<seconds {
            advance(by: 1)
            if isReceiverOn, let since = powerSwitches.last?.at, now - since >= .seconds(3) {
                fix(at: place((now - start).seconds))
            }
        }
    }
}
