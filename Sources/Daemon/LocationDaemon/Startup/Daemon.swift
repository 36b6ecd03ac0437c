// SPDX-License-Identifier: Apache-2.0
import CLinux
import CSystemd
import GPSDSource
import Glibc
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices
import LocationStore
import SystemSupport
import SystemdSupport

/// The running daemon: the service, its clients, its sources of locations, systemd, and the one timer for all of them.
final class Daemon {
    private let options: DaemonOptions
    private let loop: EventLoop
    private let service: LocationService
    private let keeper: StateKeeper
    private var configuration: Configuration
    private let server: Server
    private let gpsd: GPSDLink
    private let provided: ProvidedLocations
    private let sources: FixSources
    private let history: HistoryKeeper
    private let startedAt: BootInstant
    /// The carriers with a former process's clients, until these are taken up.
    private var carriers: [Int32]
    private var timer: EventLoop.Timer?
    private var signals: [EventLoop.Source] = []
    private var statusLine = StatusLine()
    private var idleExit = IdleExit()
    private var exitAt: BootInstant?
    /// Every program here can have the location from gpsd, whatever is decided.
    private let isGPSDOpen: Bool
    private let isWatchedBySystemd = getenv("NOTIFY_SOCKET") != nil

    /// Takes everything that can fail before the daemon says that it is ready.
    ///
    /// - Parameter handed: What systemd handed over.
    init(_ given: DaemonOptions, _ configuration: Configuration, _ handed: HandedDescriptors) throws {
        var options = given
        startedAt = bootClock()
        clinux_ignore_sigpipe()
        // A limit on file sizes is an error of the write and no death.
        signal(SIGXFSZ, SIG_IGN)
        let descriptors = clinux_raise_file_limit()
        let journal = Journal(level: options.logLevel ?? configuration.journalLevel)
        if descriptors < UInt64(configuration.limits.connections) + 64 {
            journal.warning(
                "\(descriptors) file descriptors do not suffice for Connections=\(configuration.limits.connections)")
        }
        try Daemon.blockSignals()
        loop = try EventLoop()
        let loading = Loading(journal, runtimeDirectory: options.runtimeDirectory)
        let keeper = try StateKeeper(
            runtimeDirectory: options.runtimeDirectory, stateDirectory: options.stateDirectory, configuration, journal,
            progress: { loading.goOn() })
        let service = LocationService(
            configuration: configuration, keeper: keeper, journal: journal, at: startedAt, wallClock())
        (self.service, self.keeper, self.configuration) = (service, keeper, configuration)
        carriers = handed.carriers
        let listener = try options.listener(handed, journal)
        // systemd made the socket where everybody's network is.
        let isAlone = !options.ownsSocket && clinux_is_of_another_network(listener)
        isGPSDOpen = (options.gpsd ?? configuration.gpsd.address).isOpenToAll(isAlone: isAlone)
        server = try Server(service: service, loop: loop, listener: listener)
        self.options = options
        gpsd = GPSDLink(
            address: options.gpsd ?? configuration.gpsd.address, configuration, loop: loop,
            journal: { [unowned service] in service.journal.unlimited })
        history = HistoryKeeper(
            directory: options.stateDirectory, log: keeper.fixes, configuration.history,
            journal: { [unowned service] in service.journal.unlimited })
        // Another source is another element here.
        provided = ProvidedLocations(
            stateDirectory: options.stateDirectory, file: configuration.providers.geolocationFile,
            patience: configuration.gpsd.loss, loop: loop, date: { [unowned service] in service.host.date() },
            journal: { [unowned service] in service.journal.unlimited })
        sources = FixSources([gpsd, provided], for: service, configuration.gpsd)
        try connectParts()
    }

