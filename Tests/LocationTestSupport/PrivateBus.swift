// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A message bus of its own, on which everybody may do everything, and the Python with which its inhabitants are made up.
package struct PrivateBus {
    /// A Python that has a python-dbusmock newer than Debian 12's; nil: `make setup-tests` could not get it.
    package static let mockingPython: String? = {
        guard let directory = try? BuildProducts.packageDirectory() else { return nil }
        let path = "\(directory)/.build/dbusmock/bin/python3"
        return access(path, X_OK) == 0 ? path : nil
    }()
    /// Why there is none.
    package static let noMocking =
        "there is no python-dbusmock of at least 0.32 in .build/dbusmock, where make setup-tests puts it"

    /// Where it is, for the environment of programs.
    package let address: String
    private let process: ChildProcess

    /// Starts it, with what it needs in `directory`. It ends when nobody has this value any more.
    package init(_ directory: TemporaryDirectory) throws {
        address = "unix:path=\(directory.file("bus"))"
        try directory.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>system</type><listen>\(address)</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
            <allow send_type="signal"/><allow send_type="method_return"/><allow send_type="error"/>
            <allow receive_type="method_call"/><allow receive_type="signal"/><allow receive_type="method_return"/>
            <allow receive_type="error"/><allow eavesdrop="true"/></policy></busconfig>
            """, to: "bus.conf")
        process = try ChildProcess(
            try requireProgram("dbus-daemon"),
            ["--nofork", "--nopidfile", "--print-address", "--config-file=\(directory.file("bus.conf"))"])
        try process.waitForOutput { $0.contains("unix:path=") }
    }

    /// It goes, and everything on it.
    package func end() { process.terminate(SIGKILL) }
}
