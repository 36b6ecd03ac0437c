// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationStore
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("What was decided")
struct ConsentBookTests {
    private static func consent(_ uid: UInt32, _ choice: Consent.Choice) -> StoredConsent {
        StoredConsent(
            uid: uid, name: nil, choice: choice.rawValue, accuracy: 0, hasAskedAlways: false, decidedBy: "uid:0",
            decidedAt: WallTime(milliseconds: 1))
    }

    private static func choices(_ book: ConsentBook) -> [UInt32: Consent.Choice] {
        Dictionary(uniqueKeysWithValues: book.entries.map { ($0.key.uid, $0.value.consent.choice) })
    }

    @Test("and read from the database gives way to a second file that is whole")
    func whole() {
        var book = ConsentBook()
        book.read([Self.consent(1, .denied), Self.consent(2, .denied)])
        book.take(Decisions(consents: [Self.consent(2, .always), Self.consent(3, .denied)]))
        #expect(Self.choices(book) == [2: .always, 3: .denied])
    }

    @Test("stays where a second file that is not whole says nothing of it")
    func damaged() {
        var book = ConsentBook()
        book.read([Self.consent(1, .denied), Self.consent(2, .denied)])
        var decisions = Decisions(areServicesEnabled: nil, consents: [Self.consent(2, .always)])
        decisions.isWhole = false
        book.take(decisions)
        #expect(Self.choices(book) == [1: .denied, 2: .always])
    }
}
