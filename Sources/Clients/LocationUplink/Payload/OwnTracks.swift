// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import LocationProtocol

/// Writes the messages of OwnTracks: JSON objects with a `_type`, in which what is unknown is absent.
package struct OwnTracks: Sendable {
    /// Why a location is sent, where it is not just because the device is there: the member `t`.
    package enum Trigger: String, Sendable {
        /// A person asked for it.
        case manual = "u"
        /// The device came to stay somewhere, or left.
        case visit = "v"
    }

    /// The members of a location's message that do not come from the daemon's location.
    package struct Circumstances: Sendable {
        /// Why it is sent; nil: because the device is there.
        package var trigger: Trigger?
        /// The names of the regions in which the device is; nil: that is not known of this location.
        package var regions: [String]?
        /// When the message is made.
        package var made: WallTime

        /// A message that is made at the date `made`.
        package init(made: WallTime, trigger: Trigger? = nil, regions: [String]? = nil) {
            self.made = made
            self.trigger = trigger
            self.regions = regions
        }
    }

    /// Two characters by which a map shows the device.
    package let trackerID: String
    /// The device, as messages are numbered: `USER/DEVICE`.
    package let device: String
    /// The member `m`: 1 significant, 2 move; nil: neither.
    package let monitoring: Int?

    /// Messages of `device`.
    package init(device: String, trackerID: String, monitoring: Int?) {
        self.device = device
        self.trackerID = trackerID
        self.monitoring = monitoring
    }

    /// The `_id` of a location: the same whenever it is sent again. `generation`: how often the daemon has begun to count anew.
    package func identifier(_ sequence: UInt64, generation: UInt64 = 0) -> String {
        generation == 0 ? "\(device)-\(sequence)" : "\(device)-g\(generation)-\(sequence)"
    }

    /// The `_id` of what was told as event `number`; `generation` as for a location.
    package func identifier(event number: UInt64, generation: UInt64 = 0) -> String {
        generation == 0 ? "\(device)-e\(number)" : "\(device)-g\(generation)-e\(number)"
    }

    /// A `location`: `acc` is rounded up and never 0, `vel` is in km/h and left out where it is 0, `cog` comes only with `vel`.
    package func location(_ location: Location, id: String, _ circumstances: Circumstances) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("_type", "location")
        appendPlace(location.coordinate, to: &writer)
        writer.member("acc", wholeMetres(location.horizontalAccuracy))
        if let accuracy = location.verticalAccuracy, let altitude = location.altitude {
            writer.member("alt", whole(altitude))
            writer.member("vac", wholeMetres(accuracy))
        }
        appendMotion(location, to: &writer)
        if let monitoring {
            writer.member("m", monitoring)
        }
        appendCircumstances(circumstances, of: location.timestamp, id: id, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// A `location` with `t` `v`: where the device came to stay, at its arrival, or left, at its departure. nil: the visit has neither date.
    package func visit(_ visit: Visit, id: String, made: WallTime) -> [UInt8]? {
        guard let date = visit.departure ?? visit.arrival else { return nil }
        let place = Location(
            coordinate: visit.coordinate, horizontalAccuracy: visit.horizontalAccuracy, timestamp: date)
        return location(place, id: id, Circumstances(made: made, trigger: .visit))
    }

    /// A `transition`: the device crossed the border of the region `name`, which is known since `since`, at `location`.
    package func transition(
        into isEntry: Bool, region name: String, since: WallTime, at location: Location, id: String, made: WallTime
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("_type", "transition")
        writer.member("event", isEntry ? "enter" : "leave")
        writer.member("desc", name)
        writer.member("wtst", seconds(since))
        appendPlace(location.coordinate, to: &writer)
        writer.member("acc", wholeMetres(location.horizontalAccuracy))
        writer.member("t", "c")
        appendCircumstances(Circumstances(made: made), of: location.timestamp, id: id, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// An `lwt`, which the broker sends when the connection that was made at `connected` breaks.
    package static func lastWill(connected: WallTime) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("_type", "lwt")
        writer.member("tst", Int64(connected.milliseconds / 1000))
        writer.endObject()
        return writer.bytes
    }

    /// The payload of `message` with the member `topic`: so OwnTracks names the device where there are no topics, and some servers take
    /// `vel` for km/h only then.
    package static func withTopic(_ message: Message) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("topic", message.topic)
        return writer.bytes + [UInt8(ascii: ",")] + message.payload.dropFirst()
    }

    // MARK: Members

    private func appendPlace(_ place: Coordinate, to writer: inout JSONWriter) {
        writer.name("lat")
        // A centimetre: finer than any receiver, and all that a map shows.
        writer.decimal(place.latitude, places: 7)
        writer.name("lon")
        writer.decimal(place.longitude, places: 7)
    }

    private func appendMotion(_ location: Location, to writer: inout JSONWriter) {
        guard let speed = location.speed, case let kilometres = whole(speed * 3.6), kilometres > 0 else { return }
        writer.member("vel", kilometres)
        guard let course = location.course else { return }
        writer.name("cog")
        // A course that is rounded up to 360 is north.
        writer.integer(whole(course) % 360)
    }

    private func appendCircumstances(
        _ circumstances: Circumstances, of date: WallTime, id: String, to writer: inout JSONWriter
    ) {
        writer.member("tst", seconds(date))
        if seconds(circumstances.made) != seconds(date) {
            writer.member("created_at", seconds(circumstances.made))
        }
        if let trigger = circumstances.trigger {
            writer.member("t", trigger.rawValue)
        }
        writer.member("tid", trackerID)
        if let regions = circumstances.regions, !regions.isEmpty {
            writer.name("inregions")
            writer.beginArray()
            for region in regions { writer.string(region) }
            writer.endArray()
        }
        writer.member("_id", id)
    }

    private func seconds(_ date: WallTime) -> Int64 {
        let (quotient, rest) = date.milliseconds.quotientAndRemainder(dividingBy: 1000)
        return rest < 0 ? quotient - 1 : quotient
    }

    private func whole(_ number: Double) -> Int64 { Int64(min(max(number.rounded(), -1e15), 1e15)) }

    /// Metres rounded up: a circle that holds the place still does, and no accuracy becomes the 0 that means "unknown".
    private func wholeMetres(_ metres: Double) -> Int64 { max(1, Int64(min(metres.rounded(.up), 1e15))) }
}
