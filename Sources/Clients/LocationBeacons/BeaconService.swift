// SPDX-License-Identifier: Apache-2.0
import BeaconSource
import BusSupport
import CSystemd
import Glibc
import LocationLink
import LocationModel
import LocationProtocol
import SystemSupport
import SystemdSupport

/// The program: a scanner that decides, between BlueZ and locationd.
final class BeaconService {
    private let loop: EventLoop
    private let bus: Bus
    private var scanner: BeaconScanner
    private var blueZ: BlueZ?
    private var link: ProviderLink?
    private var timer: EventLoop.Timer?
    private var commands: [BeaconScanner.Command] = []
    private var isObeying = false

    init(_ options: BeaconOptions) throws(SystemError) {
        scanner = BeaconScanner(
            patience: .seconds(options.patience), reportLimit: BeaconSighting.reportedAtOnce)
        loop = try EventLoop()
        bus = try Bus(loop)
        try loop.serve(SIGTERM, SIGINT) { [unowned self] in end() }
        timer = try loop.timer { [unowned self] in take { scanner, now in scanner.woke(at: now) } }
        blueZ = BlueZ(bus) { [unowned self] event in take(event) }
        link = try ProviderLink(loop, options.daemon) { [unowned self] event in
            switch event {
            case .connected: take { scanner, _ in scanner.connected() }
            case .lost: take { scanner, now in scanner.want(WantedBeacons(), at: now) }
            case .wanted(let wanted): take { scanner, now in scanner.want(wanted, at: now) }
            }
        }
    }

    /// Runs until it is told to end, or the bus goes.
    func run() throws(SystemError) {
        blueZ?.look()
        link?.connect()
        take { scanner, _ in scanner.connected() }
        sd_notify(0, "READY=1")
        guard try loop.run() == 0 else { throw SystemError("cannot go on: the system bus is gone") }
    }

    /// While the loop still runs: with it the bus is closed.
    private func end() {
        sd_notify(0, "STOPPING=1")
        take { scanner, _ in scanner.end() }
        link?.end()
        loop.exit()
    }

    private func take(_ event: (inout BeaconScanner, BootInstant) -> [BeaconScanner.Command]) {
        commands += event(&scanner, bootClock())
        // A command may bring others about, such as at the end of the connection: they wait for those before them.
        guard !isObeying else { return }
        isObeying = true
        while !commands.isEmpty { obey(commands.removeFirst()) }
        isObeying = false
        blueZ?.listen(toDevices: scanner.isListening, adapters: scanner.knownAdapters)
        timer?.set(scanner.nextWake)
    }

    private func obey(_ command: BeaconScanner.Command) {
        switch command {
        case .startMonitor(let adapter, let isSparse): blueZ?.startMonitor(adapter, isSparse: isSparse)
        case .stopMonitor(let adapter): blueZ?.stopMonitor(adapter)
        case .startDiscovery(let adapter): blueZ?.startDiscovery(adapter)
        case .stopDiscovery(let adapter): blueZ?.stopDiscovery(adapter)
        case .offer: link?.offer()
        case .withdraw(let reason): link?.withdraw(reason)
        case .report(let sightings): link?.send(sightings)
        case .say(let words): say(words)
        }
    }
}
