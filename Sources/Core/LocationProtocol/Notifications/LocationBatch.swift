// SPDX-License-Identifier: Apache-2.0

package import LocationModel

/// The members of a `didUpdateLocations` beside its locations.
package struct UpdateAttributes: Sendable, Hashable {
    /// The service.
    package var source: LocationSource
    /// A stored first location, alone.
    package var cached = false
    /// The deferral that held these.
    package var deferral: UInt64?
    /// The ring was full before the deferral ended.
    package var early = false
    /// How many older locations were lost because this client was slow.
    package var dropped: UInt64 = 0
    /// The window of `resumeAfter` did not reach back.
    package var gap = false
    /// The one-shot request that this answers.
    package var request: UInt64?
    /// The stored event that this is, to be acknowledged.
    package var event: UInt64?

    /// Plain locations of `source`.
    package init(
        source: LocationSource, cached: Bool = false, deferral: UInt64? = nil, early: Bool = false,
        dropped: UInt64 = 0, gap: Bool = false, request: UInt64? = nil, event: UInt64? = nil
    ) {
        self.source = source
        self.cached = cached
        self.deferral = deferral
        self.early = early
        self.dropped = dropped
        self.gap = gap
        self.request = request
        self.event = event
    }
}

/// One `didUpdateLocations` line in the making: begin, append while it fits, finish.
///
/// The buffer is kept from line to line. What does not fit goes into the next line; the caller then finishes with
/// `more`.
package struct LocationBatch: Sendable {
    /// How many locations are in the line.
    package private(set) var count = 0
    private var writer = JSONWriter()
    private let limit: Int

    // `],"more":true,"seq":` and the tail.
    private static let closingLength = 21 + NotificationWriter.maximumTailLength

    /// Lines of at most `limit` bytes with their tail. The first location is taken even so.
    package init(limit: Int = NotificationWriter.maximumLineLength) { self.limit = limit }

    /// Begins a line and forgets the one before.
    package mutating func begin(_ attributes: UpdateAttributes) {
        count = 0
        writer.bytes.removeAll(keepingCapacity: true)
        NotificationWriter.begin("didUpdateLocations", &writer)
        writer.member("source", attributes.source.word)
        flag("cached", attributes.cached)
        number("deferral", attributes.deferral)
        flag("early", attributes.early)
        number("dropped", attributes.dropped == 0 ? nil : attributes.dropped)
        flag("gap", attributes.gap)
        number("request", attributes.request)
        number("event", attributes.event)
        writer.name("locations")
        writer.beginArray()
    }

    /// Appends `location`; false, and nothing is appended, if the line would grow over its limit.
    package mutating func append(_ location: Location) -> Bool {
        let before = writer.bytes.count
        LocationCoding.append(location, to: &writer)
        return keep(since: before)
    }

    /// Appends a location that `LocationCoding` has written; false, and nothing is appended, if it does not fit.
    package mutating func append(encoded: some Collection<UInt8>) -> Bool {
        let before = writer.bytes.count
        writer.raw(encoded)
        return keep(since: before)
    }

    /// Ends the line: its prefix, to which `NotificationWriter.appendTail` adds the rest. `more`: the next line goes on.
    package mutating func finish(more: Bool) -> [UInt8] {
        writer.endArray()
        flag("more", more)
        writer.name("seq")
        return writer.bytes
    }

    private mutating func keep(since before: Int) -> Bool {
        if count > 0, writer.bytes.count + LocationBatch.closingLength > limit {
            writer.bytes.removeLast(writer.bytes.count - before)
            return false
        }
        count += 1
        return true
    }

    private mutating func flag(_ name: StaticString, _ flag: Bool) {
        guard flag else { return }
        writer.name(name)
        writer.bool(true)
    }

    private mutating func number(_ name: StaticString, _ number: UInt64?) {
        guard let number else { return }
        writer.name(name)
        writer.integer(number)
    }
}

extension NotificationWriter {
    /// A `didUpdateLocations` prefix with as many of `locations`, oldest first, as fit into a line, and how many those are.
    ///
    /// Locations that do not fit go into further lines, and this one says `more`. `locations` is not empty.
    package static func didUpdateLocations(
        _ attributes: UpdateAttributes, _ locations: some Collection<Location>, limit: Int = maximumLineLength
    ) -> (prefix: [UInt8], taken: Int) {
        var batch = LocationBatch(limit: limit)
        batch.begin(attributes)
        for location in locations where !batch.append(location) { break }
        let taken = batch.count
        return (batch.finish(more: taken < locations.count), taken)
    }
}
