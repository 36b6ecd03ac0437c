// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

// Every metric, in the order in which they are printed.
extension Metric {
    package static let all = daemon + receiver + fixes + clients + history + uplink + place

    private static let daemon = [
        Metric(.gauge, "up", "Whether the daemon answers") { $0.status == nil ? 0 : 1 },
        Metric(.info, "build", labels: ["version"], "The version of the daemon") { readings in
            readings.status.map { [Sample(1, printable($0.daemon.version))] } ?? []
        },
        Metric(.gauge, "uptime", unit: "seconds", "Time since the daemon started") { $0.status?.daemon.uptime },
        Metric(.gauge, "resident_memory", unit: "bytes", "What the daemon takes in memory") {
            $0.status?.daemon.memory.map { Double($0.resident) }
        },
        Metric(.gauge, "state_problems", "Things that are wrong with what the daemon keeps") {
            $0.status.map { Double($0.daemon.stateProblems?.count ?? 0) }
        },
        Metric(.gauge, "services_enabled", "Whether location services are on for the whole device") {
            $0.status.map { $0.locationServicesEnabled ? 1 : 0 }
        },
    ]

    private static let receiver = [
        Metric(.gauge, "gpsd_connected", "Whether gpsd answers") { $0.status.map { $0.gpsd.connected ? 1 : 0 } },
        Metric(.gauge, "receiver_on", "Whether receivers are to be on now") {
            $0.status?.power.map { $0.on ? 1 : 0 }
        },
        Metric(.counter, "receiver_on", unit: "seconds", "Time that receivers had to be on") {
            $0.status?.power?.onTime
        },
        Metric(.gauge, "receiver_next_on", unit: "seconds", "Time until receivers that sleep go on") {
            $0.status?.power?.nextOn
        },
        Metric(.gauge, "receiver_users", "Services of clients that need a receiver") {
            $0.status?.power.map { Double($0.demands?.count ?? 0) }
        },
        Metric(.gauge, "receiver_present", labels: ["receiver"], "Whether gpsd has the receiver") { readings in
            receivers(readings) { $0.lost ? 0 : 1 }
        },
        Metric(.gauge, "receiver_satellites_used", labels: ["receiver"], "Satellites that the fix is made of") {
            receivers($0) { $0.satellitesUsed.map { Double($0) } }
        },
        Metric(.gauge, "receiver_satellites_seen", labels: ["receiver"], "Satellites that the receiver hears") {
            receivers($0) { $0.satellitesSeen.map { Double($0) } }
        },
    ]

    private static let fixes = [
        Metric(.gauge, "fix_age", unit: "seconds", "Time since the newest fix was accepted") {
            $0.status?.fixes?.lastFixAge
        },
        Metric(.gauge, "fix_accuracy", unit: "meters", "Horizontal accuracy of the newest fix") {
            $0.status?.fixes?.horizontalAccuracy
        },
        Metric(.counter, "fixes_accepted", "Fixes that became locations") { readings in
            readings.status?.fixes.map { Double($0.accepted) }
        },
        Metric(.counter, "fixes_rejected", labels: ["reason"], "Fixes that did not become locations") { readings in
            (readings.status?.fixes?.rejected ?? [:]).sorted { $0.key < $1.key }
                .map { Sample(Double($0.value), printable($0.key)) }
        },
        Metric(.gauge, "device_stationary", "Whether the device rests") {
            $0.status?.device.map { $0.stationary ? 1 : 0 }
        },
    ]

    private static let clients = [
        Metric(.gauge, "connections", "Connections that are open, that of who asks among them") {
            $0.status.map { Double($0.connections.total) }
        },
        Metric(.counter, "connections_refused", "Connections that were refused") {
            $0.status?.connections.refused.map { Double($0) }
        },
        Metric(.gauge, "connections_not_reading", "Connections with output that is not read") {
            $0.status?.connections.users.map { Double($0.reduce(0) { $0 + $1.notReading }) }
        },
        Metric(.gauge, "clients", labels: ["service"], "Clients for which a service runs") { readings in
            guard let managers = readings.status?.managers else { return [] }
            return ServiceName.allCases.map { name in
                let running = managers.filter {
                    $0.services.contains { $0.service == name && $0.state == .running }
                        || name == .request && $0.request != nil
                }
                return Sample(Double(running.count), name.rawValue)
            }
        },
        Metric(.gauge, "deferrals", "Deferrals that run") { readings in
            readings.status?.managers.map { Double($0.filter { $0.deferral != nil }.count) }
        },
        Metric(.gauge, "deferred_locations", "Locations that deferrals hold back") { readings in
            readings.status?.managers.map { Double($0.reduce(0) { $0 + ($1.deferral?.held ?? 0) }) }
        },
        Metric(.counter, "locations_delivered", "Locations delivered to clients") {
            $0.status?.fixes?.delivered.map { Double($0) }
        },
        Metric(.counter, "locations_dropped", "Locations lost because clients were slow") {
            $0.status?.fixes?.dropped.map { Double($0) }
        },
        Metric(.gauge, "events_waiting", "Events that are kept until their apps have them") {
            $0.status?.apps.map { Double($0.reduce(0) { $0 + $1.pendingEvents }) }
        },
        // No counter: what an administrator forgets goes with its app.
        Metric(.gauge, "events_dropped", "Events of the apps that are known, dropped because no app came for them") {
            $0.status?.apps.map { Double($0.reduce(0) { $0 + $1.eventsDropped }) }
        },
        Metric(.gauge, "authorization_requests", "Apps that wait for somebody's decision") {
            $0.requests.map { Double($0) }
        },
    ]

