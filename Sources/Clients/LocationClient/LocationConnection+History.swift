// SPDX-License-Identifier: Apache-2.0
public import LocationModel
public import LocationProtocol

/// Reads the fixes that the daemon has kept. For administrators, and for apps whose manifest says so while they are authorized always; others get -32001.
extension LocationConnection {
    /// A page of kept locations, oldest first, behind the sequence `after`, from one time on and before another; `limit`: 1 to 1000. More
    /// follows behind `next`, unless that is nil.
    public func history(
        after: UInt64? = nil, from: WallTime? = nil, to: WallTime? = nil, limit: UInt64? = nil
    ) throws(LocationClientError) -> HistoryPage {
        try send(.history(HistoryQuery(after: after, from: from, to: to, limit: limit))).result(HistoryPage.self)
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
