// SPDX-License-Identifier: Apache-2.0
import LocctlCommands

/// The last chapter of Documentation/Metrics.md, from the table that `locctl metrics` prints.
enum MetricsReference {
    /// The page begins to be the code's at this line.
    static let heading = "## The metrics"

    /// `page` with its last chapter as the code knows it; nil: the page has no such chapter.
    static func filled(_ page: [String]) -> [String]? {
        guard let start = page.firstIndex(of: heading) else { return nil }
        return Array(page[..<start]) + chapter
    }

    private static var chapter: [String] {
        [heading, "", "`make reference` writes this chapter from the code.", ""]
            + ["| name | type | labels | meaning |", "|---|---|---|---|"]
            + Metric.all.map { metric in
                let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
                return "| `\(metric.name)` | \(metric.kind.rawValue) | \(labels) | \(metric.help) |"
            } + [""]
    }
}
