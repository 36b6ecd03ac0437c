// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

// The commands about what is kept.
extension GivenOptions {
    func historyAction() throws(LocctlError) -> Invocation.Action {
        let range = try historyRange()
        switch operands.first {
        case nil:
            if values[.all] != nil { throw .usage("cannot use --all without forget: what is printed has no other end") }
            return .history(range, count: try value(.count, ArgumentReading.count))
        case "forget"?:
            if values[.count] != nil { throw .usage("cannot use --count with forget: days and times say what goes") }
            guard values[.all] != nil || !range.isEverything else {
                throw .usage("cannot forget without a range: allowed is --all, --day, --from, --to")
            }
            guard values[.all] == nil || range.isEverything else {
                throw .usage("cannot use --all with --day, --from or --to: it is everything")
            }
            return .forgetHistory(range)
        case let word?: throw .usage("cannot run locctl history \"\(printable(word))\": allowed is forget")
        }
    }

    func exportAction() throws(LocctlError) -> Invocation.Action {
        var options = ExportOptions()
        options.range = try historyRange()
        options.format = try choice(.format, ExportFormat.self) ?? .gpx
        options.split = try choice(.split, TrackSplit.self) ?? .gap
        options.tolerance = try value(.simplify) { text, option throws(LocctlError) in
            try ArgumentReading.distance(text, option, allowed: "a distance over 0, such as 5m") { $0 > 0 }
        }
        options.file = try outputFile()
        options.app = values[.of]
        return .export(options)
    }

    func reportAction() throws(LocctlError) -> Invocation.Action {
        var options = ReportOptions()
        options.day = try day() ?? .before(0)
        options.file = try outputFile()
        options.app = values[.of]
        return .report(options)
    }

    func outputFile() throws(LocctlError) -> String? {
        try value(.output) { text, option throws(LocctlError) in
            guard !text.isEmpty else { throw ArgumentReading.refusal(text, option, "the path of a file") }
            return text
        }
    }

    private func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ option: LocctlOption, _ type: Value.Type
    ) throws(LocctlError) -> Value? {
        try value(option) { text, option throws(LocctlError) in
            guard let value = Value(rawValue: text) else {
                let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
                throw ArgumentReading.refusal(text, option, words)
            }
            return value
        }
    }

    func historyRange() throws(LocctlError) -> HistoryRange {
        var range = HistoryRange()
        range.day = try day()
        range.from = try value(.from, ArgumentReading.pastTime)
        range.to = try value(.to, ArgumentReading.pastTime)
        if range.day != nil, range.from != nil || range.to != nil {
            throw .usage("cannot use --day with --from or --to: a day has its own ends")
        }
        return range
    }

    private func day() throws(LocctlError) -> NamedDay? {
        try value(.day) { text, option throws(LocctlError) in
            guard let day = NamedDay(text) else {
                throw ArgumentReading.refusal(text, option, "today, yesterday, or a day such as 2026-11-21")
            }
            return day
        }
    }
}
