// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Decides when and how adapters listen for beacons, and what is told of them: events in, commands out, time an argument.
///
/// Nothing listens while nothing is wanted, and after a few seconds of grace: what is wanted again at once switches no radio. An adapter that hears nothing of anybody for too long may have stalled, as adapters do on long runs: it is begun
/// again, ever later, and that is said.
package struct BeaconScanner: Sendable {
    /// An order to the shell.
    package enum Command: Sendable, Hashable {
        /// `isSparse`: that a beacon is there is enough to be told every few seconds.
        case startMonitor(adapter: String, isSparse: Bool = false)
        case stopMonitor(adapter: String)
        case startDiscovery(adapter: String)
        case stopDiscovery(adapter: String)
        /// Tell locationd that beacons can be heard,
        case offer
        /// or not, and why.
        case withdraw(reason: String)
        case report([BeaconSighting])
        /// Tell the administrator.
        case say(String)
    }

    /// How adapters listen.
    private enum Pace: Comparable {
        case off
        /// For beacons that are only monitored.
        case sparse
        case full
    }

    /// Adapters listen for so long as they did when less is wanted.
    private static let grace = TimeSpan.seconds(5)

    /// The beacons that somebody ranges or monitors now.
    package private(set) var wanted = WantedBeacons()
    private var adapters: [String: AdapterScan] = [:]
    private var gatherer = SightingGatherer()
    private var isBlueZThere = false
    private var pace = Pace.off
    /// When adapters come to listen no more than is wanted; nil: they do.
    private var lowering: BootInstant?
    private let patience: TimeSpan
    /// Sightings in one report.
    private let reportLimit: Int
    /// The reason that locationd was told last, empty for that something is heard; nil: it was told nothing yet.
    private var told: String?

    /// - Parameters:
    ///   - patience: Silence for so long is taken for a stall.
    ///   - reportLimit: Sightings in one report.
    package init(patience: TimeSpan, reportLimit: Int) {
        (self.patience, self.reportLimit) = (patience, reportLimit)
    }

    /// The adapters that are known, by the bus' names of them, in order.
    package var knownAdapters: [String] { adapters.keys.sorted() }

    // MARK: locationd

    package mutating func want(_ wanted: WantedBeacons, at now: BootInstant) -> [Command] {
        // Nobody told which devices went while nobody listened; BlueZ is asked again what it remembers.
        if !isListening { gatherer.forgetAll() }
        self.wanted = wanted
        if wanted.isEmpty { gatherer.drop() }
        if !wanted.onlyMonitored { gatherer.hasten(at: now) }
        guard wantedPace >= pace else {
            lowering = lowering ?? now + Self.grace
            return settle()
        }
        return takeWantedPace() + settle()
    }

    /// The program ends: without grace.
    package mutating func end() -> [Command] {
        wanted = WantedBeacons()
        gatherer.drop()
        return takeWantedPace() + settle()
    }

    /// Whether adapters listen, or would if they could.
    package var isListening: Bool { pace != .off }

    private var wantedPace: Pace { wanted.isEmpty ? .off : wanted.onlyMonitored ? .sparse : .full }

    /// BlueZ asks a monitor only when it begins how often it is to be told: it begins anew.
    private mutating func takeWantedPace() -> [Command] {
        let isOther = pace != .off && wantedPace != .off && wantedPace != pace
        (pace, lowering) = (wantedPace, nil)
        guard isOther else { return [] }
        let running = knownAdapters.filter { adapters[$0]?.hasMonitor == true }
        for path in running { adapters[path]?.state = .off }
        return running.map { .stopMonitor(adapter: $0) }
    }

    /// There is a new connection to locationd, which knows nothing yet.
    package mutating func connected() -> [Command] {
        told = nil
        return settle()
    }

    // MARK: BlueZ

    package mutating func blueZCame() -> [Command] {
        isBlueZThere = true
        return settle()
    }

    package mutating func blueZWent() -> [Command] {
        isBlueZThere = false
        adapters = [:]
        gatherer.forgetAll()
        return settle()
    }

    /// `monitors`: it has advertisement monitors.
    package mutating func adapterCame(_ path: String, isPowered: Bool, monitors: Bool) -> [Command] {
        guard adapters[path] == nil else { return adapterChanged(path, isPowered: isPowered) }
        adapters[path] = AdapterScan(
            isPowered: isPowered, way: monitors ? .monitor : .discovery, patience: patience)
        return settle()
    }

    package mutating func adapterChanged(_ path: String, isPowered: Bool) -> [Command] {
        guard let scan = adapters[path], scan.isPowered != isPowered else { return [] }
        adapters[path]?.isPowered = isPowered
        // With the power went what listened, but BlueZ keeps a monitor, and would refuse it a second time.
        adapters[path]?.state = .off
        return (scan.hasMonitor ? [.stopMonitor(adapter: path)] : []) + settle()
    }

    package mutating func adapterWent(_ path: String) -> [Command] {
        adapters[path] = nil
        return settle()
    }

    /// BlueZ began to listen, or refused, for the reason `error`.
    package mutating func answered(_ path: String, error: String?, at now: BootInstant) -> [Command] {
        guard adapters[path]?.state == .starting else { return [] }
        guard let error else {
            adapters[path]?.began(at: now)
            return settle()
        }
        if adapters[path]?.way == .monitor { return leaveMonitor(path, because: "BlueZ refuses a monitor (\(error))") }
        let isNews = adapters[path]?.wasRefused(at: now) == true
        let words = "cannot listen on \(Self.name(path)), and goes on trying: \(error)"
        return (isNews ? [.say(words)] : []) + settle()
    }

    /// BlueZ has let go of the monitor of an adapter.
    package mutating func monitorReleased(_ path: String) -> [Command] {
        guard adapters[path]?.way == .monitor, adapters[path]?.state != .off else { return [] }
        return [.stopMonitor(adapter: path)] + leaveMonitor(path, because: "BlueZ has let go of the monitor")
    }

    private mutating func leaveMonitor(_ path: String, because reason: String) -> [Command] {
        adapters[path]?.way = .discovery
        adapters[path]?.state = .off
        return [.say("\(Self.name(path)) listens by discovery from now on: \(reason)")] + settle()
    }

    // MARK: The air

    /// A device was heard by the adapter at the beginning of its path. `data`: manufacturer data of Apple's number, nil: as it was; `rssi`: dBm, nil:
    /// it says none.
    package mutating func heard(_ device: String, data: [UInt8]?, rssi: Int?, at now: BootInstant) -> [Command] {
        // In the time of grace a beacon is not told, but known when it is wanted again.
        guard isListening else { return [] }
        gatherer.note(device, data: data, rssi: rssi, wanted, at: now)
        guard let end = device.lastIndex(of: "/") else { return [] }
        let path = String(device[..<end])
        guard adapters[path]?.state == .on, adapters[path]?.heard(at: now) == true else { return [] }
        return [.say("\(Self.name(path)) hears again")]
    }

    /// BlueZ knew the device before: nothing was heard.
    package mutating func remembered(_ device: String, data: [UInt8]) {
        gatherer.note(device, data: data, rssi: nil, WantedBeacons(), at: BootInstant(nanoseconds: 0))
    }

    package mutating func deviceWent(_ device: String) { gatherer.forget(device) }

    // MARK: Time

    /// When `woke` is to be called if nothing else happens; nil: never. Without demand that is never.
    package var nextWake: WakeWindow? {
        guard pace != .off else { return nil }
        let report = gatherer.due.map { WakeWindow(earliest: $0, latest: $0 + .milliseconds(50)) }
        let due = (adapters.values.compactMap(\.due) + (lowering.map { [$0] } ?? [])).min()
        guard let next = due.map({ WakeWindow(earliest: $0, latest: $0 + .seconds(1)) }) else { return report }
        return report?.merged(with: next) ?? next
    }

    package mutating func woke(at now: BootInstant) -> [Command] {
        guard pace != .off else { return [] }
        var commands = lowering.map { $0 <= now } == true ? takeWantedPace() : []
        if let due = gatherer.due, due <= now {
            commands += gatherer.take(upTo: reportLimit, isSparse: wanted.onlyMonitored, at: now).map { .report($0) }
        }
        for path in knownAdapters {
            guard let scan = adapters[path], let due = scan.due, due <= now else { continue }
            if scan.state == .on { commands += restart(path) } else { adapters[path]?.state = .off }
        }
        return commands + settle()
    }

    private mutating func restart(_ path: String) -> [Command] {
        guard let scan = adapters[path] else { return [] }
        let isNews = adapters[path]?.stalled() == true
        adapters[path]?.state = .off
        let seconds = Int(scan.patience.seconds)
        // Where there are no beacons a monitor hears nothing, either: it is begun again, and keeps the quieter way.
        let (name, stop): (String, Command) =
            scan.way == .monitor
            ? ("its monitor", .stopMonitor(adapter: path)) : ("discovery", .stopDiscovery(adapter: path))
        let words =
            "\(Self.name(path)) has heard nothing at all for \(seconds) s: \(name) is begun again, and again while that lasts"
        return (isNews ? [.say(words)] : []) + [stop]
    }

    // MARK: What follows

    /// Begins and ends listening as it is wanted, and tells whether anything can be heard.
    private mutating func settle() -> [Command] {
        var commands: [Command] = []
        for path in knownAdapters {
            guard let scan = adapters[path] else { continue }
            if pace != .off, scan.isPowered, scan.state == .off {
                adapters[path]?.state = .starting
                commands.append(
                    scan.way == .monitor
                        ? .startMonitor(adapter: path, isSparse: pace == .sparse) : .startDiscovery(adapter: path))
            } else if pace == .off, scan.state != .off {
                adapters[path]?.state = .off
                // BlueZ need not end a scan that it has refused.
                guard scan.state == .on || scan.state == .starting else { continue }
                commands.append(scan.way == .monitor ? .stopMonitor(adapter: path) : .stopDiscovery(adapter: path))
            }
        }
        let obstacle = obstacle
        guard obstacle != told else { return commands }
        told = obstacle
        return commands + [obstacle.isEmpty ? .offer : .withdraw(reason: obstacle)]
    }

    /// Why nothing can be heard; empty: something can.
    private var obstacle: String {
        if !isBlueZThere { return "BlueZ is not running" }
        if adapters.isEmpty { return "there is no Bluetooth adapter" }
        let powered = adapters.values.filter(\.isPowered)
        if powered.isEmpty { return "Bluetooth is off" }
        // Else locationd would take it for silence.
        return pace != .off && powered.allSatisfy(\.isRefused) ? "BlueZ refuses to listen" : ""
    }

    /// `hci0`.
    private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
