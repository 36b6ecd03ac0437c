// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A thread that does one thing, for callers that are ending themselves.
final class FreshThread {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Runs `body` on a thread of its own; not at all where the system gives no further one.
    static func run(_ body: @escaping @Sendable () -> Void) {
        let kept = Unmanaged.passRetained(FreshThread(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { kept in
                if let kept { Unmanaged<FreshThread>.fromOpaque(kept).takeRetainedValue().body() }
                return nil
            }, kept.toOpaque())
        if code == 0 { pthread_detach(thread) } else { kept.release() }
    }
}
