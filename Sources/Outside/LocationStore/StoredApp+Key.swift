// SPDX-License-Identifier: Apache-2.0

extension StoredApp {
    /// The app of the row `id`, with nothing but its numbers and switches: who it is does not change.
    package init(id: Int64, nextEvent: UInt64) {
        self.init(id: id, uid: 0, name: nil, label: nil, nextEvent: nextEvent)
    }
}
