// SPDX-License-Identifier: Apache-2.0
import LocationClient
import SystemSupport

/// The command line of `locationd-beacons`.
struct BeaconOptions: ProgramOptions {
    static let program = "locationd-beacons"
    static let usage = """
        Usage: locationd-beacons [OPTION]...

        Hears iBeacons through BlueZ for locationd, while somebody ranges them.

          --socket PATH       where locationd listens (default $LOCATIOND_SOCKET, else /run/locationd/locationd.sock)
          --patience SECONDS  begin a scan again that has heard nothing for so long (default 120)
          --help              print this

        """

    private enum Key: CommandLineOption {
        case socket, patience, help

        var takesArgument: Bool { self != .help }
    }

    var daemon = DaemonAddress.standard
    /// Seconds.
    var patience = 120.0
    var showsHelp = false

    init(arguments: [String]) throws(UsageError) {
        try Key.read(arguments) { key, value throws(UsageError) in
            switch key {
            case .socket: daemon = DaemonAddress(path: value)
            case .patience:
                guard let seconds = Double(value), (1...86_400).contains(seconds) else {
                    throw UsageError("cannot use --patience \(value): 1 to 86400 seconds are allowed")
                }
                patience = seconds
            case .help: showsHelp = true
            }
        }
    }
}

/// Runs `locationd-beacons` with its command line and returns its exit code: 0, 1 when it cannot do its work, 64 for a wrong command line
/// (sysexits.h).
///
/// It is a provider of locationd's, which has Bluetooth so that locationd need not: it listens only while locationd says that somebody wants to know,
/// and tells what it hears.
package func runLocationBeacons(arguments: [String]) -> Int32 {
    BeaconOptions.run(arguments) { options throws(SystemError) in
        try BeaconService(options).run()
        return 0
    }
}

func say(_ message: String) { BeaconOptions.say(message) }
