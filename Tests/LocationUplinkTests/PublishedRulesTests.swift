// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import LocationUplink
import Testing

/// What OwnTracks publishes of its messages, member by member, and what Home Assistant asks beyond that: held against messages about
/// anything that a receiver may say.
@Suite("OwnTracks' published rules", .tellsSeed)
struct PublishedRulesTests {
    private struct Rule: Sendable {
        var isRequired = false
        var holds: @Sendable (JSON) -> Bool
    }

    private static func whole(_ range: ClosedRange<Int>) -> @Sendable (JSON) -> Bool {
        { $0.int.map(range.contains) ?? false }
    }

    private static func word(_ words: String...) -> @Sendable (JSON) -> Bool { { words.contains($0.string ?? "") } }
    private static func number(_ range: ClosedRange<Double>) -> @Sendable (JSON) -> Bool {
        { $0.double.map(range.contains) ?? false }
    }
    private static let metres = 1...1_000_000_000_000_000

    private static let place: [String: Rule] = [
        "lat": Rule(isRequired: true, holds: number(-90...90)),
        "lon": Rule(isRequired: true, holds: number(-180...180)),
        "tst": Rule(isRequired: true, holds: whole(-62_135_596_800...253_402_300_799)),
        // Home Assistant drops what has none, or 0.
        "acc": Rule(isRequired: true, holds: whole(metres)),
        "tid": Rule(isRequired: true) { (1...2).contains($0.string?.count ?? 0) },
        "created_at": Rule(holds: whole(-62_135_596_800...253_402_300_799)),
        "_id": Rule(isRequired: true) { $0.string?.isEmpty == false },
    ]

    private static let location = place.merging([
        "_type": Rule(isRequired: true, holds: word("location")),
        "alt": Rule(holds: whole(-1_000_000_000_000_000...1_000_000_000_000_000)),
        "vac": Rule(holds: whole(metres)),
        // Zero is left out, and a course is told only of what moves.
        "vel": Rule(holds: whole(metres)),
        "cog": Rule(holds: whole(0...359)),
        "t": Rule(holds: word("p", "c", "C", "b", "r", "u", "t", "v", "m")),
        "m": Rule(holds: whole(1...2)),
        "inregions": Rule {
            $0.array?.isEmpty == false && $0.array?.allSatisfy { $0.string?.isEmpty == false } == true
        },
    ]) { $1 }

    private static let transition = place.merging([
        "_type": Rule(isRequired: true, holds: word("transition")),
        "wtst": Rule(isRequired: true, holds: whole(0...253_402_300_799)),
        "event": Rule(isRequired: true, holds: word("enter", "leave")),
        // Home Assistant finds the zone by it.
        "desc": Rule(isRequired: true) { $0.string?.isEmpty == false },
        "t": Rule(isRequired: true, holds: word("c", "b", "l")),
    ]) { $1 }

    private static let lastWill: [String: Rule] = [
        "_type": Rule(isRequired: true, holds: word("lwt")),
        "tst": Rule(isRequired: true, holds: whole(0...253_402_300_799)),
    ]

    private func faults(of bytes: [UInt8], _ rules: [String: Rule]) throws -> [String] {
        guard case .object(let members) = try JSON(parsing: String(decoding: bytes, as: UTF8.self)) else {
            return ["no object"]
        }
        let missing = rules.filter { $0.value.isRequired && members[$0.key] == nil }.map { "\($0.key) is missing" }
        let wrong = members.filter { rules[$0.key]?.holds($0.value) != true }.map { "\($0.key) is \($0.value)" }
        var faults = missing + wrong
        if members["cog"] != nil, members["vel"] == nil { faults.append("a course without a speed") }
        if members["alt"] == nil, members["vac"] != nil { faults.append("an accuracy of no altitude") }
        if let made = members["created_at"], made == members["tst"] { faults.append("created_at says nothing") }
        return faults
    }

    private func anyLocation(_ random: inout SplitMix64) -> Location {
        func some(_ range: ClosedRange<Double>) -> Double {
            switch random.below(4) {
            case 0: range.lowerBound
            case 1: range.upperBound
            default: random.uniform(range)
            }
        }
        var location = Location(
            coordinate: Coordinate(latitude: some(-90...90), longitude: some(-180...180)),
            horizontalAccuracy: some(0...2e7),
            timestamp: WallTime(milliseconds: Int64(some(-62_135_596_800_000...253_402_300_799_999))),
            sequence: UInt64(random.below(1 << 40)) + 1)
        if random.chance(0.7) { location.altitude = some(-500...50_000) }
        if random.chance(0.7) { location.verticalAccuracy = some(0...1000) }
        if random.chance(0.7) { location.speed = some(0...600) }
        if random.chance(0.7) { location.course = some(0...359.999) }
        return location
    }

    @Test(arguments: SplitMix64.seeds(4))
    func `every message about any fix keeps them`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let monitoring = [1, 2, nil][random.below(3)]
            let writer = OwnTracks(device: "ada/car", trackerID: "ar", monitoring: monitoring)
            let fix = anyLocation(&random)
            let made = random.chance(0.5) ? fix.timestamp : WallTime(milliseconds: 1_790_000_000_000)
            let trigger = [OwnTracks.Trigger.manual, nil][random.below(2)]
            let regions = [["Home", "a \"b\" \\ ü"], [], nil][random.below(3)]
            let message = writer.location(
                fix, id: writer.identifier(fix.sequence),
                OwnTracks.Circumstances(made: made, trigger: trigger, regions: regions))
            #expect(
                try faults(of: message, Self.location).isEmpty, "\(String(decoding: message, as: UTF8.self)) \(random)")
            let crossing = writer.transition(
                into: random.chance(0.5), region: "Home", since: WallTime(milliseconds: 1_600_000_000_000), at: fix,
                id: writer.identifier(event: 7), made: made)
            #expect(
                try faults(of: crossing, Self.transition) == [],
                "\(String(decoding: crossing, as: UTF8.self)) \(random)")
            let visit = Visit(
                coordinate: fix.coordinate, horizontalAccuracy: max(fix.horizontalAccuracy, 1), arrival: fix.timestamp,
                departure: nil)
            let stay = try #require(writer.visit(visit, id: "v", made: made))
            #expect(try faults(of: stay, Self.location) == [], "\(random)")
        }
    }

    @Test func `a will keeps them`() throws {
        let will = OwnTracks.lastWill(connected: WallTime(milliseconds: 1_790_000_000_500))
        #expect(try faults(of: will, Self.lastWill) == [])
    }

    @Test func `the topics are those that OwnTracks names`() {
        let topics = Topics(location: "owntracks/ada/car")
        #expect(topics.event == "owntracks/ada/car/event" && topics.lastWill == "owntracks/ada/car/lwt")
    }
}
