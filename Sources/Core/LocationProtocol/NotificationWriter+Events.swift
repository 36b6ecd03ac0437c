// SPDX-License-Identifier: Apache-2.0

package import LocationModel

// Lines for a whole app: regions, visits, monitors. `event` is the number to acknowledge; nil: the event is not stored.
extension NotificationWriter {
    /// `didEnterRegion` (`inside`) or `didExitRegion` (any other state).
    package static func crossing(
        _ region: Region, _ state: RegionState, _ location: Location, event: UInt64?
    ) -> [UInt8] {
        line(of: .region(region, state, location), event: event, monitor: nil)
    }

    /// `didDetermineState`.
    package static func didDetermineState(_ region: Region, _ state: RegionState) -> [UInt8] {
        line("didDetermineState") { writer in
            writer.name("region")
            region.append(to: &writer)
            writer.member("state", state.word)
        }
    }

    /// `didStartMonitoring`.
    package static func didStartMonitoring(_ region: Region) -> [UInt8] {
        line("didStartMonitoring") { writer in
            writer.name("region")
            region.append(to: &writer)
        }
    }

    /// `monitoringDidFail`.
    package static func monitoringDidFail(_ region: Region, _ error: LocationError) -> [UInt8] {
        line("monitoringDidFail") { writer in
            writer.name("region")
            region.append(to: &writer)
            writer.name("error")
            error.append(to: &writer)
        }
    }

    /// `didVisit`.
    package static func didVisit(_ visit: Visit, event: UInt64?) -> [UInt8] {
        line(of: .visit(visit), event: event, monitor: nil)
    }

    /// `monitorEvent`; `monitor` is the number of the monitor on this connection.
    package static func monitorEvent(
        _ monitor: UInt64, _ identifier: String, _ content: ConditionEvent, event: UInt64?
    ) -> [UInt8] {
        line(of: .monitor(name: "", identifier: identifier, content), event: event, monitor: monitor)
    }

    /// The notification of a stored event, with its number.
    ///
    /// - Parameter monitor: The number of the event's monitor on this connection; only a monitor's event needs it. Such an
    ///   event has no line without, nil: it waits until the app opens the monitor.
    package static func line(of event: AppEvent, monitor: UInt64? = nil) -> [UInt8]? {
        if case .monitor = event.content, monitor == nil { return nil }
        return line(of: event.content, event: event.number, monitor: monitor)
    }

    private static func line(of content: AppEvent.Content, event: UInt64?, monitor: UInt64?) -> [UInt8] {
        line(content.method) { content.appendParams(event: event, monitor: monitor, to: &$0) }
    }
}

extension AppEvent.Content {
    /// The method of the notification.
    var method: StaticString {
        switch self {
        case .region(_, .inside, _): "didEnterRegion"
        case .region: "didExitRegion"
        case .visit: "didVisit"
        case .monitor: "monitorEvent"
        case .significantChange: "didUpdateLocations"
        }
    }

    /// Appends the members of the notification's `params` but `seq`. Without the number of a monitor its name is written.
    func appendParams(event: UInt64?, monitor: UInt64?, to writer: inout JSONWriter) {
        switch self {
        case .region(let region, _, let location):
            writer.name("region")
            region.append(to: &writer)
            writer.name("location")
            LocationCoding.append(location, to: &writer)
        case .visit(let visit):
            writer.name("visit")
            visit.append(to: &writer)
        case .monitor(let name, let identifier, let content):
            if let monitor { writer.member("monitor", monitor) } else { writer.member("name", name) }
            writer.member("identifier", identifier)
            content.appendMembers(to: &writer)
        case .significantChange(let location, _):
            writer.member("source", LocationSource.significantChange.word)
            writer.name("locations")
            writer.beginArray()
            LocationCoding.append(location, to: &writer)
            writer.endArray()
        }
        if let event { writer.member("event", event) }
    }
}
