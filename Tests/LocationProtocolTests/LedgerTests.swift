// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import Testing

private func entry(_ start: Int64, _ holder: LedgerEntry.Holder, app: String? = nil) -> LedgerPage.Entry {
    var amounts = LedgerEntry.Amounts()
    (amounts.receiver, amounts.locations, amounts.liveUpdates, amounts.events) = (.seconds(12.5), 3, 4, 5)
    return LedgerPage.Entry(
        LedgerEntry(start: WallTime(milliseconds: start * 300_000), holder: holder, amounts: amounts), app: app)
}

private let someApp = LedgerEntry.Holder.app(uid: 1000, name: "maps")

let fullLedger: LedgerPageWriter = {
    var page = LedgerPageWriter()
    for entry in [entry(1, .device), entry(1, someApp, app: "maps uid:1000"), entry(1, .others)] {
        _ = page.append(entry)
    }
    var start: Int64 = 2
    while page.append(entry(start, .device)) { start += 1 }
    return page
}()

@Suite("Pages of the ledger")
struct LedgerTests {
    private func read(_ page: LedgerPageWriter) throws -> LedgerPage {
        let line = ReplyWriter.result(.integer(1), page)
        #expect(line.count <= NotificationWriter.maximumLineLength)
        guard case .reply(let reply) = try ServerMessage.decode(line.dropLast()) else {
            throw RPCError(.parseError, "cannot read a reply")
        }
        return try reply.result(LedgerPage.self)
    }

    @Test func `a page is read as it was written, and goes on where it ends`() throws {
        let page = try read(fullLedger)
        #expect(
            page.entries.prefix(3) == [
                entry(1, .device), entry(1, someApp, app: "maps uid:1000"), entry(1, .others),
            ])
        #expect(page.entries.map(\.isDevice).prefix(4) == [true, false, false, true])
        let last = try #require(page.entries.last)
        #expect(page.next?.milliseconds == last.start.milliseconds + 300_000)
        #expect(try read(LedgerPageWriter()) == LedgerPage(entries: []))
    }

    @Test func `a page ends with a whole stretch`() throws {
        var page = LedgerPageWriter()
        var taken = 0
        let long = String(repeating: "a", count: 200)
        filling: for start in 1... {
            for number in 0..<7 {
                guard page.append(entry(Int64(start), .app(uid: 1, name: nil), app: "\(long)\(number)")) else {
                    break filling
                }
                taken += 1
            }
        }
        let entries = try read(page).entries
        #expect(entries.count == taken - taken % 7 && entries.count % 7 == 0 && entries.count > 70)
        #expect(page.next?.milliseconds == Int64(entries.count / 7 + 1) * 300_000)
    }

    @Test func `what there was nothing of is not said`() {
        let nothing = LedgerEntry(start: WallTime(milliseconds: 0), holder: .device, amounts: LedgerEntry.Amounts())
        let entry = LedgerPage.Entry(nothing, app: nil)
        #expect(entry.receiver == nil && entry.locations == nil && entry.liveUpdates == nil && entry.events == nil)
    }

    @Test(arguments: [(0, 0), (299_999, 0), (300_000, 300_000), (-1, -300_000)])
    func `a stretch begins with a multiple of five minutes`(date: Int64, start: Int64) {
        #expect(LedgerEntry.start(of: WallTime(milliseconds: date)).milliseconds == start)
    }
}
