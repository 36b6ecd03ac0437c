// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import LocationUplink
import Testing

@Suite("The messages of OwnTracks")
struct PayloadTests {
    private let writer = OwnTracks(device: "ada/car", trackerID: "ar", monitoring: 2)
    private let made = WallTime(milliseconds: 1_700_000_000_900)

    private func fix(_ change: (inout Location) -> Void = { _ in }) -> Location {
        var location = Location(
            coordinate: Coordinate(latitude: 52.516_274_56, longitude: -13.377_704_04), horizontalAccuracy: 4.2,
            timestamp: WallTime(milliseconds: 1_700_000_000_100), sequence: 42)
        change(&location)
        return location
    }

    private func text(_ location: Location, regions: [String]? = nil, trigger: OwnTracks.Trigger? = nil) -> String {
        let bytes = writer.location(
            location, id: writer.identifier(location.sequence),
            OwnTracks.Circumstances(made: made, trigger: trigger, regions: regions))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a location has what is known, and nothing else`() {
        #expect(
            text(fix())
                == #"{"_type":"location","lat":52.5162746,"lon":-13.377704,"acc":5,"m":2,"tst":1700000000,"tid":"ar","#
                + #""_id":"ada/car-42"}"#)
    }

    @Test func `a location has all that is known`() {
        let full = fix {
            ($0.altitude, $0.verticalAccuracy, $0.speed, $0.course) = (-2.6, 7.1, 10, 359.7)
            $0.ellipsoidalAltitude = 40
        }
        #expect(
            text(full, regions: ["Home", "A \"B\""], trigger: .manual)
                == #"{"_type":"location","lat":52.5162746,"lon":-13.377704,"acc":5,"alt":-3,"vac":8,"vel":36,"cog":0,"#
                + #""m":2,"tst":1700000000,"t":"u","tid":"ar","inregions":["Home","A \"B\""],"_id":"ada/car-42"}"#)
    }

    @Test(arguments: [(0.001, 1), (0.4, 1), (1, 1), (1.2, 2), (150, 150), (1e300, 1_000_000_000_000_000)])
    func `an accuracy is rounded up and never 0, which consumers take for none`(metres: Double, acc: Int) throws {
        let json = try JSON(parsing: text(fix { $0.horizontalAccuracy = metres }))
        #expect(json["acc"]?.int == acc)
    }

    @Test func `a speed is told in km/h, and at rest left out together with the course`() throws {
        let rest = try JSON(parsing: text(fix { ($0.speed, $0.course) = (0.1, 90) }))
        #expect(rest["vel"] == nil && rest["cog"] == nil)
        let walk = try JSON(parsing: text(fix { ($0.speed, $0.course) = (1.4, 90.4) }))
        #expect(walk["vel"]?.int == 5 && walk["cog"]?.int == 90)
        let unknown = try JSON(parsing: text(fix { $0.course = 90 }))
        #expect(unknown["vel"] == nil && unknown["cog"] == nil)
    }

    @Test func `an altitude comes only with its accuracy, and is the one above the sea`() throws {
        #expect(try JSON(parsing: text(fix { $0.altitude = 3 }))["alt"] == nil)
        #expect(try JSON(parsing: text(fix { ($0.ellipsoidalAltitude, $0.verticalAccuracy) = (3, 1) }))["alt"] == nil)
    }

    @Test func `a message that is made later than the fix says when`() throws {
        let late = try JSON(parsing: text(fix { $0.timestamp = WallTime(milliseconds: 1_699_999_000_000) }))
        #expect(late["tst"]?.int == 1_699_999_000 && late["created_at"]?.int == 1_700_000_000)
    }

    @Test func `a transition has what OwnTracks and Home Assistant need`() {
        let bytes = writer.transition(
            into: true, region: "Home", since: WallTime(milliseconds: 1_600_000_000_000), at: fix(),
            id: writer.identifier(event: 7), made: made)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"_type":"transition","event":"enter","desc":"Home","wtst":1600000000,"lat":52.5162746,"#
                + #""lon":-13.377704,"acc":5,"t":"c","tst":1700000000,"tid":"ar","_id":"ada/car-e7"}"#)
    }

    @Test func `a visit is a location of its arrival, and later of its departure`() throws {
        let place = Coordinate(latitude: 1, longitude: 2)
        var visit = Visit(
            coordinate: place, horizontalAccuracy: 30, arrival: WallTime(milliseconds: 1_000_000), departure: nil)
        let arrival = try JSON(
            parsing: String(decoding: writer.visit(visit, id: "a", made: made) ?? [], as: UTF8.self))
        #expect(arrival["t"]?.string == "v" && arrival["tst"]?.int == 1000 && arrival["acc"]?.int == 30)
        visit.departure = WallTime(milliseconds: 2_000_000)
        let departure = try JSON(
            parsing: String(decoding: writer.visit(visit, id: "b", made: made) ?? [], as: UTF8.self))
        #expect(departure["tst"]?.int == 2000)
    }

    @Test func `a will has the time of the connection`() {
        let bytes = OwnTracks.lastWill(connected: WallTime(milliseconds: 1_700_000_000_900))
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"_type":"lwt","tst":1700000000}"#)
    }

    @Test func `an identifier is the same for the same location, and another when the daemon counts anew`() {
        #expect(writer.identifier(42) == "ada/car-42" && writer.identifier(42, generation: 1) == "ada/car-g1-42")
    }

    @Test func `Home Assistant is told under its own names`() throws {
        let message = HomeAssistant.discovery(
            prefix: "homeassistant", user: "ada", device: "my car", topic: "owntracks/ada/my car")
        #expect(message.topic == "homeassistant/device_tracker/locationd_ada_my_car/config" && message.isRetained)
        let json = try JSON(parsing: String(decoding: message.payload, as: UTF8.self))
        #expect(json["json_attributes_topic"]?.string == "owntracks/ada/my car" && json["source_type"]?.string == "gps")
        let template = try #require(json["json_attributes_template"]?.string)
        for name in ["latitude", "longitude", "gps_accuracy"] { #expect(template.contains("'\(name)': value_json.")) }
        #expect(json["unique_id"]?.string == "locationd_ada_my_car")
    }
}
