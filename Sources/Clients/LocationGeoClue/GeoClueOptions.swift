// SPDX-License-Identifier: Apache-2.0
package import LocationClient
package import SystemSupport

/// The command line of `locationd-geoclue`.
package struct GeoClueOptions: ProgramOptions {
    package static let program = "locationd-geoclue"

    /// Where locationd listens.
    package var daemon = DaemonAddress.standard
    /// The rules for users' programs, and whose agents decide about the rest.
    package var rules = AccessRules()
    /// How long the program stays without clients, seconds; 0: for ever.
    package var idleSeconds = 60.0
    /// To print the usage and end.
    package var showsHelp = false

    package static let usage = """
        Usage: locationd-geoclue [OPTION]...

        Serves org.freedesktop.GeoClue2 on the system bus with the locations of locationd, as one of its clients.

          --socket PATH             where locationd listens (default $LOCATIOND_SOCKET, else /run/locationd/locationd.sock)
          --always-users LIST       users whose programs are always told, names or numbers with commas between (default root)
          --always-groups LIST      groups whose members' programs are (default locationd)
          --agents WHOSE            whose agents decide about the others: seat (of users who sit at this machine, the default),
                                    everybody, nobody, or users with commas between
          --idle SECONDS            end when there have been no clients for so long (default 60; 0: never)
          --help                    print this

        """

    private enum Key: CommandLineOption {
        case socket, alwaysUsers, alwaysGroups, agents, idle, help

        var takesArgument: Bool { self != .help }
    }

    /// Reads `arguments`, the first of which is the program's name. Names are looked up with `accounts`.
    package init(arguments: [String]) throws(UsageError) {
        try self.init(arguments: arguments, accounts: .system)
    }

    init(arguments: [String], accounts: Accounts) throws(UsageError) {
        if let group = accounts.group("locationd") { rules.alwaysGroups = [group] }
        try Key.read(arguments) { key, value throws(UsageError) in try set(key, value, accounts) }
    }

    private mutating func set(_ key: Key, _ value: String, _ accounts: Accounts) throws(UsageError) {
        switch key {
        case .socket: daemon = DaemonAddress(path: value)
        case .alwaysUsers: rules.alwaysUsers = try numbers(value, "user", accounts.uid)
        case .alwaysGroups: rules.alwaysGroups = try numbers(value, "group", accounts.gid)
        case .agents:
            rules.agents =
                switch value {
                case "seat": .seat
                case "everybody": .everybody
                case "nobody": .nobody
                default: .users(try numbers(value, "user", accounts.uid))
                }
        case .idle:
            guard let seconds = Double(value), (0...86_400).contains(seconds) else {
                throw UsageError("cannot use --idle \(value): 0 to 86400 seconds are allowed")
            }
            idleSeconds = seconds
        case .help: showsHelp = true
        }
    }

    private func numbers(
        _ list: String, _ kind: String, _ number: (String) -> UInt32?
    ) throws(UsageError) -> Set<UInt32> {
        var numbers: Set<UInt32> = []
        for name in list.split(separator: ",") {
            guard let found = number(String(name)) else {
                throw UsageError("cannot find a \(kind) \(name): a name or a number is allowed")
            }
            numbers.insert(found)
        }
        return numbers
    }
}
