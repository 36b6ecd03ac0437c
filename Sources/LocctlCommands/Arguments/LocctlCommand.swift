// SPDX-License-Identifier: Apache-2.0

/// What locctl can do.
package enum LocctlCommand: String, Sendable, CaseIterable {
    case status, get, watch, significant, why, version, help

    /// Its own options, in the order of help.
    package var options: [LocctlOption] {
        switch self {
        case .get: [.timeout, .accuracy, .cached]
        case .watch:
            [
                .distanceFilter, .accuracy, .activityType, .headingFilter, .noPause, .allowsBackground, .deferDistance,
                .deferTimeout, .presence, .count, .until, .resumeAfter, .app,
            ]
        case .significant: [.count, .until, .app]
        case .status, .why, .version, .help: []
        }
    }

    /// Its own options and those that every command has.
    package var allOptions: [LocctlOption] { options + LocctlOption.common }

    /// Its operand in help; nil: it takes none.
    package var operand: String? {
        switch self {
        case .why: "CLIENT"
        case .help: "COMMAND"
        case .status, .get, .watch, .significant, .version: nil
        }
    }

    /// One line for the list of commands.
    var summary: String {
        switch self {
        case .status: "whether it works, and if not why not"
        case .get: "where the device is, once"
        case .watch: "where the device is, again and again"
        case .significant: "where the device is, whenever it has come far"
        case .why: "why a client gets no locations, in one sentence"
        case .version: "the versions of locctl and of the daemon"
        case .help: "how to use a command"
        }
    }

    /// What it does, for its own help: paragraphs.
    var explanation: String {
        switch self {
        case .status:
            """
            Prints on one screen whether locations come and, if not, what is missing: the daemon,
            gpsd, the receivers, who needs them, and every client. With --json the document that
            the daemon answered. Without authorization only a part of it is told.
            """
        case .get:
            """
            Asks for one location and prints it: a fresh one, or with --cached the last one that
            is known. With --json the location object.
            """
        case .watch:
            """
            Prints locations as they come, with the standard service of Core Location. The options
            are the properties of a location manager. With --json it prints every notification of
            the daemon as it came, a line each.

            If the daemon goes away, it waits for it to come back, takes its place again and goes
            on after the last location. Ctrl-C ends it in order; what was held back is printed.
            """
        case .significant:
            """
            Prints a location whenever the device has come far (about 500 m), with the significant
            change service of Core Location, which lets the receiver sleep in between. With --json
            it prints every notification of the daemon as it came, a line each.
            """
        case .why:
            """
            Says what stops a client from getting the locations that it asked for: the first thing
            that is in the way, or that nothing is. CLIENT is the name of an app, the number of a
            process or of a connection, as `locctl status` shows them; without it the sentence is
            about the device. With --json a line with "cause" and "sentence" for each client.
            """
        case .version:
            """
            Prints the version of this program and of the daemon that runs.
            """
        case .help:
            """
            Prints how to use COMMAND, or which commands there are.
            """
        }
    }

    /// Command lines to begin with.
    var examples: [String] {
        switch self {
        case .get: ["locctl get --timeout 1min", "locctl get --cached --json | jq .latitude"]
        case .watch:
            [
                "locctl watch --distance-filter 100m", "locctl watch --defer-distance 1km --defer-timeout 10min",
                "locctl watch --json --until 18:30 > day.jsonl",
            ]
        case .why: ["locctl why gpxlogger"]
        case .status, .significant, .version, .help: []
        }
    }

    /// What its exit status means, for help.
    var exitStatus: String {
        switch self {
        case .watch, .significant:
            """
            Exit status: 0 when --count or --until is reached, or Ctrl-C ends what had no other
            end (otherwise 130); 1 the daemon said no; 2 wrong command line; 3 no daemon.
            """
        case .get: "Exit status: 0 done, 1 no location, 2 wrong command line, 3 no daemon."
        case .help: "Exit status: 0 done, 2 wrong command line."
        case .status, .why, .version:
            "Exit status: 0 done, 1 the daemon said no, 2 wrong command line, 3 no daemon."
        }
    }
}
