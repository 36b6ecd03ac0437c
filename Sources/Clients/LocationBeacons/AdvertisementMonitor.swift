// SPDX-License-Identifier: Apache-2.0
import BeaconSource
import BusSupport
import SystemSupport

/// The monitor that BlueZ has of one adapter: an object on the bus that says for which advertisements BlueZ is to listen.
final class AdvertisementMonitor: BusObject {
    private static let interface = BusInterface(
        "org.bluez.AdvertisementMonitor1",
        methods: [
            .init(name: "Release"), .init(name: "Activate"),
            .init(name: "DeviceFound", input: "o", arguments: "device\0"),
            .init(name: "DeviceLost", input: "o", arguments: "device\0"),
        ],
        properties: [
            .init(name: "Type", signature: "s", isConstant: true),
            .init(name: "RSSISamplingPeriod", signature: "q"),
            .init(name: "Patterns", signature: "a(yyay)", isConstant: true),
        ])

    /// Where BlueZ finds it.
    let root: String
    /// That a beacon is heard is enough to be told every few seconds; BlueZ asks when it takes the monitor.
    var isSparse = false
    private let released: (_ sender: String) -> Void

    init(_ bus: Bus, _ adapter: String, released: @escaping (_ sender: String) -> Void) throws(SystemError) {
        root = "/org/locationd/beacons/" + (adapter.split(separator: "/").last.map(String.init) ?? "adapter")
        self.released = released
        super.init()
        try bus.addObjectManager(at: root)
        try bus.add(self, at: root + "/monitor", Self.interface)
    }

    override func call(_ method: String, _ message: BusMessage) throws(BusError) -> Answer {
        // The properties of a device that is found tell it, too.
        if method == "Release" { released(message.sender) }
        return .now([])
    }

    override func value(of property: String) -> BusValue {
        switch property {
        case "Type": .string("or_patterns")
        // Every advertisement is told, or in tenths of a second one for so many.
        case "RSSISamplingPeriod": .uint16(isSparse ? 50 : 0)
        default:
            // From the beginning of manufacturer data (0xFF): the company's number, low byte first, and how an iBeacon begins.
            .pattern(
                start: 0, type: 0xFF,
                [UInt8(BeaconAdvertisement.company & 0xFF), UInt8(BeaconAdvertisement.company >> 8)]
                    + BeaconAdvertisement.prefix)
        }
    }
}
