// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// The options and operands of a command line, as they were written; of an option given twice the last counts.
struct GivenOptions {
    private(set) var values: [LocctlOption: String] = [:]
    private(set) var operands: [String] = []

    mutating func set(_ option: LocctlOption, _ value: String) throws(LocctlError) {
        values[option] = option == .socket ? try ArgumentReading.path(value, option) : value
    }

    mutating func take(_ word: OptionWords.Word, _ command: LocctlCommand) throws(LocctlError) {
        switch word {
        case .option(let option, let value): try set(option, value)
        case .plain(let word):
            guard operands.count < command.operandLimit else {
                let rule =
                    switch (command.operand, command.operandLimit) {
                    case (let placeholder?, 1): "one \(placeholder)"
                    case (_?, let limit): "at most \(limit) words"
                    case (nil, _): "only options"
                    }
                throw .usage("cannot use \"\(printable(word))\": locctl \(command.rawValue) takes \(rule)")
            }
            operands.append(word)
        }
    }

    /// The invocation by options without a command.
    func actionWithoutCommand() throws(LocctlError) -> Invocation.Action {
        if values[.help] != nil { return .help(nil) }
        if values[.version] != nil { return .programVersion }
        throw .missingCommand
    }

    /// The invocation of `command` by its options.
    func action(_ command: LocctlCommand) throws(LocctlError) -> Invocation.Action {
        guard values[.help] == nil else { return .help(command) }
        guard values[.json] == nil || command.commonOptions.contains(.json) else {
            let reason = command == .export ? "--format geojson is JSON for maps" : "it prints no JSON"
            throw .usage("cannot use --json with \(command.rawValue): \(reason)")
        }
        switch command {
        case .status: return .status
        case .uplink: return .uplink
        case .top: return .top(on: values[.on] != nil)
        case .metrics: return .metrics(try metricsOptions())
        case .version: return .version
        case .why: return .why(operands.first)
        case .get: return .get(try getOptions())
        case .watch: return .follow(try watchOptions())
        case .significant: return .follow(try endOptions(FollowOptions(service: .significantChange)))
        case .help:
            guard let operand = operands.first else { return .help(nil) }
            guard let topic = LocctlCommand(rawValue: operand) else {
                let names = LocctlCommand.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("cannot explain \"\(printable(operand))\": the commands are \(names)")
            }
            return .help(topic)
        case .locate: return try locateAction()
        case .region: return try regionAction()
        case .monitor: return try monitorAction()
        case .beacon: return try beaconAction()
        case .visits: return try visitsAction()
        case .history: return try historyAction()
        case .export: return try exportAction()
        case .report: return try reportAction()
        case .live:
            let configuration = try value(.configuration) { text, option throws(LocctlError) in
                try ArgumentReading.word(text, option, LiveConfiguration.self)
            }
            return .live(configuration ?? .default, try eventOptions())
        case .heading:
            return .heading(filter: try value(.headingFilter, ArgumentReading.headingFilter), try eventOptions())
        case .apps, .authorize, .forget, .services, .requests, .agent, .events, .close, .reload:
            return try administration(command)
        }
    }

    func value<Value>(
        _ option: LocctlOption, _ read: (String, LocctlOption) throws(LocctlError) -> Value
    ) throws(LocctlError) -> Value? {
        guard let text = values[option] else { return nil }
        return try read(text, option)
    }

    private func metricsOptions() throws(LocctlError) -> MetricsOptions {
        var options = MetricsOptions()
        if values[.prometheus] != nil { options.format = .prometheus }
        options.coordinates = values[.coordinates] != nil
        options.file = try outputFile()
        return options
    }

    private func getOptions() throws(LocctlError) -> GetOptions {
        var options = GetOptions()
        options.timeout = try value(.timeout) { text, option throws(LocctlError) in
            let allowed = "a time of more than 0 and at most 10min, such as 30, 30s or 2min"
            return try ArgumentReading.time(text, option, allowed: allowed) {
                $0 > 0 && $0 <= Request.maximumTimeout
            }
        }
        options.accuracy = try value(.accuracy, ArgumentReading.accuracy)
        options.cached = values[.cached] != nil
        if options.cached, let other = [LocctlOption.timeout, .accuracy].first(where: { values[$0] != nil }) {
            throw .usage("cannot use --\(other.name) with --cached: nothing is waited for")
        }
        return options
    }

    private func watchOptions() throws(LocctlError) -> FollowOptions {
        var options = try endOptions(FollowOptions(service: .standard))
        options.properties = PropertiesPatch(
            distanceFilter: try value(.distanceFilter, ArgumentReading.distanceFilter),
            desiredAccuracy: try value(.accuracy, ArgumentReading.accuracy),
            activityType: try value(.activityType) { text, option throws(LocctlError) in
                try ArgumentReading.word(text, option, ActivityType.self)
            },
            pausesLocationUpdatesAutomatically: values[.noPause] == nil ? nil : false,
            allowsBackgroundLocationUpdates: values[.allowsBackground] == nil ? nil : true,
            headingFilter: try value(.headingFilter, ArgumentReading.headingFilter))
        options.presence = try value(.presence) { text, option throws(LocctlError) in
            try ArgumentReading.word(text, option, Presence.self)
        }
        options.resumeAfter = try value(.resumeAfter, ArgumentReading.sequence)
        options.deferDistance = try value(.deferDistance) { text, option throws(LocctlError) in
            try ArgumentReading.distance(text, option, allowed: "a distance of 1m or more, such as 500 or 2km") {
                $0 >= 1
            }
        }
        options.deferTimeout = try value(.deferTimeout) { text, option throws(LocctlError) in
            try ArgumentReading.time(text, option, allowed: "a time of 1s or more, such as 30 or 10min") { $0 >= 1 }
        }
        try checkDeferral(options)
        return options
    }

    // The daemon would say the same after the fact, as Core Location does: errors 13 and 14.
    private func checkDeferral(_ options: FollowOptions) throws(LocctlError) {
        guard options.defers else { return }
        let wish = values[.deferDistance] != nil ? LocctlOption.deferDistance : .deferTimeout
        if let filter = options.properties.distanceFilter, filter >= 0 {
            throw .usage("cannot use --\(wish.name) with --distance-filter: only none is allowed with it")
        }
        guard let accuracy = options.properties.desiredAccuracy, ![.best, .bestForNavigation].contains(accuracy) else {
            return
        }
        throw .usage(
            "cannot use --\(wish.name) with --accuracy \(values[.accuracy] ?? ""): only best and "
                + "bestForNavigation are allowed with it")
    }

    private func endOptions(_ service: FollowOptions) throws(LocctlError) -> FollowOptions {
        var options = service
        options.count = try value(.count, ArgumentReading.count)
        options.end = try value(.until, ArgumentReading.end)
        options.app = try value(.app, ArgumentReading.name)
        return options
    }
}
