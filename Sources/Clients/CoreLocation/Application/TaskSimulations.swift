// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The simulations that are in force for a task each, while everything else talks to the real daemon. What begins to talk to that one
/// meanwhile was meant for a simulation, more often than not.
package final class TaskSimulations: Sendable {
    /// Those of this process.
    package static let ofProcess = TaskSimulations { ApplicationLog.write($0) }

    /// One simulation, however often it is in force.
    final class Mark: Sendable {
        // Used under the lock of the simulations only.
        fileprivate let isWarnedOf = Atomic(false)
    }

    private let running = Mutex<[Mark]>([])
    private let write: @Sendable (String) -> Void

    /// `write` gets the lines for a person.
    package init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    func begin(_ mark: Mark) { running.withLock { $0.append(mark) } }

    func end(_ mark: Mark) {
        running.withLock { running in
            if let index = running.firstIndex(where: { $0 === mark }) { running.remove(at: index) }
        }
    }

    /// Something begins to talk to the real daemon: said once for each simulation that is in force.
    func noteRealSession() {
        let isNews = running.withLock { running in
            running.count { !$0.isWarnedOf.exchange(true, ordering: .relaxed) } > 0
        }
        guard isNews else { return }
        write(
            """
            something of Core Location is made outside of the task in which a simulation is in force, and talks to the real \
            locationd: make it in CLSimulation.run or a child task of it, or put the simulation in force with install()
            """)
    }
}
