// SPDX-License-Identifier: Apache-2.0
import BeaconSource
import BusSupport
import LocationModel
import SystemSupport
import SystemdSupport

/// BlueZ on the system's bus: hands what it says to the scanner, and carries out the scanner's commands.
///
/// Signals about devices are subscribed only while beacons are wanted, so that another program's scan wakes nobody here.
final class BlueZ {
    static let name = "org.bluez"
    private static let adapter = "org.bluez.Adapter1"
    private static let device = "org.bluez.Device1"
    private static let monitorManager = "org.bluez.AdvertisementMonitorManager1"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"
    /// How long BlueZ may take for an answer, seconds.
    private static let patience = 10.0

    private let bus: Bus
    /// BlueZ's connection; empty: it is not there. A rule with a name does not keep out what others send to this program alone.
    private var owner = ""
    /// Takes an event, in the turn of the loop in which it came.
    private let tell: ((inout BeaconScanner, BootInstant) -> [BeaconScanner.Command]) -> Void
    private var always: [BusSlot] = []
    private var ofAdapters: [BusSlot] = []
    private var ofDevices: [BusSlot] = []
    private var calls: [String: BusSlot] = [:]
    private var monitors: [String: AdvertisementMonitor] = [:]
    /// Adapters of whose monitors BlueZ has not said yet that it has let go as it was told to: until then it releases them, too.
    private var leaving: Set<String> = []

    init(
        _ bus: Bus, tell: @escaping ((inout BeaconScanner, BootInstant) -> [BeaconScanner.Command]) -> Void
    ) {
        (self.bus, self.tell) = (bus, tell)
        always = [
            bus.listen(
                to:
                    "sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.name)'"
            ) { [unowned self] in ownerChanged($0) },
            bus.listen(to: Self.changes(of: Self.adapter)) { [unowned self] in changed($0) },
        ]
    }

    private static func changes(of interface: String) -> String {
        "sender='\(name)',interface='\(properties)',member='PropertiesChanged',arg0='\(interface)'"
    }

    // MARK: What there is

    /// Asks for adapters and for the devices that BlueZ remembers.
    func look() {
        calls["look"] = bus.call(Self.name, "/", Self.objectManager, "GetManagedObjects", [], within: Self.patience) {
            [unowned self] answer in
            let reply: BusMessage
            switch answer {
            case .success(let answer): reply = answer
            // It is there, and was busy.
            case .failure(let error) where error.name == "org.freedesktop.DBus.Error.NoReply": return look()
            case .failure: return
            }
            owner = reply.sender
            tell { scanner, _ in scanner.blueZCame() }
            try? reply.eachEntry("{oa{sa{sv}}}") { () throws(BusError) in
                let path = try reply.readText("o")
                take(path, try Interfaces(reading: reply), isNews: false)
            }
        }
    }

    /// Hears of devices, or not, and of adapters as far as there is no other way.
    func listen(toDevices isWanted: Bool, adapters: [String]) {
        let removed = "sender='\(Self.name)',interface='\(Self.objectManager)',member='InterfacesRemoved'"
        let added = "sender='\(Self.name)',interface='\(Self.objectManager)',member='InterfacesAdded'"
        if !isWanted {
            ofDevices = []
        } else if ofDevices.isEmpty {
            ofDevices = [
                bus.listen(to: Self.changes(of: Self.device)) { [unowned self] in changed($0) },
                bus.listen(to: removed) { [unowned self] in self.removed($0) },
                bus.listen(to: added) { [unowned self] in self.added($0) },
            ]
            look()
        }
        let rules =
            isWanted
            ? [] : adapters.isEmpty ? [added] : adapters.map { removed + ",arg0path='\($0)'" }
        guard rules != adapterRules else { return }
        adapterRules = rules
        ofAdapters = rules.map { rule in
            bus.listen(to: rule) { [unowned self] message in
                if message.member == "InterfacesAdded" { self.added(message) } else { self.removed(message) }
            }
        }
    }

    private var adapterRules: [String] = []

    private func ownerChanged(_ message: BusMessage) {
        guard message.sender == "org.freedesktop.DBus", (try? message.readText("s")) == Self.name,
            (try? message.readText("s")) != nil, let owner = try? message.readText("s")
        else { return }
        self.owner = owner
        tell { scanner, _ in scanner.blueZWent() }
        if !owner.isEmpty { look() }
    }

    private func added(_ message: BusMessage) {
        guard message.sender == owner, let path = try? message.readText("o"),
            let interfaces = try? Interfaces(reading: message)
        else { return }
        take(path, interfaces, isNews: true)
    }

    private func removed(_ message: BusMessage) {
        guard message.sender == owner, let path = try? message.readText("o"), let names = try? message.readTexts()
        else { return }
        if names.contains(Self.adapter) { tell { scanner, _ in scanner.adapterWent(path) } }
        guard names.contains(Self.device) else { return }
        tell { scanner, _ in
            scanner.deviceWent(path)
            return []
        }
    }