    private func connectParts() throws {
        timer = try loop.timer { [unowned self] in timerFired() }
        service.host.surroundings = { [unowned self] in surroundings }
        service.host.slept = timeSlept
        service.host.reload = { [unowned self] in try reload() }
        service.host.answerProvider = { [unowned self] request throws(RPCError) in try provided.answer(request) }
        service.host.providerLeft = { [unowned self] client, now in provided.clientLeft(client, at: now) }
        connectHistory()
        signals = [
            try loop.onSignal(SIGTERM) { [unowned self] in loop.exit() },
            try loop.onSignal(SIGINT) { [unowned self] in loop.exit() },
            try loop.onSignal(SIGHUP) { [unowned self] in hangUp() },
        ]
        // Before clients, of whom there are many.
        for signal in signals { signal.setPriority(-10) }
        loop.dispatched = { [unowned self] in
            let now = bootClock()
            tellSystemd(at: now)
            endIfIdle(at: now)
            let wake = armTimer()
            history.settle(at: now, nextWake: service.expectsFix(at: now) ? now : wake?.latest)
        }
    }

    private func connectHistory() {
        service.host.answerHistory = { [unowned self] request throws(RPCError) in
            try HistoryAnswers(service: service, keeper: history).answer(to: request)
        }
        service.host.account = { [unowned self] entries in
            for entry in entries { history.ledger.add(entry) }
        }
        service.host.eventStored = { [unowned self] app, event in
            // The region's events are history; a notice is only how a person learned of one.
            if !event.isNotice { history.note(event, of: HistoryApp(app.identity), label: app.label) }
        }
        service.host.appForgotten = { [unowned self] app in
            history.forgetEvents(of: HistoryApp(app.identity), label: app.label)
        }
    }

    /// Serves until SIGTERM or SIGINT.
    func run() throws {
        let records = RecordRestoring(service: service, keeper: keeper, now: startedAt)
        records.restore()
        keeper.records.database?.endProgress()
        FormerUsers(service: service, now: startedAt).bindDecisions()
        takeUpClients()
        // They are as the former daemon had them, whose configuration may have named others.
        service.keepBeaconProviders(at: startedAt)
        records.wakeForStoredEvents()
        records.forgetEmptyApps()
        service.rules.note(unknownNames: configuration.unknownNames(), service.journal.unlimited)
        sources.start(at: startedAt)
        loop.feedWatchdog()
        sd_notify(0, "READY=1")
        tellSystemd(at: startedAt)
        endIfIdle(at: bootClock())
        armTimer()
        service.journal.info("serving at \(options.socketName)")
        keeper.records.database?.releaseMemory()
        clinux_release_startup_pages()
        try loop.run()
        sd_notify(0, "STOPPING=1")
        stop()
    }

    /// Ends no deferral: what was promised goes on when the daemon is there again.
    private func stop() {
        server.stop(patience: .seconds(1))
        service.settleLedger(at: bootClock())
        history.finish(at: bootClock())
        service.saveAll()
        leaveClients()
        if options.ownsSocket { unlink(options.socketPath) }
        service.journal.info("stopped")
    }

    /// Clients stay connected over a restart, as far as systemd keeps their sockets; the others come back with their tokens.
    private func leaveClients() {
        guard isWatchedBySystemd else { return }
        let (connections, surroundings) = server.kept(by: keeper)
        guard !connections.isEmpty || !surroundings.isOfNoUse else { return }
        do {
            let outcome = try Handover.leave(
                connections, surroundings, outputLimit: configuration.limits.outputLimit)
            if server.count > 0 {
                service.journal.info(
                    "systemd keeps \(outcome.count) of \(server.count) connections for the next process")
            }
            for (socket, reason) in outcome.leftOut {
                let client = (try? PeerCredentials(of: socket)).map { "pid \($0.pid)" } ?? "somebody"
                service.journal.warning("cannot leave the connection of \(client): \(reason)")
            }
        } catch {
            service.journal.warning("\(error)")
        }
    }

    private func takeUpClients() {
        guard !carriers.isEmpty else { return server.takeUp([], KeptSurroundings(), from: keeper, at: startedAt) }
        let handover = Handover(from: carriers)
        carriers = []
        server.takeUp(handover.connections, handover.surroundings, from: keeper, at: startedAt)
        guard !handover.connections.isEmpty else { return }
        service.journal.info(
            "took over \(server.count) of \(handover.connections.count) connections from the process before")
    }

