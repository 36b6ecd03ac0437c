// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import TerminalScreen

extension Session {
    /// `locctl top`: on a terminal until somebody ends it, elsewhere one picture as text.
    func top(on isOn: Bool) throws(LocctlError) -> ExitCode {
        let stop = StopSignal()
        let glyphs = Terminal.showsUnicode ? TopGlyphs.unicode : .ascii
        var watch = TopWatch(self, isOn: isOn)
        guard console.isScreen, let terminal = Terminal(usesColor: console.style.usesColor) else {
            return printTop(&watch, glyphs, stop)
        }
        defer { terminal.end() }
        while true {
            watch.look()
            terminal.show(watch.picture(rows: terminal.rows, columns: terminal.columns, glyphs))
            let next = LocationConnection.now + TopWatch.period
            while LocationConnection.now < next {
                guard !Session.waitForKey(until: next, or: stop) else { return .done }
                while let key = terminal.nextKey() {
                    if watch.obey(key) { return .done }
                    if key == .resize || key == .character("\u{0C}") { terminal.redraw() }
                }
                terminal.show(watch.picture(rows: terminal.rows, columns: terminal.columns, glyphs))
            }
        }
    }

    private func printTop(_ watch: inout TopWatch, _ glyphs: TopGlyphs, _ stop: StopSignal) -> ExitCode {
        watch.look()
        // The daemon keeps satellites from the first question on.
        for _ in 0..<3 where watch.state.reading.status?.power?.on == true && watch.state.reading.sky.satellites == nil
        {
            if stop.wait(atMost: TopWatch.period) { return .interrupted }
            watch.look()
        }
        let rows = Console.variable("LINES").flatMap { Int($0) }.map { min(max($0, 10), 500) } ?? 40
        console.print(watch.picture(rows: rows, columns: console.style.width, glyphs, hasKeys: false).text)
        return watch.state.reading.status == nil ? .noDaemon : .done
    }

    /// Waits for a key, for another size of the terminal, or for `end`. True: a signal ends the program.
    private static func waitForKey(until end: BootInstant, or stop: StopSignal) -> Bool {
        var waiting = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let left = max(.zero, end - LocationConnection.now).nanoseconds
        // A signal of the terminal's interrupts it, and curses then has a key for it.
        let count = poll(&waiting, 2, Int32(clamping: left / 1_000_000 + 1))
        // A terminal that is gone ends it, too.
        return count > 0 && (waiting[1].revents != 0 || waiting[0].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0)
    }
}

/// Looks at the daemon again and again, for `locctl top`.
struct TopWatch {
    static let period = TimeSpan.seconds(1)
    /// Apps whose events are asked for in one look.
    private static let appLimit = 16

    private let session: Session
    private(set) var state: TopState
    private var connection: LocationConnection?
    /// Whether the connection's own service runs.
    private var isStarted = false

    init(_ session: Session, isOn: Bool) {
        self.session = session
        state = TopState(at: session.console.now, ownProcess: Int(getpid()))
        state.isOn = isOn
    }

    func picture(rows: Int, columns: Int, _ glyphs: TopGlyphs, hasKeys: Bool = true) -> Screen {
        TopScreen(state, glyphs, session.console.calendar).draw(rows: rows, columns: columns, hasKeys: hasKeys)
    }

    /// Does what a key means. True: it ends the program.
    mutating func obey(_ key: Terminal.Key) -> Bool {
        switch key {
        case .character("q"), .character("Q"): return true
        case .character("o"): state.isOn.toggle()
        case .character("+"): state.trackMinutes = min(60, state.trackMinutes * 2)
        case .character("-"): state.trackMinutes = max(1, state.trackMinutes / 2)
        case .character("j"): state.scrollClients(by: 1)
        case .character("k"): state.scrollClients(by: -1)
        case .character, .resize, .other: break
        }
        return false
    }

    /// One look. A daemon that is gone is looked for again with the next.
    mutating func look() {
        var reading = TopReading(at: session.console.now)
        do throws(LocationClientError) {
            let connection = try connected()
            try read(connection, into: &reading)
        } catch {
            reading.failure = printable(error.description)
            (connection, isStarted) = (nil, false)
        }
        state.take(reading)
    }

    private mutating func connected() throws(LocationClientError) -> LocationConnection {
        if let connection { return connection }
        let new = try LocationConnection(to: session.address)
        // Ctrl-C waits no longer than for one reply.
        new.replyTimeout = .seconds(2)
        connection = new
        if state.track.isEmpty { takeHistory(new) }
        return new
    }

    // A part that is not for this user to see is absent, and nothing else suffers.
    private mutating func read(
        _ connection: LocationConnection, into reading: inout TopReading
    ) throws(LocationClientError) {
        try follow(connection)
        let status = try connection.status(.all)
        reading.status = status
        do throws(LocationClientError) {
            reading.location = try connection.location()
        } catch {
            guard !error.isAboutTheConnection else { throw error }
            reading.failure = "not for this user to know"
        }
        do throws(LocationClientError) {
            reading.sky = try connection.satellites()
        } catch {
            // The daemon tells a user who may know only roughly the place, but no sky.
            guard !error.isAboutTheConnection else { throw error }
        }
        guard status.connections.clients != nil else { return }
        reading.requests = (try? connection.pendingRequests().count) ?? 0
        for app in (status.apps ?? []).filter({ $0.pendingEvents > 0 }).prefix(TopWatch.appLimit) {
            reading.events[app.app] = try? connection.events(of: app.app)
        }
    }

    /// Has this program's own service run or not, and takes what it delivered.
    private mutating func follow(_ connection: LocationConnection) throws(LocationClientError) {
        if state.isOn, !isStarted {
            _ = try connection.startUpdatingLocation()
            isStarted = true
        } else if !state.isOn, isStarted {
            try connection.stopUpdatingLocation()
            isStarted = false
        }
        while case .notification(let received) = try connection.nextNotification(by: LocationConnection.now) {
            guard case .didUpdateLocations(let update) = received.notification else { continue }
            for location in update.locations { state.take(location) }
        }
    }

    /// The way of the last minutes, where it is kept and this user may know it.
    private mutating func takeHistory(_ connection: LocationConnection) {
        let from = WallTime(milliseconds: session.console.now.milliseconds - 3_600_000)
        var after: UInt64?
        var locations: [Location] = []
        repeat {
            guard let page = try? connection.history(after: after, from: from) else { break }
            locations += page.locations
            after = page.next
        } while after != nil
        state.takeHistory(locations)
    }
}
