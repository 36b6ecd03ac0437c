// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol

/// The options of `locctl metrics`.
package struct MetricsOptions: Sendable, Hashable {
    /// How it is written.
    package var format = MetricsText.Format.openMetrics
    /// Whether to tell where the device is.
    package var coordinates = false
    /// Where to; nil: standard output.
    package var file: String?

    /// OpenMetrics without a place, to standard output.
    package init() {}
}

extension Session {
    /// `locctl metrics`. That there is no daemon is a reading like others, and then the exit status, too.
    func printMetrics(_ options: MetricsOptions) throws(LocctlError) -> ExitCode {
        var readings = Metric.Readings()
        readings.uplink = try? ShownUplink.read()?.report
        var failure: LocctlError?
        do throws(LocctlError) {
            try readDaemon(into: &readings, options)
        } catch {
            guard error.exitCode == .noDaemon else { throw error }
            failure = error
        }
        let output = try OutputFile(options.file)
        try output.write(Array(MetricsText.text(readings, options.format).utf8))
        try output.finish()
        if let failure { throw failure }
        return .done
    }

    private func readDaemon(
        into readings: inout Metric.Readings, _ options: MetricsOptions
    ) throws(LocctlError) {
        let connection = try connect()
        let status = try asking { () throws(LocationClientError) in try connection.status(.all) }
        // Only admins may know who waits.
        let requests = try? connection.pendingRequests().count
        if options.coordinates {
            readings.location = try asking { () throws(LocationClientError) in try connection.location() }
        }
        (readings.status, readings.requests) = (status, requests)
    }
}
