// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

/// The kept locations of a range, page by page; no more than one page is held.
struct HistoryPages {
    private let session: Session
    private let connection: LocationConnection
    private var query: HistoryQuery?

    /// The pages from one date on and before another. `log`: while no history is kept, of what the daemon still remembers.
    init(
        _ session: Session, _ connection: LocationConnection, from: WallTime?, to: WallTime?, log: Bool = false
    ) {
        self.session = session
        self.connection = connection
        query = HistoryQuery(from: from, to: to, log: log)
    }

    /// The next page; nil: there is none.
    mutating func next() throws(LocctlError) -> HistoryPage? {
        guard let query else { return nil }
        let page = try session.asking { () throws(LocationClientError) in
            try connection.history(after: query.after, from: query.from, to: query.to, log: query.log)
        }
        self.query?.after = page.next
        if page.next == nil { self.query = nil }
        return page
    }
}
