// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices

/// A manager as a slot holds it, and as one process hands it to the next: the engine's record, and who it is of. Names are short because a
/// slot is small.
struct SavedManager: Codable {
    private let v: Int
    /// With it the client takes the manager back; nil: it cannot.
    let token: ManagerToken?
    private let uid: UInt32
    private let unit: String?
    /// The name that its client gives itself; nil: none.
    let label: String?
    private let isSystemUnit: Bool?
    /// For the engine; its app is a number of another process.
    let record: ManagerRecord

    private enum CodingKeys: String, CodingKey {
        case v, token = "t", uid = "u", unit = "n", label = "l", isSystemUnit = "y", record = "r"
    }

    private static let version = 2

    /// nil: nobody knows yet who it is.
    init?(_ manager: ClientManager, _ record: ManagerRecord) {
        guard let identity = manager.who.identity else { return nil }
        v = SavedManager.version
        token = manager.token
        uid = identity.uid
        unit = identity.name
        label = manager.label
        isSystemUnit = manager.who.isSystemUnit ? true : nil
        self.record = record
    }

    private init(_ saved: SavedManager, _ record: ManagerRecord) {
        v = saved.v
        token = saved.token
        uid = saved.uid
        unit = saved.unit
        label = saved.label
        isSystemUnit = saved.isSystemUnit
        self.record = record
    }

    /// The slot of version 1, which locationd 0.1.0 wrote, has the members of the record beside the names.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        v = try container.decode(Int.self, forKey: .v)
        token = try container.decodeIfPresent(ManagerToken.self, forKey: .token)
        uid = try container.decode(UInt32.self, forKey: .uid)
        unit = try container.decodeIfPresent(String.self, forKey: .unit)
        label = try container.decodeIfPresent(String.self, forKey: .label)
        isSystemUnit = try container.decodeIfPresent(Bool.self, forKey: .isSystemUnit)
        let record =
            switch v {
            case 1: try ManagerRecordVersion1(from: decoder).record
            case SavedManager.version: try container.decode(ManagerRecord.self, forKey: .record)
            default: ManagerRecord?.none
            }
        guard let record, record.isUsable else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no manager"))
        }
        self.record = record
    }

    /// nil: not what this version or one before it writes, or a number in it is one that no manager can have.
    init?(decoding bytes: [UInt8]) {
        do {
            self = try JSONText.value(of: bytes)
        } catch {
            return nil
        }
    }

    /// The same manager with another record.
    func with(_ record: ManagerRecord) -> SavedManager { SavedManager(self, record) }

    /// The slot's contents, of at most `limit` bytes if that can be: where services stand goes first, which a client that comes back is told anew.
    func encoded(limit: Int) -> [UInt8] {
        let whole = encoded
        return whole.count <= limit ? whole : with(record.ofAbsent).encoded
    }

    private var encoded: [UInt8] {
        do {
            return try JSONWriter.text(of: self)
        } catch {
            // Every number here is finite: limits that are not are nil.
            return []
        }
    }

    /// Whose it is.
    var identity: PeerIdentity { PeerIdentity(uid: uid, name: unit) }
    /// Whether it was a unit of the system's manager.
    var wasSystemUnit: Bool { isSystemUnit ?? false }

    /// The record as one of `app`. `isAway`: its client has to come back.
    func record(of app: AppID, isAway: Bool) -> ManagerRecord {
        var record = record
        record.app = app
        record.isAway = isAway
        return record
    }
}
