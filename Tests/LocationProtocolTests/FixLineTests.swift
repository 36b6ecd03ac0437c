// SPDX-License-Identifier: Apache-2.0

import LocationModel
import LocationTestSupport
import Testing

@testable import LocationProtocol

@Suite("Lines that come with every fix")
struct FixLineTests {
    private struct Read: Equatable {
        var notification: Notification
        var sequence: UInt64
    }

    private static func atOnce(_ line: [UInt8]) -> Read? {
        FixLine.read(line).map { Read(notification: $0.notification, sequence: $0.sequence) }
    }

    private static func byDecoder(_ line: [UInt8]) -> Read? {
        guard case .notification(let notification, let sequence)? = try? ServerMessage.decodeAnyForm(line) else {
            return nil
        }
        return Read(notification: notification, sequence: sequence)
    }

    private static func update(_ locations: [Location], _ attributes: UpdateAttributes, more: Bool = false) -> [UInt8] {
        var batch = LocationBatch()
        batch.begin(attributes)
        for location in locations { _ = batch.append(location) }
        return withTail(batch.finish(more: more), 41)
    }

    private static let plain = [
        update([fullLocation], UpdateAttributes(source: .standard)),
        update(
            [bareLocation, fullLocation, bareLocation], UpdateAttributes(source: .standard, deferral: 1), more: true),
        update([bareLocation], UpdateAttributes(source: .standard, cached: true)),
        update([fullLocation], UpdateAttributes(source: .standard, deferral: 2, early: true, dropped: 3, gap: true)),
        withTail(NotificationWriter.didUpdate(3, fullLocation, stationary: false, flags: []), 7),
        withTail(NotificationWriter.didUpdate(3, bareLocation, stationary: true, flags: []), 1 << 53 - 1),
    ]

    private static func random(_ random: inout SplitMix64) -> Location {
        func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        func maybe(_ range: ClosedRange<Double>) -> Double? { number(0...1) < 0.7 ? number(range) : nil }
        var location = Location(
            coordinate: Coordinate(latitude: number(-90...90), longitude: number(-180...180)),
            horizontalAccuracy: number(0...1000),
            timestamp: WallTime(milliseconds: Int64.random(in: 0...4_000_000_000_000, using: &random)),
            sequence: UInt64.random(in: 0...1 << 53, using: &random))
        location.altitude = maybe(-500...9000)
        location.ellipsoidalAltitude = maybe(-500...9000)
        location.verticalAccuracy = maybe(0...100)
        location.speed = maybe(0...1e7)
        location.speedAccuracy = maybe(0...0.01)
        location.course = maybe(0...360)
        location.courseAccuracy = maybe(0...360)
        location.isSimulatedBySoftware = Bool.random(using: &random)
        return location
    }

    @Test("are read without a decoder, and as the decoder reads them", arguments: plain)
    func plainLines(_ line: [UInt8]) throws {
        let read = try #require(FixLineTests.atOnce(line), "\(text(line))")
        #expect(read == FixLineTests.byDecoder(line))
        #expect(FixLineTests.atOnce(line.dropLast()) == read, "a line without its end is the same")
    }

    @Test("with any location are read as the decoder reads them, to the last bit")
    func anyLocation() throws {
        var random = SplitMix64(seed: testSeed)
        var readAtOnce = 0
        for _ in 0..<3000 {
            let locations = (0..<Int.random(in: 1...3, using: &random)).map { _ in FixLineTests.random(&random) }
            let line =
                Bool.random(using: &random)
                ? FixLineTests.update(locations, UpdateAttributes(source: .standard))
                : withTail(NotificationWriter.didUpdate(9, locations[0], stationary: false, flags: []), 12)
            guard let read = FixLineTests.atOnce(line) else { continue }
            #expect(read == FixLineTests.byDecoder(line), "seed \(testSeed): \(text(line))")
            readAtOnce += 1
        }
        #expect(readAtOnce > 2900, "the form that the daemon writes is known")
    }

    @Test("in another form are left to the decoder, which reads them all the same")
    func otherForms() throws {
        let line = text(FixLineTests.plain[0])
        let changes = [
            (#""method""#, #""new":1,"method""#), (#""seq":41"#, #""seq":41,"new":{}"#),
            (#""source":"standard","#, #""new":[],"source":"standard","#), (#""latitude":"#, #""latitude": "#),
            (#""speed":0,"#, ""), (#""course":271.5"#, #""course":null"#), ("48.137154321", "4.8137154321e1"),
            (#""isProducedByAccessory":false"#, #""isProducedByAccessory":true"#), ("}}\n", "} }\n"),
            (#""latitude":48.137154321,"longitude":-11.5754"#, #""longitude":-11.5754,"latitude":48.137154321"#),
            ("48.137154321", "48.137154321000000000001"), ("-11.5754", "-0"),
        ]
        for (old, new) in changes {
            let changed = Array(line.replacing(old, with: new).utf8)
            #expect(changed != Array(line.utf8), "\(old) is in the line")
            let read = try #require(FixLineTests.byDecoder(changed), "\(text(changed))")
            if old != #""speed":0,"# { #expect(FixLineTests.atOnce(changed) == nil, "\(text(changed))") }
            guard case .notification(let notification, let sequence) = try ServerMessage.decode(changed) else {
                continue
            }
            #expect(Read(notification: notification, sequence: sequence) == read)
        }
    }

    @Test("and all other lines mean the same to both ways of reading")
    func allNotifications() throws {
        for line in serviceNotificationSamples.map({ withTail($0, 7) }) {
            let read = try #require(FixLineTests.byDecoder(line), "\(text(line))")
            #expect(FixLineTests.atOnce(line).map { $0 == read } ?? true, "\(text(line))")
        }
    }

    @Test("that were damaged are never read otherwise than by the decoder")
    func damagedLines() {
        var random = SplitMix64(seed: testSeed)
        let alphabet = Array("{}[]\":,\\u0dDeE+-.019 tfn\n".utf8)
        var (readAtOnce, left) = (0, 0)
        for _ in 0..<20_000 {
            var line = FixLineTests.plain[Int.random(in: 0..<FixLineTests.plain.count, using: &random)]
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let place = Int.random(in: 0..<line.count, using: &random)
                let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                switch Int.random(in: 0..<4, using: &random) {
                case 0: line[place] = byte
                case 1: line.insert(byte, at: place)
                case 2: line.remove(at: place)
                default: line.removeLast(line.count - place)
                }
                if line.isEmpty { line = [byte] }
            }
            guard let read = FixLineTests.atOnce(line) else {
                left += 1
                continue
            }
            readAtOnce += 1
            #expect(read == FixLineTests.byDecoder(line), "seed \(testSeed): \(text(line))")
        }
        #expect(readAtOnce > 100 && left > 100, "both ways were tried")
    }
}
