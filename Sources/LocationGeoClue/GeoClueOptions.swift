// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
package import LocationClient
import SystemSupport

/// The command line of `locationd-geoclue`.
package struct GeoClueOptions {
    /// Where locationd listens.
    package var daemon = DaemonAddress.standard
    /// Whose programs are allowed, and who decides about the rest.
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

    /// A command line that cannot be understood.
    package struct UsageError: Error {
        /// "cannot …" and why.
        package let message: String
    }

    private enum Key: Int32, CaseIterable {
        case socket = 1
        case alwaysUsers, alwaysGroups, agents, idle, help

        var name: String {
            switch self {
            case .alwaysUsers: "always-users"
            case .alwaysGroups: "always-groups"
            default: "\(self)"
            }
        }
    }

    /// Reads `arguments`, the first of which is the program's name. Names are looked up with `accounts`.
    package init(arguments: [String]) throws(UsageError) {
        try self.init(arguments: arguments, accounts: .system)
    }

    init(arguments: [String], accounts: Accounts) throws(UsageError) {
        if let group = accounts.group("locationd") { rules.alwaysGroups = [group] }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let names = Key.allCases.map { strdup($0.name) }
        defer { for name in names { free(name) } }
        let options = zip(Key.allCases, names).map { key, name in
            clinux_option(name: name, takes_argument: key != .help, value: key.rawValue)
        }
        var index: Int32 = 1
        while true {
            let found = clinux_next_option(Int32(arguments.count), &words, "+:", options, options.count, index)
            index = found.next_index
            if found.value == -1 { break }
            let word = found.offending.map { String(cString: $0) } ?? ""
            if found.value == Int32(UInt8(ascii: ":")) {
                throw UsageError(message: "cannot understand \(word): it needs an argument")
            }
            guard let key = Key(rawValue: found.value) else {
                throw UsageError(message: "cannot understand the option \(word)")
            }
            try set(key, found.argument.map { String(cString: $0) } ?? "", accounts)
        }
        guard Int(index) >= arguments.count else {
            throw UsageError(message: "cannot understand \(arguments[Int(index)]): no arguments are expected")
        }
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
                throw UsageError(message: "cannot use --idle \(value): 0 to 86400 seconds are allowed")
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
                throw UsageError(message: "cannot find a \(kind) \(name): a name or a number is allowed")
            }
            numbers.insert(found)
        }
        return numbers
    }
}
