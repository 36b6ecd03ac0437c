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

// Starting apps that something waits for.
extension LocationService {
    /// Something waits for an app, and no connection of it is there.
    func wake(_ app: AppID) {
        guard let name = apps.key(of: app)?.identity.name, manifests.hasManifest(named: name) else { return }
        do throws(SystemError) {
            if try wakeFiles.wake(name) {
                let uid = apps.key(of: app)?.identity.uid ?? 0
                note("events wait for \(name), which is not running", .appWoken(app: name), about: uid)
            }
        } catch {
            journal.error("\(error)")
        }
    }

    /// What an app was to be started for is acknowledged, or no longer for it.
    func stopWaking(_ app: AppID) {
        guard let name = apps.key(of: app)?.identity.name, manifests.hasManifest(named: name),
            let identity = apps.identity(of: app),
            apps.apps(of: identity).allSatisfy({ engine.events(of: $0).isEmpty })
        else { return }
        wakeFiles.clear(name)
    }
}
