// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// The result of `monitoredRegions`: the app's regions, in the order of their identifiers or as the daemon keeps them.
public struct MonitoredRegions: Sendable, Hashable {
    /// The regions.
    public var regions: [Region]

    /// The result `regions`.
    public init(_ regions: [Region]) { self.regions = regions }
}

extension MonitoredRegions: WrittenResult, Decodable {
    package func append(to writer: inout JSONWriter) {
        writer.beginArray()
        for region in regions { region.append(to: &writer) }
        writer.endArray()
    }

    /// Reads an array of regions.
    public init(from decoder: any Decoder) throws {
        regions = try decoder.singleValueContainer().decode([WireRegion].self).map(\.region)
    }
}

/// The result of `openMonitor`.
public struct MonitorResult: Sendable, Hashable, Codable {
    /// The number of the monitor on this connection.
    public var monitor: UInt64
    /// The conditions that it has.
    public var identifiers: [String]

    /// The monitor `monitor`.
    public init(monitor: UInt64, identifiers: [String]) {
        self.monitor = monitor
        self.identifiers = identifiers
    }
}

/// A monitor's condition and what was last acknowledged of it (CLMonitor.Record).
public struct MonitorRecord: Sendable, Hashable {
    /// The area.
    public var condition: RegionShape
    /// The event that was acknowledged last; nil: none yet.
    public var lastEvent: ConditionEvent?

    /// The record of `condition`.
    public init(condition: RegionShape, lastEvent: ConditionEvent?) {
        self.condition = condition
        self.lastEvent = lastEvent
    }
}

/// The result of `monitorRecord`: null for a condition that there is not.
public struct MonitorRecordResult: Sendable, Hashable {
    /// The record.
    public var record: MonitorRecord?

    /// The result `record`.
    public init(_ record: MonitorRecord?) { self.record = record }
}

extension MonitorRecordResult: WrittenResult, Decodable {
    private enum Member: String, CodingKey { case condition, lastEvent }

    package func append(to writer: inout JSONWriter) {
        guard let record else { return writer.null() }
        writer.beginObject()
        writer.name("condition")
        record.condition.append(to: &writer)
        writer.name("lastEvent")
        if let event = record.lastEvent {
            writer.beginObject()
            Told<ConditionEvent>.conditionEvent.write(event, &writer)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.endObject()
    }

    /// Reads a record or null.
    public init(from decoder: any Decoder) throws {
        guard try !decoder.singleValueContainer().decodeNil() else {
            record = nil
            return
        }
        let container = try decoder.container(keyedBy: Member.self)
        record = MonitorRecord(
            condition: try container.decode(WireShape.self, forKey: .condition).shape,
            lastEvent: try container.decodeIfPresent(WireConditionEvent.self, forKey: .lastEvent)?.event)
    }
}

/// A condition's event inside a message, as decoders read it.
private struct WireConditionEvent: Decodable {
    var event: ConditionEvent
    init(from decoder: any Decoder) throws {
        event = try Told<ConditionEvent>.conditionEvent.read(try decoder.container(keyedBy: MemberKey.self))
    }
}
