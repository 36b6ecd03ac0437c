// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport

/// What a daemon says.
enum Lines {
    /// A fix a second, each 10 m north of the one before.
    static func location(_ sequence: UInt64) -> Location {
        Location(
            coordinate: Coordinate(latitude: 50, longitude: 8).moved(by: Double(sequence) * 10, course: 0),
            horizontalAccuracy: 4, timestamp: WallTime(milliseconds: 1_700_000_000_000 + Int64(sequence) * 1000),
            sequence: sequence)
    }
}

extension FakeDaemon {
    /// Where it listens, as clients have it.
    var address: DaemonAddress { DaemonAddress(path: path) }
}

extension FakeDaemonClient {
    /// Sends live locations of the standard service.
    func update(_ sequences: UInt64...) { update(with: sequences.map { Lines.location($0) }) }
}
