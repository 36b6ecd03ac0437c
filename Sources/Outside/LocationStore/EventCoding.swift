// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The content of an event as bytes, bit for bit: a version, then the members in their order. The kind stands beside it.
///
/// A later version adds a case to `init(kind:decoding:)` and goes on reading this one.
extension AppEvent.Content {
    private static let version: UInt8 = 1

    /// The kind's name in the database.
    enum Kind: String {
        case region, visit, monitor, significantChange, notice
    }

    var kind: Kind {
        switch self {
        case .region: .region
        case .visit: .visit
        case .monitor: .monitor
        case .significantChange: .significantChange
        case .notice: .notice
        }
    }

    var encoded: [UInt8] {
        var writer = BlobWriter()
        writer.append(byte: AppEvent.Content.version)
        switch self {
        case .region(let region, let state, let location):
            writer.append(region)
            writer.append(byte: UInt8(state.rawValue))
            // By a beacon nobody learns where the device is.
            if let location { writer.append(location) }
        case .visit(let visit):
            writer.append(visit.coordinate)
            writer.append(visit.horizontalAccuracy)
            writer.append(visit.arrival) { $0.append($1.milliseconds) }
            writer.append(visit.departure) { $0.append($1.milliseconds) }
        case .monitor(let name, let identifier, let event):
            writer.append(name)
            writer.append(identifier)
            writer.append(byte: UInt8(event.state.rawValue))
            writer.append(event.date.milliseconds)
            writer.append(event.refinement?.encoded) { $0.append(bytes: $1) }
            writer.append(UInt64(event.flags.rawValue))
        case .significantChange(let location, let isReduced):
            writer.append(location)
            writer.append(byte: isReduced ? 1 : 0)
        case .notice(let notice, let region, let state):
            writer.append(bytes: notice.encoded)
            writer.append(region)
            writer.append(byte: UInt8(state.rawValue))
        }
        return writer.bytes
    }

    /// nil: the bytes are no such content.
    init?(kind: String, decoding bytes: UnsafeRawBufferPointer) {
        var reader = BlobReader(bytes)
        guard let kind = Kind(rawValue: kind), reader.byte() == AppEvent.Content.version else { return nil }
        let content: AppEvent.Content? =
            switch kind {
            case .region: reader.regionEvent()
            case .visit: reader.visit().map { .visit($0) }
            case .monitor: reader.monitorEvent()
            case .significantChange: reader.significantChange()
            case .notice: reader.noticeEvent()
            }
        guard let content, reader.isComplete else { return nil }
        self = content
    }
}

/// The content of an event as the store keeps it, for who keeps it elsewhere.
package struct StoredEventContent: Sendable {
    /// The kind's name.
    package let kind: String
    /// The members.
    package let bytes: [UInt8]

    /// The content as the store would keep it.
    package init(_ content: AppEvent.Content) {
        kind = content.kind.rawValue
        bytes = content.encoded
    }

    /// The kept content of a kind, with its members.
    package init(kind: String, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    /// The event's content; nil: the kind and the bytes are of none.
    package var content: AppEvent.Content? {
        bytes.withUnsafeBytes { AppEvent.Content(kind: kind, decoding: $0) }
    }
}

extension BlobWriter {
    fileprivate mutating func append(_ region: Region) {
        append(region.identifier)
        append(bytes: region.shape.encoded)
        append(byte: (region.notifyOnEntry ? 1 : 0) | (region.notifyOnExit ? 2 : 0))
        append(region.hysteresis.cushion) { $0.append($1) }
        append(region.hysteresis.dwell) { $0.append($1.nanoseconds) }
    }

    fileprivate mutating func append(_ location: Location) {
        append(location.coordinate)
        append(location.horizontalAccuracy)
        append(location.timestamp.milliseconds)
        append(location.sequence)
        append(byte: (location.isSimulatedBySoftware ? 1 : 0) | location.kind.rawValue << 1)
        for value in [
            location.altitude, location.ellipsoidalAltitude, location.verticalAccuracy, location.speed,
            location.speedAccuracy, location.course, location.courseAccuracy,
        ] {
            append(value) { $0.append($1) }
        }
    }
}

extension BlobReader {
    fileprivate mutating func shape() -> RegionShape? { bytes().flatMap { RegionShape(decoding: $0) } }

    fileprivate mutating func date() -> WallTime? {
        integer().map { WallTime(milliseconds: $0) }.flatMap { $0.isWritable ? $0 : nil }
    }

    private mutating func region() -> Region? {
        guard let identifier = text(), let shape = shape(), let notify = byte() else { return nil }
        let cushion = optional { $0.real() }
        let dwell = optional { $0.integer() }
        let hysteresis = RegionHysteresis(cushion: cushion, dwell: dwell.map { TimeSpan(nanoseconds: $0) })
        guard hysteresis.isValid else { return nil }
        return Region(
            identifier: identifier, shape: shape, notifyOnEntry: notify & 1 != 0, notifyOnExit: notify & 2 != 0,
            hysteresis: hysteresis)
    }

    private mutating func location() -> Location? {
        guard let coordinate = coordinate(), let accuracy = real(), let timestamp = date(),
            let sequence = word(), sequence <= Location.greatestSequence, let source = byte()
        else { return nil }
        var location = Location(
            coordinate: coordinate, horizontalAccuracy: accuracy, timestamp: timestamp, sequence: sequence)
        location.isSimulatedBySoftware = source & 1 != 0
        location.kind = LocationKind(rawValue: source >> 1) ?? .other
        location.altitude = optional { $0.real() }
        location.ellipsoidalAltitude = optional { $0.real() }
        location.verticalAccuracy = optional { $0.real() }
        location.speed = optional { $0.real() }
        location.speedAccuracy = optional { $0.real() }
        location.course = optional { $0.real() }
        location.courseAccuracy = optional { $0.real() }
        return location.isPlausible ? location : nil
    }

    fileprivate mutating func regionEvent() -> AppEvent.Content? {
        guard let region = region(), let number = byte(), let state = RegionState(rawValue: Int(number))
        else { return nil }
        if region.shape.beacons != nil { return .region(region, state, nil) }
        return location().map { .region(region, state, $0) }
    }

    fileprivate mutating func noticeEvent() -> AppEvent.Content? {
        guard let notice = bytes().flatMap({ RegionNotice(decoding: $0) }), let region = text(), let number = byte(),
            let state = RegionState(rawValue: Int(number))
        else { return nil }
        return .notice(notice, region: region, state)
    }

    fileprivate mutating func visit() -> Visit? {
        guard let coordinate = coordinate(), coordinate.isValid, let accuracy = real(), accuracy > 0,
            accuracy.isFinite
        else { return nil }
        let arrival = optional { $0.date() }
        return Visit(
            coordinate: coordinate, horizontalAccuracy: accuracy, arrival: arrival, departure: optional { $0.date() })
    }

    fileprivate mutating func monitorEvent() -> AppEvent.Content? {
        guard let name = text(), let identifier = text(), let number = byte(),
            let state = ConditionState(rawValue: Int(number)), let date = date()
        else { return nil }
        let refinement = optional { $0.shape() }
        guard let flags = word(), let bits = UInt16(exactly: flags) else { return nil }
        return .monitor(
            name: name, identifier: identifier,
            ConditionEvent(
                state: state, date: date, refinement: refinement, flags: DiagnosticFlags(rawValue: bits)))
    }

    fileprivate mutating func significantChange() -> AppEvent.Content? {
        guard let location = location(), let isReduced = byte() else { return nil }
        return .significantChange(location, isReduced: isReduced != 0)
    }
}
