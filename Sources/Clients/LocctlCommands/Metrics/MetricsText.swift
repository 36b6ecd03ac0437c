// SPDX-License-Identifier: Apache-2.0

/// Metrics as text.
package enum MetricsText {
    /// The format, by its reader.
    package enum Format: Sendable, Hashable {
        /// OpenMetrics 1.0.
        case openMetrics
        /// Prometheus's older format, which knows neither units nor infos, and calls a counter as its samples are called.
        case prometheus
    }

    /// The numbers of `readings`, a metric after the other.
    package static func text(_ readings: Metric.Readings, _ format: Format) -> String {
        var lines: [String] = []
        for metric in Metric.all {
            let samples = metric.samples(readings)
            guard !samples.isEmpty else { continue }
            lines += head(of: metric, format)
            lines += samples.map { "\(metric.name)\(labels(metric.labels, $0.words)) \(number($0.value))" }
        }
        if format == .openMetrics { lines.append("# EOF") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func head(of metric: Metric, _ format: Format) -> [String] {
        switch format {
        case .openMetrics:
            [
                "# TYPE \(metric.family) \(metric.kind.rawValue)",
                metric.unit.map { "# UNIT \(metric.family) \($0)" },
                "# HELP \(metric.family) \(metric.help).",
            ].compactMap { $0 }
        case .prometheus:
            [
                "# HELP \(metric.name) \(metric.help).",
                "# TYPE \(metric.name) \(metric.kind == .info ? Metric.Kind.gauge.rawValue : metric.kind.rawValue)",
            ]
        }
    }

    private static func labels(_ names: [String], _ words: [String]) -> String {
        guard !names.isEmpty else { return "" }
        return "{" + zip(names, words).map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ word: String) -> String {
        String(word.flatMap { $0 == "\\" || $0 == "\"" ? ["\\", $0] : [$0] })
    }

    // No finer than anything here is known: a place to a centimetre, a time to less than a microsecond.
    private static func number(_ value: Double) -> String {
        if value == value.rounded(), value.magnitude < 1e18 { return String(Int64(value)) }
        return String((value * 1e7).rounded() / 1e7)
    }
}
