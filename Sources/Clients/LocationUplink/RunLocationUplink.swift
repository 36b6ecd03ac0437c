// SPDX-License-Identifier: Apache-2.0
import ConfigurationReading
import Glibc
import LocationClient
import LocationModel
import SystemSupport

/// The command line of `locationd-uplink`.
private struct UplinkCommandLine: ProgramOptions {
    static let program = "locationd-uplink"
    static let usage = """
        Usage: locationd-uplink [OPTION]...

        Sends the locations of locationd to an MQTT broker, or to a server by HTTP, as one of locationd's clients.

          --config FILE             the settings (default /etc/locationd/uplink.conf)
          --socket PATH             where locationd listens (default $LOCATIOND_SOCKET, else /run/locationd/locationd.sock)
          --state-directory PATH    where it keeps how far it has come (default /var/lib/locationd-uplink)
          --runtime-directory PATH  where it shows how it is (default /run/locationd-uplink)
          --check                   read the settings, say what is wrong with them, and end
          --help                    print this

        """

    private enum Key: CommandLineOption {
        case config, socket, stateDirectory, runtimeDirectory, check, help

        var takesArgument: Bool { ![.check, .help].contains(self) }
    }

    var config = UplinkConfigurationFile.defaultPath
    var socket: String?
    var stateDirectory: String?
    var runtimeDirectory: String?
    var onlyChecks = false
    var showsHelp = false

    init(arguments: [String]) throws(UsageError) {
        try Key.read(arguments) { key, value throws(UsageError) in
            switch key {
            case .config: config = value
            case .socket: socket = value
            case .stateDirectory: stateDirectory = value
            case .runtimeDirectory: runtimeDirectory = value
            case .check: onlyChecks = true
            case .help: showsHelp = true
            }
        }
    }
}

/// Runs `locationd-uplink` with its command line and returns its exit code: 0, 1 when it cannot do its work, 64 for a wrong command line,
/// 78 for settings that cannot be used (sysexits.h).
package func runLocationUplink(arguments: [String]) -> Int32 { UplinkCommandLine.run(arguments, serve: serve) }

private func serve(_ line: UplinkCommandLine) throws(SystemError) -> Int32 {
    var setup: UplinkSetup
    do {
        setup = try UplinkSetup(
            try UplinkConfigurationFile.load(line.config), host: hostName(), secrets: Credentials())
    } catch {
        say("\(error)")
        return 78
    }
    guard !line.onlyChecks else { return 0 }
    setup.options.seed = UInt64(truncatingIfNeeded: bootClock().nanoseconds) ^ UInt64(getpid()) << 32
    if let socket = line.socket { setup.daemon = DaemonAddress(path: socket) }
    if let directory = line.stateDirectory { setup.stateDirectory = directory }
    if let directory = line.runtimeDirectory { setup.runtimeDirectory = directory }
    try UplinkService(setup).run()
    return 0
}

func say(_ message: String) { UplinkCommandLine.say(message) }

private func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "device" }
    let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.isEmpty ? "device" : text
}
