// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import LocationEngine
import LocationModel
import LocationProtocol
import LocationTestSupport
import SystemSupport
import Testing

@testable import LocationDaemon

/// A checksum says only that bytes are as they were written: what they say is checked as what a client says is.
@Suite("Records that say what cannot be")
struct AbsurdRecordTests {
    /// A manager with all that a slot can hold, as version 1 wrote it.
    private static let version1 = """
        {"v":1,"t":"00112233445566778899aabbccddeeff","u":1000,"p":"background","q":[-1,-1,1,1,0,1],"s":[48.1,11.5,5],"a":3,\
        "c":{"y":48.1,"x":11.5,"t":5,"p":3},"d":{"n":1,"m":100.5,"t":900000000000},"e":1,\
        "r":{"n":1,"t":900000000000,"b":3,"a":5.5},"f":1,"x":[{"n":1,"e":11,"s":3}],"k":true,"g":true,"i":true,"h":true,\
        "w":[1,3],"b":[1,111],"m":[1,\(SavedManagerTests.hashOfM)],"o":[1,1,1],"z":[1,1,0,0]}
        """

    /// The same with where its services stand, as this version writes it.
    static let manager = """
        {"v":2,"t":"00112233445566778899aabbccddeeff","u":1000,"r":{"p":"background","q":[-1,-1,1,1,0,1],"k":true,\
        "z":[1,1,0,0],"o":[3,0,0,0],"y":true,"s":{"w":true,"a":3,"g":true,"r":[48.1,11.5],"e":5,"i":true,"f":5,"p":5,\
        "s":{"t":5,"m":1,"n":false,"g":false,"k":false,"l":true,"r":[48.1,11.5],"e":5,"c":3,"h":2,"f":1,"p":1}},\
        "d":{"n":1,"x":[[1,11,3]],"r":{"n":1,"m":100.5,"t":900000000000}},\
        "r":{"n":1,"r":{"n":1,"t":900000000000,"b":3,"a":5.5,"g":2}},\
        "c":{"w":true,"r":{"p":[48.1,11.5],"t":5},"p":3,"l":true,"e":1},"w":{"n":1,"s":[[1,3,5,3,1]]},\
        "h":{"w":true,"d":90},"b":{"n":1,"h":["1 111 8 walks"]},"g":{"a":["r"],"s":[{"i":"r","s":1}]},\
        "m":{"n":1,"h":[[1,\(SavedManagerTests.hashOfM)]],"c":[{"m":1,"i":"c","n":7,"s":3,"d":5,"f":1,"o":1,"w":true,"t":1}]}}}
        """

    private static let absurd = [
        "1e300", "-1e300", "0.5", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
        "4294967295", "-0.0", "65536", "90.5", "null", "\"x\"", "[]", "true",
    ]

