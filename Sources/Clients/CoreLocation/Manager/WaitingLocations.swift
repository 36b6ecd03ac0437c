// SPDX-License-Identifier: Apache-2.0
internal import LocationModel
internal import LocationProtocol
import Synchronization

/// Locations of the standard service between the session and a place that may be busy for long: what nobody takes is bounded.
final class WaitingLocations: Sendable {
    /// So many batches wait one by one; then the newest grows.
    static let batches = 64
    /// So many locations one batch holds, some hours of them; then the oldest are lost, and counted.
    static let locations = 16_384

    /// A batch that is told later.
    final class Batch: Sendable {
        fileprivate let update: Mutex<LocationUpdate?>

        fileprivate init(_ update: LocationUpdate) { self.update = Mutex(update) }
    }

    private struct State {
        var count = 0
        // The batch posted last, while it waits and nothing else was posted behind it.
        weak var newest: Batch?
    }

    private let state = Mutex(State())

    /// A batch to be told later; nil: `update` is part of one that is on its way.
    func add(_ update: LocationUpdate) -> Batch? {
        state.withLock { state in
            if state.count >= WaitingLocations.batches, let newest = state.newest, newest.grows(by: update) {
                return nil
            }
            state.count += 1
            let batch = Batch(update)
            state.newest = batch
            return batch
        }
    }

    /// Something else is on its way, which later locations must not overtake.
    func close() { state.withLock { $0.newest = nil } }

    /// The batch is told now.
    func take(_ batch: Batch) -> LocationUpdate? {
        state.withLock { $0.count -= 1 }
        return batch.update.withLock { update in
            update?.keepNewest()
            defer { update = nil }
            return update
        }
    }
}

extension WaitingLocations.Batch {
    // False: it has been told.
    fileprivate func grows(by newer: LocationUpdate) -> Bool {
        update.withLock { update in
            guard var whole = update else { return false }
            // Not two copies of what may be long.
            update = nil
            whole.locations += newer.locations
            whole.dropped += newer.dropped
            // Not at each location: the others have to be moved for it.
            if whole.locations.count >= 2 * WaitingLocations.locations { whole.keepNewest() }
            update = whole
            return true
        }
    }
}

extension LocationUpdate {
    fileprivate mutating func keepNewest() {
        let excess = max(locations.count - WaitingLocations.locations, 0)
        locations.removeFirst(excess)
        dropped += UInt64(excess)
    }

    /// Whether it is nothing but locations of the standard service.
    var isPlain: Bool { source == .standard && deferral == nil && event == nil && request == nil }
}
