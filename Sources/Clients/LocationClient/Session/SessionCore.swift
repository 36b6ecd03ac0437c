// SPDX-License-Identifier: Apache-2.0
import Dispatch
import LocationModel
import LocationProtocol

/// Carries out what a `SessionMachine` decides: connections, the timer, the program's handler. Everything but `greeting` is
/// used on one queue.
final class SessionCore: @unchecked Sendable {
    /// The daemon's last answer to `hello`; for any thread.
    let greeting = SessionGreeting()

    private var machine: SessionMachine
    private let transport: any SessionTransport
    private let assumedName: String?
    private let queue: DispatchQueue
    private var handler: (@Sendable (SessionEvent) -> Void)?
    private var connection: (any TransportConnection)?
    // Events of a connection that was given up are not for its successor.
    private var connectionNumber = 0
    private var watch: (any Sendable)?
    private var answers: [UInt64: @Sendable (Result<Reply?, LocationClientError>) -> Void] = [:]
    private var lastQuery: UInt64 = 0
    private var timer: (any SessionTimer)?
    private var timerWakes: BootInstant?
    // An input that comes while another is dealt with waits for its turn.
    private var inputs: [SessionInput] = []
    private var effects: [SessionEffect] = []
    private var isHandling = false
    private var hasEnded = false
    // The program has let go of it; what it asked for last is not sent yet.
    private var isLeaving = false

    init(
        _ machine: SessionMachine, over transport: any SessionTransport, on queue: DispatchQueue,
        handler: @escaping @Sendable (SessionEvent) -> Void
    ) {
        self.machine = machine
        assumedName = machine.application.isNameAssumed ? machine.application.name : nil
        self.transport = transport
        self.queue = queue
        self.handler = handler
    }

    func begin() {
        guard !hasEnded else { return }
        if transport.outlivesProgram { ProgramExit.shared.add(self) }
        watch = transport.watch(on: queue) { [weak self] in self?.handle(.daemonMayBeBack) }
        machine.begin(at: transport.now, isWatched: watch != nil, into: &effects)
        isHandling = true
        carryOut()
        isHandling = false
        takeInputs()
    }

    func ask(
        _ query: SessionQuery, _ completion: @escaping @Sendable (Result<Reply?, LocationClientError>) -> Void
    ) {
        lastQuery += 1
        answers[lastQuery] = completion
        handle(.query(lastQuery, query))
    }

    func handle(_ input: SessionInput) {
        inputs.append(input)
        if !isHandling { takeInputs() }
    }

    /// The requests with a lasting effect that the daemon has not answered; nil: there is none.
    var unanswered: UnansweredRequests? { hasEnded ? nil : machine.unanswered }

    func end() {
        guard !hasEnded, !isLeaving else { return }
        handler = nil
        greeting.note(nil)
        guard transport.outlivesProgram, machine.wouldLoseRequests else { return finish() }
        isLeaving = true
        ProgramExit.shared.keep(self)
        machine.leave(into: &effects)
        if !isHandling { carryOut() }
    }

    private func finish() {
        hasEnded = true
        machine.end(into: &effects)
        // Effects that are being carried out go on with these.
        if !isHandling { carryOut() }
        watch = nil
        timer?.cancel()
        timer = nil
        if transport.outlivesProgram { ProgramExit.shared.remove(self) }
    }

    // The last question is answered, or will never be.
    private func finishLeaving() {
        if let unanswered = machine.unanswered {
            guard unanswered.isHopeless else { return }
            unanswered.report()
        }
        finish()
    }

    private func takeInputs() {
        isHandling = true
        var next = 0
        while next < inputs.count {
            machine.handle(inputs[next], at: transport.now, into: &effects)
            next += 1
            carryOut()
        }
        inputs.removeAll(keepingCapacity: true)
        isHandling = false
        if isLeaving, !hasEnded { finishLeaving() }
        setTimer()
        if transport.outlivesProgram { ProgramExit.shared.look() }
    }

    private func carryOut() {
        var next = 0
        while next < effects.count {
            carryOut(effects[next])
            next += 1
        }
        effects.removeAll(keepingCapacity: true)
    }

    private func carryOut(_ effect: SessionEffect) {
        switch effect {
        case .deliver(let event):
            note(event)
            handler?(event)
        case .send(let id, let call): connection?.send(call, as: id)
        case .open: open()
        case .close: disconnect()
        case .answer(let number, let result): answers.removeValue(forKey: number)?(result)
        }
    }

    private func note(_ event: SessionEvent) {
        switch event {
        case .connected(let hello): greeting.note(hello)
        case .disconnected, .unreachable: greeting.note(nil)
        case .nameRefused: if let assumedName { transport.refusedNames?.insert(assumedName) }
        default: break
        }
    }

    // MARK: The connection

    private func open() {
        disconnect()
        let number = connectionNumber
        connection = transport.open(on: queue) { [weak self] event in self?.take(event, of: number) }
    }

    private func disconnect() {
        connectionNumber += 1
        connection?.close()
        connection = nil
    }

    private func take(_ event: TransportEvent, of number: Int) {
        guard number == connectionNumber else { return }
        switch event {
        case .opened:
            if let assumedName, let refused = transport.refusedNames, refused.contains(assumedName) {
                machine.giveUpName()
            }
            handle(.opened)
        case .line(let line):
            do {
                handle(.received(try ServerMessage.decode(line)))
            } catch {
                handle(.unreadable(error))
            }
        case .closed(let reason):
            disconnect()
            handle(.closed(reason))
        }
    }

    // MARK: The timer

    private func setTimer() {
        guard !hasEnded, machine.nextWake != timerWakes else { return }
        timer?.cancel()
        timer = nil
        timerWakes = machine.nextWake
        guard let timerWakes else { return }
        timer = transport.schedule(after: timerWakes - transport.now, on: queue) { [weak self] in
            guard let self else { return }
            self.timerWakes = nil
            handle(.woken)
        }
    }
}
