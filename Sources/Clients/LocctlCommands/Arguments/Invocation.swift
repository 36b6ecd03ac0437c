// SPDX-License-Identifier: Apache-2.0
package import LocationClient
package import LocationModel
package import LocationProtocol

/// A command line, understood.
package struct Invocation: Sendable, Hashable {
    /// An action that a command line can ask for, with its options.
    package enum Action: Sendable, Hashable {
        /// Print the commands, or how to use one.
        case help(LocctlCommand?)
        /// Print the version of this program; no daemon is asked.
        case programVersion
        case status
        case get(GetOptions)
        case follow(FollowOptions)
        /// The client's name or number; nil: the device.
        case why(String?)
        case version
        /// The answer to every question; nil: the person at the terminal gives it.
        case agent(AuthorizationAnswer?)
        case desktopAgent
        case requests
        case answerRequest(UInt64, AuthorizationAnswer)
        case apps
        case authorize(AuthorizeParameters)
        case resetAuthorization(app: String)
        case forget(app: String)
        case services
        case setServices(isEnabled: Bool)
        case events(app: String)
        case close(connection: UInt64)
        case reload
        case setPlace(OfferedLocation)
        case clearPlace
        case uplink
        case metrics(MetricsOptions)
        /// Whether to have the receiver on.
        case top(on: Bool)
        /// Print kept locations, at most `count` of them.
        case history(HistoryRange, count: Int?)
        case forgetHistory(HistoryRange)
        case export(ExportOptions)
        case report(ReportOptions)
        case region(RegionAction, app: String)
        case visits(EventOptions)
        case stopVisits(app: String)
        case monitor(String, MonitorAction, app: String)
        case live(LiveConfiguration, EventOptions)
        /// `filter`: degrees of turn; nil: as the daemon has it.
        case heading(filter: Double?, EventOptions)
        case range(BeaconIdentity, EventOptions)
    }

    /// Where the daemon is.
    package var address: DaemonAddress
    /// Whether to print JSON.
    package var json: Bool
    /// The action to carry out.
    package var action: Action

    /// Reads the words of a command line, the first of which is the program's name.
    package init(_ arguments: [String]) throws(LocctlError) {
        var words = OptionWords(arguments)
        var given = GivenOptions()
        guard let command = try Invocation.command(&words, &given) else {
            self.init(given, try given.actionWithoutCommand())
            return
        }
        while let word = try words.next(command.allOptions, in: "locctl \(command.rawValue)") {
            try given.take(word, command)
        }
        self.init(given, try given.action(command))
    }

    private init(_ given: GivenOptions, _ action: Action) {
        address = given.values[.socket].map(DaemonAddress.init(path:)) ?? .standard
        json = given.values[.json] != nil
        self.action = action
    }

    // The options before the command, and the command.
    private static func command(
        _ words: inout OptionWords, _ given: inout GivenOptions
    ) throws(LocctlError) -> LocctlCommand? {
        while let word = try words.next(LocctlOption.common + [.version], in: "locctl") {
            switch word {
            case .option(let option, let value): try given.set(option, value)
            case .plain(let name):
                guard let command = LocctlCommand(rawValue: name) else {
                    let names = LocctlCommand.allCases.map(\.rawValue).joined(separator: ", ")
                    throw .usage("cannot find the command \"\(printable(name))\": there are \(names)")
                }
                return command
            }
        }
        return nil
    }
}

/// An action of `locctl region`, with its arguments.
package enum RegionAction: Sendable, Hashable {
    case add(Region)
    case list
    case remove(String)
    case state(String)
    case watch(EventOptions)
}

/// An action of `locctl monitor` on a monitor, with its arguments.
package enum MonitorAction: Sendable, Hashable {
    case list
    case add(String, RegionShape, assuming: ConditionState)
    case remove(String)
    case record(String)
    case watch(EventOptions)
}

/// How a command that prints what happens was told to do so.
package struct EventOptions: Sendable, Hashable {
    /// The name that is used unless another one is given.
    package static let usualApp = "locctl"

    /// The name to be known by.
    package var app = EventOptions.usualApp
    /// How many are enough.
    package var count: Int?
    /// When it is enough.
    package var end: EndTime?
    /// Whether to wait for those that come.
    package var follows = true

    /// Everything, without an end.
    package init() {}
}

/// The options of `locctl get`.
package struct GetOptions: Sendable, Hashable {
    /// Seconds; nil: as the daemon has it.
    package var timeout: Double?
    /// nil: as the daemon has it.
    package var accuracy: DesiredAccuracy?
    /// The last known location will do.
    package var cached = false

    /// A fresh location, with everything else as the daemon has it.
    package init() {}
}

/// The options of `locctl watch` and `locctl significant`.
package struct FollowOptions: Sendable, Hashable {
    /// `standard` or `significantChange`.
    package var service: LocationSource
    /// The properties that are not left as they are.
    package var properties = PropertiesPatch()
    /// Metres of travel between two deliveries.
    package var deferDistance: Double?
    /// Seconds between two deliveries.
    package var deferTimeout: Double?
    /// nil: in the background.
    package var presence: Presence?
    /// How many locations are enough.
    package var count: Int?
    /// When it is enough.
    package var end: EndTime?
    /// Where to begin.
    package var resumeAfter: UInt64?
    /// The name to be known by.
    package var app: String?

    /// All locations of `service`, without an end.
    package init(service: LocationSource) { self.service = service }

    /// Whether deliveries are deferred.
    package var defers: Bool { deferDistance != nil || deferTimeout != nil }
}
