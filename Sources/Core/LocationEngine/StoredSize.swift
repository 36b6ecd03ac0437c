// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Bytes that records take, close to their size on the disk and in memory.
package enum StoredSize {
    /// A row beside its content.
    package static let row = 100
    /// A monitor: a row with a name.
    package static let monitor = 200
    /// An app that is kept: a row with its names.
    package static let app = 300
}

extension RegionShape {
    /// Bytes.
    var storedSize: Int {
        switch self {
        case .circle: 24
        case .polygon(let polygon): polygon.vertices.count * 16
        case .beacon: 64
        }
    }
}

extension Region {
    /// Bytes.
    package var storedSize: Int {
        StoredSize.row + identifier.utf8.count + shape.storedSize + (notice?.storedSize ?? 0)
    }
}

extension RegionNotice {
    /// Bytes.
    var storedSize: Int { title.utf8.count + text.utf8.count }
}

extension Condition {
    /// Bytes; its last event may say the shape once more.
    package static func storedSize(_ identifier: String, _ shape: RegionShape) -> Int {
        StoredSize.row + identifier.utf8.count + 2 * shape.storedSize
    }
}

extension RegionOwner {
    var storedSize: Int {
        switch self {
        case .region(_, let region): region.storedSize
        case .condition(_, let condition): Condition.storedSize(condition.identifier, condition.shape)
        }
    }
}

extension AppEvent {
    /// Bytes.
    var storedSize: Int {
        switch content {
        case .region(let region, _, _): StoredSize.row + region.storedSize
        case .monitor(_, _, let event): StoredSize.row * 2 + (event.refinement?.storedSize ?? 0)
        case .notice(let notice, let region, _): StoredSize.row * 2 + notice.storedSize + region.utf8.count
        case .visit, .significantChange: StoredSize.row * 2
        }
    }
}
