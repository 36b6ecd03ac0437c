// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import Testing

let fullPage: HistoryPageWriter = {
    var page = HistoryPageWriter(limit: nil)
    _ = page.append(fullLocation)
    _ = page.append(bareLocation)
    page.finish(next: 8, hasGap: true, oldest: 2)
    return page
}()

let fullEventsPage: HistoryEventsWriter = {
    var page = HistoryEventsWriter()
    for (record, stored) in storedEvents.enumerated() {
        _ = page.append(stored.event, label: stored.label, record: UInt64(record) + 1)
    }
    page.next = 9
    return page
}()

let fullForgotten = HistoryForgotten(locations: 3, events: 4, more: true)

@Suite("Pages of the history")
struct HistoryTests {
    private func read<Result: Decodable>(_ line: [UInt8], _ type: Result.Type) throws -> Result {
        guard case .reply(let reply) = try ServerMessage.decode(line.dropLast()) else {
            throw RPCError(.parseError, "cannot read a reply")
        }
        return try reply.result(type)
    }

    @Test("a page is read as it was written")
    func roundTrip() throws {
        let page = try read(ReplyWriter.result(.integer(1), fullPage), HistoryPage.self)
        #expect(page.locations[0] == fullLocation && page.locations[1].coordinate == bareLocation.coordinate)
        #expect(page.locations.count == 2 && page.next == 8 && page.hasGap && page.oldest == 2)
        let empty = try read(ReplyWriter.result(.integer(1), HistoryPageWriter(limit: 1)), HistoryPage.self)
        #expect(empty == HistoryPage(locations: []))
    }

    @Test("a page is read in any form of JSON, as in that in which it is written")
    func anyForm() throws {
        var page = HistoryPageWriter(limit: nil)
        for sequence in 1...50 as ClosedRange<UInt64> {
            var location = sequence % 2 == 0 ? fullLocation : bareLocation
            location.sequence = sequence
            _ = page.append(location)
        }
        page.finish(next: 50, hasGap: true, oldest: 1)
        let line = ReplyWriter.result(.integer(12), page)
        let spaced = Array(text(line).replacing(",", with: " , ").utf8)
        let read = try self.read(line, HistoryPage.self)
        #expect(read.locations.count == 50 && read.next == 50 && read.hasGap && read.oldest == 1)
        #expect(try self.read(spaced + [10], HistoryPage.self) == read)
    }

    @Test("a page of events is read as it was written")
    func events() throws {
        let page = try read(ReplyWriter.result(.integer(1), fullEventsPage), HistoryEventsPage.self)
        #expect(page.next == 9)
        #expect(page.events.map(\.record) == (1...UInt64(storedEvents.count)).map { $0 })
        #expect(page.events.map(\.event.event) == storedEvents.map(\.event.number))
    }

    @Test("a page takes as many locations as was said, and is no longer than a line may be", arguments: [1, 7, 1000])
    func limits(limit: UInt64) {
        var page = HistoryPageWriter(limit: limit)
        var taken: UInt64 = 0
        while page.append(fullLocation) { taken += 1 }
        #expect(taken == min(limit, taken) && taken >= min(limit, 100))
        #expect(ReplyWriter.result(.integer(1), page).count <= NotificationWriter.maximumLineLength)
    }

    @Test("a page of events takes one at the least, and no more than a line may have")
    func longEvents() throws {
        let middle = Coordinate(latitude: 45, longitude: 9)
        let corners = (0..<1000).map { middle.moved(by: 10_000, course: Double($0) * 0.36) }
        let visit = AppEvent(
            number: 1, date: WallTime(milliseconds: 0),
            content: .monitor(
                name: "m", identifier: "i",
                ConditionEvent(
                    state: .satisfied, date: WallTime(milliseconds: 0),
                    refinement: .polygon(try Polygon(vertices: corners)))))
        var page = HistoryEventsWriter()
        var taken: UInt64 = 0
        while taken < 100_000, page.append(visit, label: nil, record: taken + 1) { taken += 1 }
        #expect(taken >= 1 && taken < 100_000)
        #expect(ReplyWriter.result(.integer(1), page).count <= NotificationWriter.maximumLineLength * 2)
    }
}
