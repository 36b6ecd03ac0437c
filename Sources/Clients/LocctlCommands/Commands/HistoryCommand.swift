// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

extension Session {
    /// `locctl history`: the locations of a range, or of today.
    func printHistory(_ range: HistoryRange, _ count: Int?) throws(LocctlError) -> ExitCode {
        var range = range
        if range.isEverything { range.day = .before(0) }
        let (from, to) = try range.dates(now: console.now, console.calendar)
        var pages = HistoryPages(self, try connect(), from: from, to: to)
        var printed = 0
        var day = ""
        while let page = try pages.next() {
            if page.hasGap, !json { console.tell("some of what was before the next location is not kept any more") }
            for location in page.locations {
                if let count, printed == count { return .done }
                print(location, &day)
                printed += 1
            }
        }
        if printed == 0, !json { console.print("nothing is kept of that time\n") }
        return .done
    }

    private func print(_ location: Location, _ day: inout String) {
        guard !json else {
            var writer = JSONWriter()
            LocationCoding.append(location, to: &writer)
            return console.print(line: writer.bytes[...])
        }
        let date = String(console.calendar.dateAndTime(location.timestamp).prefix(10))
        if date != day { console.print("\(date)\n") }
        day = date
        console.print(LocationText.line(location, console.calendar) + "\n")
    }

    /// `locctl history forget`.
    func forgetHistory(_ range: HistoryRange) throws(LocctlError) -> ExitCode {
        let (from, to) = try range.dates(now: console.now, console.calendar)
        let connection = try connect()
        // Each request overwrites a part on the disk.
        connection.replyTimeout = .seconds(60)
        var total = HistoryForgotten(locations: 0, events: 0)
        var isPart = true
        while isPart {
            let forgotten = try asking { () throws(LocationClientError) in
                try connection.forgetHistory(from: from, to: to)
            }
            total.locations += forgotten.locations
            total.events += forgotten.events
            isPart = forgotten.more == true
            if isPart { console.showProgress("forgetting: \(total.locations) locations are gone") }
        }
        guard json else {
            console.print(
                "\(counted(total.locations, "location")) and \(counted(total.events, "event")) are forgotten\n")
            return .done
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("locations", total.locations)
        writer.member("events", total.events)
        writer.endObject()
        console.print(line: writer.bytes[...])
        return .done
    }

    private func counted(_ count: UInt64, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
