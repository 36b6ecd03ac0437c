// SPDX-License-Identifier: Apache-2.0
package import LocationModel
package import LocationProtocol

/// Lines of events, as the daemon writes them. `event`: the number to acknowledge; nil: there is none.
extension NotificationWriter {
    /// `didEnterRegion` (`inside`) or `didExitRegion` (any other state).
    package static func crossing(
        _ region: Region, _ state: RegionState, _ location: Location?, on date: WallTime? = nil, event: UInt64?
    ) -> [UInt8] {
        let date = date ?? location?.timestamp ?? WallTime(milliseconds: 0)
        return line(of: .region(region, state, location), on: date, event: event)
    }

    /// `didVisit`.
    package static func didVisit(_ visit: Visit, event: UInt64?) -> [UInt8] {
        line(of: .visit(visit), on: WallTime(milliseconds: 0), event: event)
    }

    /// `monitorEvent`; `monitor` is the number of the monitor on this connection.
    package static func monitorEvent(
        _ monitor: UInt64, _ identifier: String, _ content: ConditionEvent, event: UInt64?
    ) -> [UInt8] {
        let content = AppEvent.Content.monitor(name: "", identifier: identifier, content)
        return line(of: content, on: WallTime(milliseconds: 0), event: event, monitor: monitor)
    }

    private static func line(
        of content: AppEvent.Content, on date: WallTime, event: UInt64?, monitor: UInt64? = nil
    ) -> [UInt8] {
        let told = AppEvent(number: event ?? 0, date: date, content: content)
        return line(of: told, monitor: monitor, isToAcknowledge: event != nil) ?? []
    }
}
