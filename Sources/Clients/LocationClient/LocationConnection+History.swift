// SPDX-License-Identifier: Apache-2.0
public import LocationModel
public import LocationProtocol

/// Reads the fixes that the daemon has kept. For administrators, and for apps whose manifest says so while they are authorized always; others get -32001.
extension LocationConnection {
    /// A page of kept locations, oldest first, behind the sequence `after`, from one time on and before another; `limit`: 1 to 1000. More
    /// follows behind `next`, unless that is nil. `log`: while no history is kept, what the daemon's log still holds, for administrators.
    public func history(
        after: UInt64? = nil, from: WallTime? = nil, to: WallTime? = nil, limit: UInt64? = nil, log: Bool = false
    ) throws(LocationClientError) -> HistoryPage {
        try send(.history(HistoryQuery(after: after, from: from, to: to, limit: limit, log: log)))
            .result(HistoryPage.self)
    }

    /// When the receiver was on and for whom, and how much apps were told, in stretches of five minutes: all for administrators, its own
    /// for an app. More follows from `next` on, unless that is nil.
    public func ledger(
        from: WallTime? = nil, to: WallTime? = nil
    ) throws(LocationClientError) -> LedgerPage {
        try send(.ledger(from: from, to: to)).result(LedgerPage.self)
    }

    /// A page of the events that the app was told, or for administrators `app`, behind the record `after`.
    public func historyEvents(
        of app: String? = nil, after: UInt64? = nil, from: WallTime? = nil, to: WallTime? = nil, limit: UInt64? = nil
    ) throws(LocationClientError) -> HistoryEventsPage {
        try send(.historyEvents(HistoryQuery(after: after, from: from, to: to, limit: limit), app: app))
            .result(HistoryEventsPage.self)
    }

    /// Forgets kept locations and events from one time on and before another, some at a time: ask again while `more` is said.
    public func forgetHistory(
        from: WallTime? = nil, to: WallTime? = nil
    ) throws(LocationClientError) -> HistoryForgotten {
        try send(.forgetHistory(from: from, to: to)).result(HistoryForgotten.self)
    }
}
