// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A flag of a region that any thread may read and set; false at first.
final class NotifySwitch: Sendable {
    private let state = Atomic(false)

    var isOn: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }

    init(_ isOn: Bool = false) { state.store(isOn, ordering: .relaxed) }
}
