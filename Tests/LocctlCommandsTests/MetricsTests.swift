// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import LocctlCommands

@Suite("Metrics")
struct MetricsTests {
    /// Everything that a reading can have.
    static func readings() -> Metric.Readings {
        var readings = Metric.Readings()
        var history = HistoryStatus(keepDays: 90)
        (history.fixes, history.events, history.bytes, history.waiting, history.lost) = (48_000, 12, 1_200_000, 57, 2)
        readings.status = Sample.working { status in
            status.history = history
            status.apps = Sample.apps()
            status.device = DeviceStatus(stationary: false)
            status.power?.onTime = 1234.5
            status.power?.nextOn = 40
            status.receivers?[0].path = #"/dev/"odd"\name"#
            status.receivers?.append(ReceiverStatus(path: "/dev/ttyUSB1", lost: true))
            status.fixes?.horizontalAccuracy = 3.25
            status.fixes?.delivered = 11_520
            status.fixes?.dropped = 4
            status.connections = ConnectionsStatus(
                total: 3, refused: 1, users: [.init(uid: 0, connections: 3, notReading: 1)])
            status.managers?[0].deferral = .init(number: 1, held: 57)
            status.managers?[0].request = .init(number: 2, timeLeft: 8)
        }
        readings.requests = 1
        var uplink = UplinkReport(
            link: .connected, mode: "move", hasDaemon: true, waiting: 9, waitingEvents: 2, sent: 1041)
        (uplink.oldest, uplink.lastAcknowledgement) = (1_795_257_000_500, 1_795_257_600_000)
        readings.uplink = uplink
        readings.location = Sample.location()
        return readings
    }

    @Test func `a daemon with everything has every metric, as was agreed`() throws {
        let text = MetricsText.text(Self.readings(), .openMetrics)
        for metric in Metric.all { #expect(text.contains("# TYPE \(metric.family) "), "\(metric.family) is missing") }
        try Golden.expect(text, "metrics", width: nil)
        try Golden.expect(MetricsText.text(Self.readings(), .prometheus), "metrics-prometheus", width: nil)
    }

    @Test func `numbers are those that the daemon told`() {
        let text = MetricsText.text(Self.readings(), .openMetrics)
        for line in [
            "locations_delivered_total 11520", "locations_dropped_total 4", "connections_refused_total 1",
            "authorization_requests 1", "receiver_satellites_used{receiver=\"/dev/\\\"odd\\\"\\\\name\"} 9",
            "fix_accuracy_meters 3.25", "receiver_on_seconds_total 1234.5", "deferred_locations 57",
            "uplink_waiting_events 2", "uplink_oldest_waiting_timestamp_seconds 1795257000.5",
            "latitude_degrees 44.9901376",
        ] {
            #expect(text.contains("\nlocationd_\(line)\n"), "\(line)")
        }
    }

    @Test func `without a daemon it is said that it is down, and nothing else of it`() {
        let text = MetricsText.text(Metric.Readings(), .openMetrics)
        #expect(
            text == """
                # TYPE locationd_up gauge
                # HELP locationd_up Whether the daemon answers.
                locationd_up 0
                # EOF

                """)
    }

    @Test func `where the device is stands in no metric unless somebody asks`() {
        var readings = Self.readings()
        readings.location = nil
        let text = MetricsText.text(readings, .openMetrics)
        for word in ["latitude", "longitude", "altitude", "44.99"] { #expect(!text.contains(word)) }
    }

    @Test func `what a user may not know is absent instead of 0`() {
        var readings = Metric.Readings()
        readings.status = Sample.denied()
        let text = MetricsText.text(readings, .openMetrics)
        for name in ["fix_age", "fixes_accepted", "receiver_on", "clients", "deferrals", "authorization_requests"] {
            #expect(!text.contains("locationd_\(name)"), "\(name)")
        }
        #expect(text.contains("locationd_connections 7\n"))
    }

    @Test func `names follow the rules of OpenMetrics`() {
        var families: Set<String> = []
        for metric in Metric.all {
            #expect(families.insert(metric.family).inserted, "\(metric.family) is there twice")
            #expect(metric.family.wholeMatch(of: /locationd(_[a-z]+)+/) != nil, "\(metric.family)")
            if let unit = metric.unit {
                #expect(["seconds", "bytes", "meters", "degrees"].contains(unit))
                #expect(metric.family.hasSuffix("_" + unit))
            }
            for ending in ["_total", "_info", "_count", "_sum", "_bucket", "_created"] {
                #expect(!metric.family.hasSuffix(ending), "\(metric.family)")
            }
            #expect(!metric.help.hasSuffix(".") && !metric.help.contains("\n"))
        }
    }

    @Test func `Prometheus's own tool finds nothing to say about them`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(MetricsText.text(Self.readings(), .prometheus), to: "metrics.prom")
        let program = try requireProgram("promtool", in: "\(BuildProducts.packageDirectory())/.build/unpacked/usr/bin")
        let promtool = try ChildProcess(
            try requireProgram("bash"),
            ["-c", "exec \"$0\" check metrics < \(file)", program])
        #expect(try promtool.waitForExit() == .exited(0), "\(promtool.standardError)")
        #expect(promtool.standardError.isEmpty)
    }

    @Test func `a reader of OpenMetrics finds the same numbers`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(MetricsText.text(Self.readings(), .openMetrics), to: "metrics.txt")
        let script = """
            import sys
            from prometheus_client.openmetrics.parser import text_string_to_metric_families as families
            for family in families(open(sys.argv[1]).read()):
                for sample in family.samples:
                    words = ','.join(sample.labels.values())
                    print(family.name, family.type, family.unit, sample.name, words, float(sample.value), sep='|')
            """
        let python = try ChildProcess("/usr/bin/python3", ["-c", script, file])
        #expect(try python.waitForExit() == .exited(0), "\(python.standardError)")
        var expected: [String] = []
        for metric in Metric.all {
            for sample in metric.samples(Self.readings()) {
                let words = sample.words.joined(separator: ",")
                expected.append(
                    "\(metric.family)|\(metric.kind)|\(metric.unit ?? "")|\(metric.name)|\(words)|\(sample.value)")
            }
        }
        #expect(expected.count > 50)
        #expect(python.outputLines == expected)
    }
}

@Suite("locctl metrics", .blocking)
struct MetricsCommandTests {
    private let run: LocctlRun

    init() throws { run = try LocctlRun() }

    @Test func `a file is replaced as a whole, also to say that the daemon is gone`() throws {
        run.daemon.stop()
        let file = try run.directory.write("former", to: "locationd.prom")
        let locctl = try run.start("metrics --prometheus --output \(file)")
        #expect(try locctl.waitForExit() == .exited(3))
        #expect(locctl.standardError.contains("cannot connect"))
        let text = String(decoding: try readFile(file), as: UTF8.self)
        #expect(text.contains("\nlocationd_up 0\n") && !text.contains("EOF") && !text.contains("former"))
    }

    @Test func `--json is refused, wherever it stands`() throws {
        for line in ["--json metrics", "metrics --json"] {
            let locctl = try run.start(line)
            #expect(try locctl.waitForExit() == .exited(2))
            #expect(locctl.standardError.hasPrefix("locctl: cannot"))
        }
    }
}
