// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The newest line of each receiver that lists satellites, as gpsd sent it. To read the list costs more than all else of an epoch: it is
/// read when somebody asks.
package struct KeptSky: Sendable {
    /// The satellites that one receiver heard.
    package struct Heard: Sendable, Hashable {
        package var receiver: ReceiverID
        /// In the receiver's order.
        package var satellites: [Satellite]
        package var at: BootInstant
    }

    struct Line: Sendable {
        let receiver: ReceiverID
        var bytes: [UInt8] = []
        var at: BootInstant
    }

    /// A sky that is older is not told.
    static let lifetime = TimeSpan.seconds(15)

    private var lines: [Line] = []

    /// Keeps `line` in place of the receiver's former one.
    mutating func keep(_ line: UnsafeRawBufferPointer, of receiver: ReceiverID, at now: BootInstant) {
        let index = lines.firstIndex { $0.receiver == receiver } ?? lines.count
        if index == lines.count { lines.append(Line(receiver: receiver, at: now)) }
        lines[index].bytes.removeAll(keepingCapacity: true)
        lines[index].bytes.append(contentsOf: line)
        lines[index].at = now
    }

    /// The last line of `receiver`, nil for it: of the one that told its sky last; nil: none told any.
    func newest(of receiver: ReceiverID?) -> Line? {
        lines.lazy.filter { receiver == nil || $0.receiver == receiver }.max { $0.at < $1.at }
    }
}
