// SPDX-License-Identifier: Apache-2.0
import BusSupport
import Glibc
import LocationClient
import LocationLink
import LocationModel
import SystemSupport
import SystemdSupport

/// The command line of `locationd-agent`.
struct AgentOptions: ProgramOptions {
    static let program = "locationd-agent"
    static let usage = """
        Usage: locationd-agent [OPTION]...

        Shows the notices of the user's regions by the desktop's notifications, and asks there about
        apps, where the user may decide. `locctl agent --desktop` runs it.

          --socket PATH  where locationd listens (default $LOCATIOND_SOCKET, else /run/locationd/locationd.sock)
          --help         print this

        """

    private enum Key: CommandLineOption {
        case socket, help

        var takesArgument: Bool { self != .help }
    }

    var daemon = DaemonAddress.standard
    var showsHelp = false

    init(arguments: [String]) throws(UsageError) {
        try Key.read(arguments) { key, value throws(UsageError) in
            switch key {
            case .socket: daemon = DaemonAddress(path: value)
            case .help: showsHelp = true
            }
        }
    }
}

/// Runs `locationd-agent` with its command line and returns its exit code: 0, 1 when it cannot do its work, 64 for a wrong command line
/// (sysexits.h).
package func runLocationAgent(arguments: [String]) -> Int32 {
    AgentOptions.run(arguments) { options throws(SystemError) in
        try DesktopAgent(options).run()
        return 0
    }
}

func say(_ message: String) { AgentOptions.say(message) }

/// The program: a board that decides, between locationd and the desktop.
private final class DesktopAgent {
    private let loop: EventLoop
    private var board = NoticeBoard()
    private var screen: DesktopScreen?
    private var link: AgentLink?
    private var retry: EventLoop.Timer?
    /// Before what the desktop did not take is tried again: ever longer, until it takes something.
    private var pause = DesktopAgent.pauses.lowerBound
    private static let pauses = TimeSpan.seconds(2)...TimeSpan.seconds(300)

    init(_ options: AgentOptions) throws(SystemError) {
        loop = try EventLoop()
        let bus = try Bus(loop, ofSession: true)
        try loop.serve(SIGTERM, SIGINT) { [unowned self] in loop.exit() }
        retry = try loop.timer { [unowned self] in obey(board.showAgain(at: bootClock())) }
        screen = DesktopScreen(bus, date: { wallClock() }) { [unowned self] event in take(event) }
        link = try AgentLink(loop, options.daemon) { [unowned self] notification in
            obey(notification.map { board.take($0, at: bootClock()) } ?? board.disconnected())
        }
    }

    /// Runs until it is told to end, or the bus goes.
    func run() throws(SystemError) {
        link?.connect()
        guard try loop.run() == 0 else { throw SystemError("cannot go on: the session bus is gone") }
        if let refusal = link?.refusal { throw refusal }
    }

    private func take(_ event: DesktopScreen.Event) {
        switch event {
        case .shows(let item, let ticket, let number):
            pause = DesktopAgent.pauses.lowerBound
            obey(board.shows(item, ticket: ticket, as: number, at: bootClock()))
        case .failed(let ticket, let reason, let isThere):
            say("cannot show it: \(reason); it waits for the desktop's notifications")
            board.failed(ticket: ticket)
            if isThere { tryAgain() }
        case .pressed(let button, let number): obey(board.pressed(button, on: number, at: bootClock()))
        case .dismissed(let number):
            board.dismissed(number)
            obey([])
        case .came: obey(board.screenCame(at: bootClock()))
        }
    }

    private func tryAgain() {
        retry?.set(in: pause, slack: .seconds(1))
        pause = min(pause + pause, DesktopAgent.pauses.upperBound)
    }

    private func obey(_ commands: [NoticeBoard.Command]) {
        for command in commands {
            switch command {
            case .show(let item, let ticket, let number, let isQuiet):
                screen?.show(item, ticket: ticket, replacing: number, quietly: isQuiet)
            case .close(let number): screen?.close(number)
            case .acknowledge(let name): link?.acknowledge(name)
            case .takeNotices: link?.takeNotices()
            case .answer(let request, let answer): link?.answer(request, answer)
            }
        }
        screen?.listen(toAnswers: board.asks)
    }
}