    /// From now on these signals wait for the event loop.
    static func blockSignals() throws(SystemError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, signal) }
        guard sigprocmask(SIG_BLOCK, &set, nil) == 0 else { throw SystemError(cannot: "block signals") }
    }

    // MARK: Time

    private func timerFired() {
        let now = bootClock()
        sources.wakeDue(at: now)
        if let wake = service.engine.nextWake, wake.earliest <= now { service.handle(.woke, at: now) }
        guard let retry = keeper.records.nextRetry, retry <= now else { return }
        service.retryWhatWaits(at: now)
        service.flush()
    }

    /// Returns when the daemon is awake again, if nobody wakes it before.
    @discardableResult
    private func armTimer() -> WakeWindow? {
        var window = service.engine.nextWake
        if let wake = sources.nextWake { window = window?.merged(with: wake) ?? wake }
        if let due = statusLine.dueAt {
            let wake = WakeWindow(earliest: due, latest: due + .seconds(5))
            window = window?.merged(with: wake) ?? wake
        }
        if let retry = keeper.records.nextRetry {
            let wake = WakeWindow(earliest: retry, latest: retry + .seconds(5))
            window = window?.merged(with: wake) ?? wake
        }
        if let exitAt {
            let wake = WakeWindow(earliest: exitAt, latest: exitAt + .seconds(1))
            window = window?.merged(with: wake) ?? wake
        }
        timer?.set(window)
        return window
    }

    // MARK: systemd

    private func tellSystemd(at now: BootInstant) {
        guard isWatchedBySystemd else { return }
        guard let line = statusLine.next(at: now, content: { statusContent }) else { return }
        sd_notify(0, "STATUS=\(line)")
    }

    private var statusContent: StatusLine.Content {
        StatusLine.Content(
            areServicesEnabled: service.engine.areServicesEnabled, isGPSDConnected: gpsd.isConnected,
            connections: server.count,
            problems: StatusDocument.problems(of: service) + [history.problem].compactMap { $0 })
    }

    /// A daemon that has its socket from systemd is started again by the next client.
    private func endIfIdle(at now: BootInstant) {
        let limit = options.ownsSocket ? .zero : configuration.service.exitWhenIdle
        exitAt = idleExit.look(at: now, limit: limit) {
            server.count == 0 && service.managers.isEmpty && service.engine.powerReport(at: now).policy == .off
        }
        guard let exitAt, exitAt <= now else { return }
        service.journal.info("nobody needs the service any more")
        loop.exit()
    }

    private var surroundings: StatusSurroundings {
        let now = bootClock()
        var around = StatusSurroundings()
        around.startedAt = startedAt
        around.gpsd = gpsd.status(openToAll: isGPSDOpen, at: now)
        around.receivers = sources.receivers(at: now)
        around.providers = { [unowned self] all in provided.status(all: all, at: now) }
        around.history = history.status
        around.connections = { [unowned self] all in server.connectionsStatus(all: all, at: now) }
        return around
    }

    // MARK: Reload

    private func hangUp() {
        sd_notify(0, "RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds())")
        // The journal has why it failed, if it did.
        try? reload()
        sd_notify(0, "READY=1")
    }

    /// Reads the configuration again and puts in force what can be without a restart; no client is dropped.
    private func reload() throws {
        let new: Configuration
        do {
            new = try ConfigurationFile.load(named: options.configurationFile)
        } catch {
            service.journal.error(
                "cannot reload, the old configuration stays: \(error)", .configurationRefused(reason: "\(error)"))
            throw error
        }
        let stuck = new.changesNeedingRestart(from: configuration)
        configuration = new.keepingWhatNeedsRestart(from: configuration)
        service.apply(configuration, at: bootClock())
        history.apply(configuration.history, at: bootClock())
        sources.settings = configuration.gpsd
        provided.patience = configuration.gpsd.loss
        provided.keepOffers(at: bootClock()) { service.mayProvide($0) }
        service.keepBeaconProviders(at: bootClock())
        sources.notePreference(at: bootClock())
        if options.logLevel == nil { service.journal.level = new.journalLevel }
        service.rules.note(unknownNames: configuration.unknownNames(), service.journal.unlimited)
        for key in stuck { service.journal.warning("\(key) takes effect only after a restart") }
        service.journal.info("configuration reloaded", .configurationReloaded)
    }
}
