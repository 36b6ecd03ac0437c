// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Runs `body` on a thread of its own, since the threads of tests are few and blocked ones would hold up all others.
package func startThread(_ body: @escaping @Sendable () -> Void) throws {
    let box = Unmanaged.passRetained(ThreadBody(body))
    var thread = pthread_t()
    let code = pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().body()
            return nil
        }, box.toOpaque())
    guard code == 0 else {
        box.release()
        throw TestFailure.system("start a thread", code)
    }
    pthread_detach(thread)
}

private final class ThreadBody {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
