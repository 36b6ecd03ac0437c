// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol

/// `locctl agent`: shows what apps ask for, and gives the daemon the answer of the person at the terminal.
struct Agent {
    private let session: Session
    private let answer: AuthorizationAnswer?
    private let stop = StopSignal()
    // Whether the person at the terminal is asked.
    private let asks: Bool
    private var waiting: [AuthorizationRequest] = []
    // The request whose question stands on the terminal.
    private var asked: UInt64?
    // The question is gone: a line that the person may have begun for it ends before another question begins.
    private var mustPressEnter = false
    private var saysSo = false

    private var console: Console { session.console }

    init(session: Session, answer: AuthorizationAnswer?) {
        self.session = session
        self.answer = answer
        asks = answer == nil && !session.json && isatty(STDIN_FILENO) == 1
    }

    mutating func run() throws(LocctlError) -> ExitCode {
        let first = try session.connect()
        try session.asking { () throws(LocationClientError) in try first.registerAgent() }
        var connection: LocationConnection? = first
        var ending = FollowEnding.interrupted
        while let current = connection {
            ending = follow(current)
            guard case .disconnected(let error) = ending else { break }
            console.tell("\(printable(error.description)); waiting for it to come back")
            (connection, ending) = reconnect()
        }
        return try ending.exitCode(hasEnd: false)
    }

    private mutating func follow(_ connection: LocationConnection) -> FollowEnding {
        do throws(LocationClientError) {
            while true {
                while case .notification(let received) = try connection.nextNotification(by: LocationConnection.now) {
                    try take(received, connection)
                }
                ask()
                switch wait(connection) {
                case .daemon: break
                case .signal:
                    console.noteInterruption()
                    return .interrupted
                case .person:
                    guard let line = typedLine() else { return .interrupted }
                    try give(line, connection)
                }
            }
        } catch {
            return FollowEnding(error)
        }
    }

    private enum Speaker { case daemon, signal, person }

    private func wait(_ connection: LocationConnection) -> Speaker {
        var waiting = [connection.fileDescriptor, stop.descriptor, asks ? STDIN_FILENO : -1]
            .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // Interrupted by the signal itself, or by another one: either way the pipe tells.
        while poll(&waiting, nfds_t(waiting.count), -1) < 0, errno == EINTR {}
        if waiting[1].revents != 0 { return .signal }
        return waiting[2].revents != 0 ? .person : .daemon
    }

    // MARK: The daemon

    private mutating func take(
        _ received: ReceivedNotification, _ connection: LocationConnection
    ) throws(LocationClientError) {
        if session.json { console.print(line: received.line[...]) }
        switch received.notification {
        case .authorizationRequested(let request):
            if let answer {
                show(request)
                try reply(request.request, answer, connection)
            } else if asks {
                waiting.append(request)
            } else {
                show(request)
            }
        case .authorizationRequestClosed(let number, let outcome):
            waiting.removeAll { $0.request == number }
            if asked == number { takeQuestionAway() }
            if !session.json { console.print(RequestText.closed(number, outcome) + "\n") }
        default: break
        }
    }

    private mutating func reply(
        _ number: UInt64, _ answer: AuthorizationAnswer, _ connection: LocationConnection
    ) throws(LocationClientError) {
        do throws(LocationClientError) {
            let result = try connection.answerRequest(number, answer)
            if let sentence = RequestText.notStored(result) { console.tell(sentence) }
        } catch {
            // Late, or not for this agent: that is no reason to stop asking.
            guard case .refused = error else { throw error }
            console.tell(printable(error.description))
        }
    }

    private mutating func reconnect() -> (LocationConnection?, FollowEnding) {
        // A daemon that comes back asks again what still waits.
        waiting = []
        if asked != nil { takeQuestionAway() }
        let (again, ending) = session.comeBack(by: .distantFuture, or: stop) { connection throws(LocationClientError) in
            try connection.registerAgent()
        }
        guard let (connection, _) = again else { return (nil, ending) }
        console.tell("locationd is back")
        return (connection, ending)
    }

    // MARK: The person

    private func show(_ request: AuthorizationRequest) {
        if !session.json { console.print(RequestText.question(request, now: console.now, console.style)) }
    }

    /// Puts the oldest question that waits on the terminal, unless one stands there.
    private mutating func ask() {
        guard asked == nil, let request = waiting.first else { return }
        guard !mustPressEnter else {
            if !saysSo { console.print(RequestText.interruption) }
            saysSo = true
            return
        }
        // Input from before the question was shown is no answer to it.
        tcflush(STDIN_FILENO, TCIFLUSH)
        asked = request.request
        show(request)
        console.print(RequestText.prompt)
    }

    private mutating func takeQuestionAway() {
        asked = nil
        mustPressEnter = true
        saysSo = false
        console.print("\n")
    }

    private mutating func give(_ line: String, _ connection: LocationConnection) throws(LocationClientError) {
        guard !mustPressEnter else {
            mustPressEnter = false
            return
        }
        guard let number = asked else { return }
        guard let answer = AnswerWords.typed(line) else {
            console.print(RequestText.prompt)
            return
        }
        asked = nil
        waiting.removeAll { $0.request == number }
        try reply(number, answer, connection)
    }

    // Returns the line that was typed; nil: the person has ended the input. A terminal gives whole lines.
    private func typedLine() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
