// SPDX-License-Identifier: Apache-2.0
import CLinux
import Dispatch

/// The memory that a program's code takes: Foundation makes most of it resident at the start and by the first messages, and hardly
/// any is needed after.
enum StartupPages {
    // Then the first answers and calls are over.
    private static let delay = DispatchTimeInterval.seconds(2)
    private static let onceInTheProcess: Void = LocationSession.queue.asyncAfter(deadline: .now() + delay) {
        clinux_release_startup_pages()
    }

    /// Lets go of them once in the life of the process, in a while.
    static func releaseSoon() { _ = onceInTheProcess }
}
