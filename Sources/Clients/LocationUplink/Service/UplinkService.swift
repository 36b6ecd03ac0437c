// SPDX-License-Identifier: Apache-2.0
import CSystemd
import Glibc
import LocationClient
import LocationLink
import LocationModel
import LocationProtocol
import SystemSupport
import SystemdSupport

/// Joins the machine to the broker, the daemon, the disk and the clock.
final class UplinkService {
    private let loop: EventLoop
    private let setup: UplinkSetup
    private var machine: UplinkMachine
    private var carrier: (any MessageCarrier)?
    private var daemon: ServiceLink?
    private var feed: LogFeed?
    private let stateFile: StateFile
    private let statusFile: StatusFile
    private var timer: EventLoop.Timer?
    private var waiting: [UplinkEvent] = []
    private var isWorking = false
    private var saveProblem: String?

    init(_ setup: UplinkSetup) throws(SystemError) {
        self.setup = setup
        loop = try EventLoop()
        stateFile = StateFile(in: setup.stateDirectory)
        statusFile = StatusFile(in: setup.runtimeDirectory)
        machine = UplinkMachine(setup.options)
    }

    /// Runs until it is told to end.
    func run() throws(SystemError) {
        try loop.serve(SIGTERM, SIGINT) { [unowned self] in take([.stop]) }
        try loop.serve(SIGUSR1) { [unowned self] in take([.sendNow]) }
        timer = try loop.timer { [unowned self] in take([.wake]) }
        carrier = try connection()
        daemon = try ServiceLink(loop, setup.daemon, setup.services) { [unowned self] in take($0) }
        loop.feedWatchdog()
        take([.started(keptState())])
        daemon?.connect()
        sd_notify(0, "READY=1")
        try loop.run()
        daemon?.leave()
    }

    private func connection() throws(SystemError) -> any MessageCarrier {
        let report: ([UplinkEvent]) -> Void = { [unowned self] in take($0) }
        guard let server = setup.server else {
            return try BrokerConnection(loop, setup.broker, setup.options.topics, report: report)
        }
        return try ServerConnection(loop, server, report: report)
    }

    private func keptState() -> UplinkState? {
        var state: UplinkState?
        switch stateFile.read(now: wallClock()) {
        case .nothing: break
        case .state(let kept): state = kept
        case .damaged(let problem, let former):
            say(problem)
            state = former
        }
        let known = setup.knownRegions(state?.regions ?? [:], now: wallClock())
        state?.regions = known
        return state
    }

    // MARK: A turn

    private func take(_ events: [UplinkEvent]) {
        waiting += events
        guard !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        var next = 0
        while next < waiting.count {
            let event = waiting[next]
            next += 1
            for effect in machine.handle(event, at: Moment(now: bootClock(), date: wallClock())) { obey(effect) }
        }
        waiting.removeAll(keepingCapacity: true)
        var wake = machine.nextWake
        var report = machine.report
        report.broker = setup.server?.shown ?? "\(setup.broker.host):\(setup.broker.port)"
        if let due = statusFile.show(report, at: bootClock()) {
            let show = WakeWindow(earliest: due, latest: due + .seconds(1))
            wake = wake.map { $0.merged(with: show) } ?? show
        }
        timer?.set(wake)
    }

    private func obey(_ effect: UplinkEffect) {
        switch effect {
        case .connectBroker(let attempt): carrier?.connect(attempt: attempt)
        case .disconnectBroker: carrier?.disconnect()
        case .publish(let token, let message): carrier?.publish(token, message)
        case .openLog(let sequence): openLog(after: sequence)
        case .setReading(let isReading): feed?.setReading(isReading)
        case .closeLog:
            feed?.close()
            feed = nil
        case .fetchPage(let sequence, let limit): fetchPage(after: sequence, limit: limit)
        case .askNewest: daemon?.askNewest()
        case .deferUpdates(let span): daemon?.deferUpdates(span)
        case .acknowledge(let event): daemon?.acknowledge(event)
        case .reconnectDaemon: daemon?.reconnect()
        case .requestLocation: daemon?.requestLocation()
        case .save(let state, let keepsFormer): save(state, keepsFormer: keepsFormer)
        case .say(let text): say(text)
        case .exit: loop.exit()
        }
    }

    // MARK: The log

    private func openLog(after sequence: UInt64) {
        feed?.close()
        feed = nil
        do {
            feed = try LogFeed(loop, setup.daemon, after: sequence) { [unowned self] in take($0) }
        } catch {
            take([.readingFailed])
        }
    }

    private func fetchPage(after sequence: UInt64, limit: Int) {
        if let event = daemon?.page(after: sequence, limit: limit) { take([event]) }
    }

    // MARK: The disk

    // A disk that takes nothing costs that what is acknowledged meanwhile is sent again after a restart: nothing is lost.
    private func save(_ state: UplinkState, keepsFormer: Bool) {
        do {
            try stateFile.write(state, keepsFormer: keepsFormer)
            if saveProblem != nil { say("the state can be written again") }
            saveProblem = nil
        } catch {
            take([.saveFailed])
            guard "\(error)" != saveProblem else { return }
            saveProblem = "\(error)"
            say("\(error): it is tried again, and what is acknowledged until then is sent again after a restart")
        }
    }
}