    private static let history = [
        Metric(.gauge, "history_fixes", "Fixes that the history keeps") { history($0, \.fixes) },
        Metric(.gauge, "history_events", "Events that the history keeps") { history($0, \.events) },
        Metric(.gauge, "history", unit: "bytes", "Size of the history's file") { history($0, \.bytes) },
        Metric(.gauge, "history_waiting_fixes", "Fixes that are still to be written") { history($0, \.waiting) },
        Metric(.counter, "history_lost_fixes", "Fixes lost because nothing could be written for too long") {
            history($0, \.lost)
        },
        Metric(.gauge, "history_failing", "Whether nothing is kept now although it should be") {
            $0.status?.history.map { $0.problem == nil ? 0 : 1 }
        },
    ]

    private static let uplink = [
        Metric(.gauge, "uplink_up", "Whether locationd-uplink runs; absent where it does not") {
            $0.uplink.map { _ in 1 }
        },
        Metric(.gauge, "uplink_connected", "Whether the broker is connected, or the server takes messages") {
            $0.uplink.map { $0.link == .connected ? 1 : 0 }
        },
        Metric(.gauge, "uplink_waiting_locations", "At most so many locations wait for the broker") {
            uplink($0, \.waiting)
        },
        Metric(.gauge, "uplink_waiting_events", "Events that wait for the broker") {
            $0.uplink.map { Double($0.waitingEvents) }
        },
        Metric(.gauge, "uplink_oldest_waiting_timestamp", unit: "seconds", "Date of the oldest location that waits") {
            $0.uplink?.oldest.map { Double($0) / 1000 }
        },
        Metric(
            .gauge, "uplink_acknowledgement_timestamp", unit: "seconds",
            "When the broker last acknowledged something"
        ) { $0.uplink?.lastAcknowledgement.map { Double($0) / 1000 } },
        Metric(.counter, "uplink_sent_locations", "Locations that the broker acknowledged") { uplink($0, \.sent) },
        Metric(.counter, "uplink_lost_locations", "At most so many were lost before they could be sent") {
            uplink($0, \.lost)
        },
        Metric(.counter, "uplink_left_out_locations", "At most so many were left out since no backlog is wanted") {
            uplink($0, \.leftOut)
        },
        Metric(
            .counter, "uplink_refused_messages", "Messages that the server did not take while it took others"
        ) { $0.uplink.map { Double($0.refused ?? 0) } },
    ]

    private static let place = [
        Metric(.gauge, "latitude", unit: "degrees", "Degrees north; only with --coordinates") {
            $0.location?.coordinate.latitude
        },
        Metric(.gauge, "longitude", unit: "degrees", "Degrees east; only with --coordinates") {
            $0.location?.coordinate.longitude
        },
        Metric(.gauge, "altitude", unit: "meters", "Height above the sea; only with --coordinates") {
            $0.location?.altitude
        },
    ]

    // MARK: Readings

    private static func history(_ readings: Readings, _ count: (HistoryStatus) -> UInt64) -> Double? {
        readings.status?.history.map { Double(count($0)) }
    }

    private static func uplink(_ readings: Readings, _ count: (UplinkReport) -> UInt64) -> Double? {
        readings.uplink.map { Double(count($0)) }
    }

    private static func receivers(_ readings: Readings, _ value: (ReceiverStatus) -> Double?) -> [Sample] {
        (readings.status?.receivers ?? []).compactMap { receiver in
            value(receiver).map { Sample($0, printable(receiver.path)) }
        }
    }
}