    /// `text` with each of its numbers replaced by each of the absurd ones.
    private static func variants(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        var (found, isText, index) = ([Range<Int>](), false, 0)
        func isOfNumber(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E }
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\"") { isText.toggle() }
            if !isText, isOfNumber(bytes[index]) {
                let end = bytes[index...].firstIndex { !isOfNumber($0) } ?? bytes.count
                found.append(index..<end)
                index = end
            } else {
                index += 1
            }
        }
        return found.flatMap { range in
            absurd.map {
                String(
                    decoding: bytes[..<range.lowerBound] + Array($0.utf8) + bytes[range.upperBound...], as: UTF8.self)
            }
        }
    }

    /// An engine that goes on with these managers, and for which much happens then.
    private static func live(_ clients: KeptClients, is isThere: Bool) {
        let app = AppID(rawValue: 0)
        let id = ManagerID(rawValue: 0)
        var now = BootInstant(nanoseconds: 600_000_000_000)
        var engine = Engine(configuration: EngineConfiguration(), newestSequence: 3, at: now)
        var effects = EffectBuffer()
        func handle(_ event: Event) {
            effects.removeAll()
            engine.handle(event, at: now, into: &effects)
        }
        func fix() {
            now = now + .seconds(1)
            let location = Location(
                coordinate: Coordinate(latitude: 48.1, longitude: 11.5 + now.nanoseconds.secondsOfLongitude),
                horizontalAccuracy: 5, timestamp: WallTime(milliseconds: now.nanoseconds / 1_000_000))
            handle(.fixReceived(Fix(receiver: ReceiverID(rawValue: 0), location: location)))
        }
        handle(.identityEntered(IdentityID(rawValue: 0), decided: Consent(.always), policy: Consent(.undecided)))
        handle(.appEntered(app, AppRecord(identity: IdentityID(rawValue: 0))))
        handle(.clientsKept(clients))
        fix()
        let point = ResumePoint(sequence: 3, location: nil)
        if !isThere { handle(.managerAttached(id, delivered: point, presence: .background)) }
        for request in [
            .startUpdatingLocation(resumeAfter: nil),
            .allowDeferredLocationUpdates(DeferralParameters(untilTraveled: 5, timeout: 5)),
            .startLiveUpdates(.default), .startBackgroundActivitySession, .openMonitor(name: "m"),
            .stopUpdatingLocation, .requestLocation(timeout: 5), .startUpdatingLocation(resumeAfter: 3),
        ] as [Request] {
            handle(.asked(id, request))
            fix()
        }
        now = now + .seconds(1000)
        handle(.woke)
        _ = (engine.report(of: id, at: now), engine.record(of: id), engine.nextWake)
    }

    @Test("a slot whose numbers are replaced is left out, or its manager lives", arguments: [version1, manager])
    func slots(_ whole: String) throws {
        _ = try #require(SavedManager(decoding: Array(whole.utf8)))
        var taken = 0
        for text in Self.variants(of: whole) {
            guard let saved = SavedManager(decoding: Array(text.utf8)) else { continue }
            taken += 1
            var clients = KeptClients()
            clients.absent = [(ManagerID(rawValue: 0), saved.record(of: AppID(rawValue: 0), isAway: true))]
            Self.live(clients, is: false)
        }
        #expect(taken > 50)
    }

    @Test("a slot with a number that no manager has is left out")
    func unusable() {
        for (good, bad) in [
            ("[-1,-1,1,", "[-1,-1,0.5,"), ("\"e\":1,", "\"e\":4294967295,"), ("\"y\":48.1", "\"y\":90.5"),
            ("\"a\":3", "\"a\":18446744073709551615"), ("\"background\"", "\"nowhere\""), ("\"v\":1", "\"v\":3"),
        ] {
            let text = Self.version1.replacing(good, with: bad)
            #expect(text != Self.version1)
            #expect(SavedManager(decoding: Array(text.utf8)) == nil, "\(bad)")
        }
        for (good, bad) in [
            ("[-1,-1,1,", "[-1,-1,0.5,"), ("\"n\":1,", "\"n\":4294967295,"), ("[48.1,", "[90.5,"),
            ("\"a\":3", "\"a\":18446744073709551615"), ("\"background\"", "\"nowhere\""), ("\"v\":2", "\"v\":1"),
            ("\"h\":2", "\"h\":-1"), ("\"d\":5", "\"d\":9223372036854775807"), ("\"m\":1,\"n\"", "\"m\":9,\"n\""),
            ("\"1 111 ", "\"1 211 "), ("[1,3,5,", "[1,3,"), ("[[1,11,3]]", "[[1,11,-3]]"), ("\"n\":7", "\"n\":1e17"),
        ] {
            let text = Self.manager.replacing(good, with: bad)
            #expect(text != Self.manager)
            #expect(SavedManager(decoding: Array(text.utf8)) == nil, "\(bad)")
        }
    }

    @Test("what a process leaves of a connected manager is refused, or the manager lives")
    func handedOver() throws {
        var taken = 0
        for text in Self.variants(of: Self.manager) {
            guard let saved = SavedManager(decoding: Array(text.utf8)) else { continue }
            taken += 1
            var clients = KeptClients()
            clients.managers = [(ManagerID(rawValue: 0), saved.record(of: AppID(rawValue: 0), isAway: false))]
            Self.live(clients, is: true)
        }
        #expect(taken > 50)
    }

    @Test("a stay with a number that none has is no stay")
    func stay() {
        let stay = StoredStay(
            coordinate: Coordinate(latitude: 48, longitude: 11), horizontalAccuracy: 5,
            arrival: WallTime(milliseconds: 5), lastInside: WallTime(milliseconds: 9), isTold: true)
        #expect(StoredStay(decoding: stay.encoded) == stay)
        for (word, numbers) in [
            (0, [90.5, .nan, .infinity]), (1, [-180.5, .nan]), (2, [0, -1, .nan, .infinity]),
        ] as [(Int, [Double])] {
            for number in numbers {
                #expect(StoredStay(decoding: Self.replacing(stay.encoded, word, by: number.bitPattern)) == nil)
            }
        }
        for date in [Int64.min, .max] {
            for word in 3...4 {
                #expect(StoredStay(decoding: Self.replacing(stay.encoded, word, by: UInt64(bitPattern: date))) == nil)
            }
        }
    }

    /// `bytes` with another number in their `index`th word behind two bytes.
    private static func replacing(_ bytes: [UInt8], _ index: Int, by word: UInt64) -> [UInt8] {
        var bytes = bytes
        withUnsafeBytes(of: word.littleEndian) { bytes.replaceSubrange((2 + index * 8)..<(10 + index * 8), with: $0) }
        return bytes
    }
}

extension Int64 {
    /// Degrees that a device comes farther east in so many nanoseconds, at some metres a second.
    fileprivate var secondsOfLongitude: Double { Double(self / 1_000_000_000) * 0.0001 }
}
