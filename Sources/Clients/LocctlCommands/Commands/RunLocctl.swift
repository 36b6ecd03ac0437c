// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationProtocol

/// Runs `locctl` with its command line, the program's name first, and returns its exit status.
package func runLocctl(arguments: [String]) -> Int32 {
    Console.openStandardStreams()
    do throws(LocctlError) {
        let invocation = try Invocation(arguments)
        let session = Session(address: invocation.address, json: invocation.json)
        return try session.run(invocation.action).rawValue
    } catch {
        complain(error)
        return error.exitCode.rawValue
    }
}

private func complain(_ error: LocctlError) {
    var text = "locctl: \(error)\n"
    switch error {
    case .missingCommand: text = HelpText.overview
    case _ where error.exitCode == .usage: text += "Try `locctl --help` or `locctl help COMMAND`.\n"
    default: break
    }
    Console.write(Array(text.utf8), to: STDERR_FILENO)
}

/// The daemon's address, the output's form and the streams, which every command uses.
struct Session {
    /// Where the daemon is.
    let address: DaemonAddress
    /// Whether to print JSON.
    let json: Bool
    /// The streams.
    let console: Console

    init(address: DaemonAddress, json: Bool) {
        self.address = address
        self.json = json
        console = Console(json: json)
    }

    func run(_ action: Invocation.Action) throws(LocctlError) -> ExitCode {
        switch action {
        case .help(let command):
            console.print(command.map(HelpText.text) ?? HelpText.overview)
            return .done
        case .programVersion:
            console.print("locctl \(locationdVersion)\n")
            return .done
        case .status: return try printStatus()
        case .uplink: return try printUplink()
        case .top(let isOn): return try top(on: isOn)
        case .metrics(let options): return try printMetrics(options)
        case .version: return try printVersions()
        case .why(let client): return try printExplanation(of: client)
        case .get(let options): return try get(options)
        case .follow(let options):
            var follower = Follower(session: self, options)
            return try follower.run()
        case .region(let action, let app): return try doRegion(action, app)
        case .monitor(let name, let action, let app): return try doMonitor(name, action, app)
        case .visits(let options): return try follow(VisitsService(), options)
        case .stopVisits(let app): return try stopVisits(app)
        case .history(let range, let count): return try printHistory(range, count)
        case .forgetHistory(let range): return try forgetHistory(range)
        case .export(let options): return try export(options)
        case .report(let options): return try report(options)
        case .live(let configuration, let options):
            return try follow(LiveService(configuration: configuration), options)
        case .range(let beacons, let options): return try follow(RangingService(beacons: beacons), options)
        case .heading(let filter, let options): return try follow(HeadingService(filter: filter), options)
        case .agent, .desktopAgent, .requests, .answerRequest, .apps, .authorize, .resetAuthorization, .forget,
            .services,
            .setServices, .events, .close, .reload, .setPlace, .clearPlace:
            return try administer(action)
        }
    }

    func follow(_ service: some FollowedService, _ options: EventOptions) throws(LocctlError) -> ExitCode {
        var follower = EventFollower(service, self, options)
        return try follower.run()
    }

    /// Does `work`; what the daemon says no to, and a daemon that is not there, become errors of this program.
    func asking<Result>(_ work: () throws(LocationClientError) -> Result) throws(LocctlError) -> Result {
        do throws(LocationClientError) {
            return try work()
        } catch {
            throw LocctlError(error)
        }
    }

    func connect() throws(LocctlError) -> LocationConnection {
        try asking { () throws(LocationClientError) in try LocationConnection(to: address) }
    }
}

extension LocctlError {
    init(_ error: LocationClientError) {
        // The daemon lists the faults of a configuration in lines.
        let lines = error.description.split(separator: "\n").map { printable(String($0)) }
        self.init(lines.joined(separator: "\n"), error.isAboutTheConnection ? .noDaemon : .refused)
    }
}
