// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

/// Lets this thread alone be another user for a moment: what connects meanwhile is that user's by the kernel's word.
///
/// glibc's own functions change all threads of a process, so the kernel is asked itself.
enum OtherUser {
    /// Only root can.
    static var isPossible: Bool { getuid() == 0 }

    private typealias SystemCall = @convention(c) (Int, Int, Int, Int) -> Int

    #if arch(arm64)
        private static let (setResUID, setResGID, setGroups) = (147, 149, 159)
    #else
        private static let (setResUID, setResGID, setGroups) = (117, 119, 116)
    #endif

    /// Runs `body` as the user `uid` with the group `gid` (nil: that of the same number), and no other.
    static func run<Result>(as uid: UInt32, group gid: UInt32? = nil, _ body: () throws -> Result) throws -> Result {
        guard uid != 0 else { return try body() }
        guard let symbol = dlsym(nil, "syscall") else { throw TestFailure("cannot find syscall(2)") }
        let call = unsafeBitCast(symbol, to: SystemCall.self)
        let (same, root) = (-1, 0)
        defer {
            _ = call(setResUID, same, root, same)
            _ = call(setResGID, same, root, same)
        }
        guard call(setGroups, 0, 0, 0) == 0, call(setResGID, same, Int(gid ?? uid), same) == 0,
            call(setResUID, same, Int(uid), same) == 0
        else { throw TestFailure("cannot become user \(uid)") }
        return try body()
    }
}

extension Trait where Self == ConditionTrait {
    /// Tests in which somebody is another user.
    static var needsOtherUsers: Self { .enabled(if: OtherUser.isPossible, "only root can be somebody else") }
}
