// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import LocationModel

/// Which beacons are meant; a number that is nil stands for any.
struct BeaconSelection: Sendable, Hashable {
    var uuid: UUID
    var major: UInt16?
    var minor: UInt16?

    var text: String {
        let numbers = [major.map { ", major:\($0)" }, minor.map { ", minor:\($0)" }].compactMap { $0 }
        return "uuid:\(uuid.uuidString)" + numbers.joined()
    }

    var modelled: BeaconIdentity { BeaconIdentity(uuid: uuid.uuidString, major: major, minor: minor) }

    func encode(with coder: NSCoder) {
        coder.encode(uuid.uuidString as NSString, forKey: "uuid")
        if let major { coder.encode(Int(major), forKey: "major") }
        if let minor { coder.encode(Int(minor), forKey: "minor") }
    }
}

extension BeaconSelection {
    /// The beacons that the daemon means.
    init(_ beacons: BeaconIdentity) {
        // It tells no UUID that is none.
        let uuid = UUID(uuidString: beacons.uuid) ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        self.init(uuid: uuid, major: beacons.major, minor: beacons.minor)
    }

    init?(from coder: NSCoder) {
        guard let uuid = coder.decodeText(forKey: "uuid").flatMap(UUID.init(uuidString:)) else { return nil }
        func number(_ key: String) -> UInt16? {
            coder.containsValue(forKey: key) ? UInt16(exactly: coder.decodeInteger(forKey: key)) : nil
        }
        self.init(uuid: uuid, major: number("major"), minor: number("minor"))
    }
}
