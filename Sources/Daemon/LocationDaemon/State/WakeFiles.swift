// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationEngine
import SystemSupport

/// Files that start apps: a path unit of systemd's starts `NAME.service` while `wake/NAME` exists (Protocol 7.5).
struct WakeFiles {
    private let directory: String?

    /// Under the runtime directory; nil: nobody can be woken.
    init(runtimeDirectory: String?) { directory = runtimeDirectory.map { "\($0)/wake" } }

    /// Makes the file of an app. Says whether it was not there.
    func wake(_ name: String) throws(SystemError) -> Bool {
        guard let directory else { return false }
        if mkdir(directory, 0o755) != 0, errno != EEXIST { throw SystemError(cannot: "make \(directory)") }
        let path = "\(directory)/\(name)"
        let fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard fd >= 0 else {
            if errno == EEXIST { return false }
            throw SystemError(cannot: "make \(path)")
        }
        close(fd)
        return true
    }

    /// The app is there: nothing has to start it.
    func clear(_ name: String) {
        guard let directory else { return }
        unlink("\(directory)/\(name)")
    }
}