    /// `isNews`: just now, and not as BlueZ remembers it.
    private func take(_ path: String, _ interfaces: Interfaces, isNews: Bool) {
        if let isPowered = interfaces.isPowered {
            tell { scanner, _ in
                scanner.adapterCame(
                    path, isPowered: isPowered, monitors: interfaces.names.contains(Self.monitorManager))
            }
        }
        guard interfaces.names.contains(Self.device) else { return }
        tell { scanner, now in
            if isNews {
                return scanner.heard(path, data: interfaces.appleData, rssi: interfaces.rssi, at: now)
            }
            if let data = interfaces.appleData { scanner.remembered(path, data: data) }
            return []
        }
    }

    private func changed(_ message: BusMessage) {
        var interfaces = Interfaces()
        guard message.sender == owner, (try? interfaces.readProperties(of: message)) != nil else { return }
        let path = message.path
        if let isPowered = interfaces.isPowered {
            tell { scanner, _ in scanner.adapterChanged(path, isPowered: isPowered) }
        } else if interfaces.rssi != nil || interfaces.appleData != nil {
            tell { scanner, now in scanner.heard(path, data: interfaces.appleData, rssi: interfaces.rssi, at: now) }
        }
    }

    // MARK: Listening

    func startDiscovery(_ adapter: String) {
        let filter = BusValue.properties(["Transport": .string("le"), "DuplicateData": .boolean(true)])
        // The filter first: without it BlueZ tells each device once.
        calls[adapter] = bus.call(adapter, Self.adapter, "SetDiscoveryFilter", [filter]) { [unowned self] error in
            if let error { return answered(adapter, error) }
            calls[adapter] = bus.call(adapter, Self.adapter, "StartDiscovery", []) { [unowned self] error in
                answered(adapter, error)
            }
        }
    }

    func stopDiscovery(_ adapter: String) {
        calls[adapter] = nil
        bus.send(Self.name, adapter, Self.adapter, "StopDiscovery", [])
    }

    func startMonitor(_ adapter: String, isSparse: Bool) {
        do throws(SystemError) {
            let monitor = try monitor(of: adapter)
            monitor.isSparse = isSparse
            calls[adapter] = bus.call(adapter, Self.monitorManager, "RegisterMonitor", [.path(monitor.root)]) {
                [unowned self] error in answered(adapter, error)
            }
        } catch {
            answered(adapter, error.description)
        }
    }

    /// Made once: an object that is on the bus stays there.
    private func monitor(of adapter: String) throws(SystemError) -> AdvertisementMonitor {
        if let monitor = monitors[adapter] { return monitor }
        let monitor = try AdvertisementMonitor(bus, adapter) { [unowned self] sender in
            guard sender == owner, !leaving.contains(adapter) else { return }
            tell { scanner, _ in scanner.monitorReleased(adapter) }
        }
        monitors[adapter] = monitor
        return monitor
    }

    func stopMonitor(_ adapter: String) {
        calls[adapter] = nil
        guard let monitor = monitors[adapter] else { return }
        leaving.insert(adapter)
        calls["leave " + adapter] = bus.call(
            adapter, Self.monitorManager, "UnregisterMonitor", [.path(monitor.root)]
        ) { [unowned self] _ in leaving.remove(adapter) }
    }

    private func answered(_ adapter: String, _ error: String?) {
        tell { scanner, now in scanner.answered(adapter, error: error, at: now) }
    }
}

extension Bus {
    /// Calls BlueZ; the completion gets what BlueZ refuses it for, nil: nothing.
    fileprivate func call(
        _ path: String, _ interface: String, _ method: String, _ values: [BusValue],
        _ completion: @escaping (String?) -> Void
    ) -> BusSlot {
        call(BlueZ.name, path, interface, method, values, within: 10) { answer in
            switch answer {
            case .success: completion(nil)
            case .failure(let error): completion(error.message.isEmpty ? error.name : error.message)
            }
        }
    }
}

/// The properties of an object of BlueZ that say something of beacons.
struct Interfaces {
    private(set) var names: [String] = []
    private(set) var isPowered: Bool?
    private(set) var rssi: Int?
    private(set) var appleData: [UInt8]?

    init() {}

    /// Reads `a{sa{sv}}`.
    init(reading message: BusMessage) throws(BusError) {
        try message.eachEntry("{sa{sv}}") { () throws(BusError) in try readProperties(of: message) }
    }

    /// Reads `sa{sv}`: an interface and its properties.
    mutating func readProperties(of message: BusMessage) throws(BusError) {
        names.append(try message.readText("s"))
        let isAdapter = names.last == "org.bluez.Adapter1"
        try message.eachEntry("{sv}") { () throws(BusError) in
            switch try message.readText("s") {
            case "Powered" where isAdapter:
                try message.enterVariant(of: "b")
                isPowered = try message.readBoolean()
                message.exit()
            case "RSSI":
                try message.enterVariant(of: "n")
                rssi = Int(try message.readInt16())
                message.exit()
            case "ManufacturerData":
                try message.enterVariant(of: "a{qv}")
                try readManufacturerData(message)
                message.exit()
            default: try message.skip("v")
            }
        }
    }

    private mutating func readManufacturerData(_ message: BusMessage) throws(BusError) {
        try message.eachEntry("{qv}") { () throws(BusError) in
            guard try message.readUInt16() == BeaconAdvertisement.company else { return try message.skip("v") }
            try message.enterVariant(of: "ay")
            appleData = try message.readBytes()
            message.exit()
        }
    }
}
