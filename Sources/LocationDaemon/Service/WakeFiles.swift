// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Files that start apps: a path unit of systemd's starts `NAME.service` while `wake/NAME` exists (design.md, waking).
struct WakeFiles {
    private let directory: String?

    /// Under the runtime directory; nil: nobody can be woken.
    init(runtimeDirectory: String?) { directory = runtimeDirectory.map { "\($0)/wake" } }

    /// Makes the file of an app; the problem in words if that fails.
    func wake(_ name: String) -> String? {
        guard let directory else { return nil }
        if mkdir(directory, 0o755) != 0, errno != EEXIST { return problem("make \(directory)") }
        let path = "\(directory)/\(name)"
        let fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard fd >= 0 else { return problem("make \(path)") }
        close(fd)
        return nil
    }

    /// The app is there: nothing has to start it.
    func clear(_ name: String) {
        guard let directory else { return }
        unlink("\(directory)/\(name)")
    }

    private func problem(_ what: String) -> String { "cannot \(what): \(String(cString: strerror(errno)))" }
}
