// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

// The commands that keep areas and print what happens there.
extension GivenOptions {
    func regionAction() throws(LocctlError) -> Invocation.Action {
        let verb: RegionVerb = try verb(of: .region)
        let app = try value(.app, ArgumentReading.name) ?? EventOptions.usualApp
        switch verb {
        case .add:
            try allowOnly(
                [
                    .circle, .polygon, .beacon, .noEntry, .noExit, .cushion, .dwell, .notice, .noticeText, .noticeOn,
                    .once,
                ], .region, verb.rawValue)
            return .region(.add(try region(try name(1, .region, verb.rawValue, "a region"))), app: app)
        case .list:
            try allowOnly([], .region, verb.rawValue, operands: 1)
            return .region(.list, app: app)
        case .remove:
            try allowOnly([], .region, verb.rawValue)
            return .region(.remove(try name(1, .region, verb.rawValue, "a region")), app: app)
        case .state:
            try allowOnly([], .region, verb.rawValue)
            return .region(.state(try name(1, .region, verb.rawValue, "a region")), app: app)
        case .watch:
            try allowOnly([.count, .until], .region, verb.rawValue, operands: 1)
            return .region(.watch(try eventOptions()), app: app)
        }
    }

    func locateAction() throws(LocctlError) -> Invocation.Action {
        let verb: LocateVerb = try verb(of: .locate)
        guard verb == .set else {
            try allowOnly([], .locate, verb.rawValue, operands: 1)
            return .clearPlace
        }
        guard operands.count > 1 else {
            throw .usage("cannot run locctl locate set without a place, such as 52.5163,13.3777")
        }
        let accuracy = try value(.placeAccuracy) { text, option throws(LocctlError) in
            try ArgumentReading.distance(
                text, option, allowed: "a distance of more than 0 and at most 20000km, such as 30, 30m or 25km"
            ) { $0 > 0 && $0 <= 20_000_000 }
        }
        let altitude = try value(.altitude) { text, option throws(LocctlError) in
            guard let metres = PlaceReading.decimal(text), (-12_000...100_000).contains(metres) else {
                throw ArgumentReading.refusal(text, option, "metres, -12000 to 100000")
            }
            return metres
        }
        let error = accuracy ?? OfferedLocation.usualAccuracy
        return .setPlace(
            OfferedLocation(
                coordinate: try PlaceReading.place(operands[1]), horizontalAccuracy: error, altitude: altitude,
                verticalAccuracy: altitude == nil ? nil : error, kind: .manual))
    }

    func monitorAction() throws(LocctlError) -> Invocation.Action {
        let verb: MonitorVerb = try verb(of: .monitor)
        let allowed: [LocctlOption] =
            switch verb {
            case .add: [.circle, .polygon, .beacon, .assuming]
            case .watch: [.count, .until]
            case .list, .remove, .record: []
            }
        let takesCondition = ![.list, .watch].contains(verb)
        try allowOnly(allowed, .monitor, verb.rawValue, operands: takesCondition ? 3 : 2)
        let monitor = try name(1, .monitor, verb.rawValue, "a monitor")
        let condition = takesCondition ? try name(2, .monitor, verb.rawValue, "a condition") : ""
        let app = try value(.app, ArgumentReading.name) ?? EventOptions.usualApp
        let action: MonitorAction =
            switch verb {
            case .list: .list
            case .add: .add(condition, try shape(.monitor), assuming: try assumedState())
            case .remove: .remove(condition)
            case .record: .record(condition)
            case .watch: .watch(try eventOptions())
            }
        return .monitor(monitor, action, app: app)
    }

    func beaconAction() throws(LocctlError) -> Invocation.Action {
        let verb: BeaconVerb = try verb(of: .beacon)
        guard operands.count > 1 else {
            throw .usage(
                "cannot run locctl beacon \(verb.rawValue) without beacons: allowed is \(PlaceReading.beaconForm)")
        }
        guard let beacons = BeaconIdentity(text: operands[1]) else {
            throw .usage(
                "cannot use the beacons \"\(printable(operands[1]))\": allowed is \(PlaceReading.beaconForm)")
        }
        return .range(beacons, try eventOptions())
    }

    func visitsAction() throws(LocctlError) -> Invocation.Action {
        guard let word = operands.first else {
            var options = try eventOptions()
            options.follows = values[.follow] != nil || options.count != nil || options.end != nil
            return .visits(options)
        }
        guard word == "stop" else {
            throw .usage("cannot run locctl visits \"\(printable(word))\": allowed is stop, or only options")
        }
        try allowOnly([], .visits, word, operands: 1)
        return .stopVisits(app: try value(.app, ArgumentReading.name) ?? EventOptions.usualApp)
    }

    /// How to print what happens.
    func eventOptions() throws(LocctlError) -> EventOptions {
        var options = EventOptions()
        options.app = try value(.app, ArgumentReading.name) ?? EventOptions.usualApp
        options.count = try value(.count, ArgumentReading.count)
        options.end = try value(.until, ArgumentReading.end)
        return options
    }

    // MARK: Words

    private func verb<Verb: RawRepresentable<String> & CaseIterable>(
        of command: LocctlCommand
    ) throws(LocctlError) -> Verb {
        let words = Verb.allCases.map(\.rawValue).joined(separator: ", ")
        guard let word = operands.first else {
            throw .usage("cannot run locctl \(command.rawValue) without saying what: allowed is \(words)")
        }
        guard let verb = Verb(rawValue: word) else {
            throw .usage("cannot run locctl \(command.rawValue) \"\(printable(word))\": allowed is \(words)")
        }
        return verb
    }

    private func name(
        _ index: Int, _ command: LocctlCommand, _ verb: String, _ what: String
    ) throws(LocctlError) -> String {
        guard operands.count > index else {
            throw .usage("cannot run locctl \(command.rawValue) \(verb) without the name of \(what)")
        }
        return try ArgumentReading.name(operands[index], of: what)
    }

    private func allowOnly(
        _ allowed: [LocctlOption], _ command: LocctlCommand, _ verb: String, operands limit: Int = .max
    ) throws(LocctlError) {
        if operands.count > limit {
            throw .usage("cannot use \"\(printable(operands[limit]))\" with locctl \(command.rawValue) \(verb)")
        }
        if let option = command.options.first(where: { values[$0] != nil && $0 != .app && !allowed.contains($0) }) {
            throw .usage("cannot use --\(option.name) with locctl \(command.rawValue) \(verb)")
        }
    }

    // MARK: Areas

    private func shape(_ command: LocctlCommand) throws(LocctlError) -> RegionShape {
        let kinds: [LocctlOption] = [.circle, .polygon, .beacon]
        let given = kinds.filter { values[$0] != nil }
        guard let kind = given.first, let text = values[kind] else {
            throw .usage(
                "cannot run locctl \(command.rawValue) add without an area: allowed is "
                    + kinds.map { "--\($0.name)" }.joined(separator: ", "))
        }
        guard given.count == 1 else {
            throw .usage("cannot use --\(kind.name) with --\(given[1].name): an area is one of them")
        }
        switch kind {
        case .circle: return try PlaceReading.circle(text, kind)
        case .polygon: return try PlaceReading.polygon(text, kind)
        default: return try PlaceReading.beacon(text, kind)
        }
    }

    private func region(_ name: String) throws(LocctlError) -> Region {
        let region = Region(
            identifier: name, shape: try shape(.region), notifyOnEntry: values[.noEntry] == nil,
            notifyOnExit: values[.noExit] == nil,
            hysteresis: RegionHysteresis(cushion: try cushion(), dwell: try dwell()), notice: try notice())
        if region.shape.beacons != nil, let option = [LocctlOption.cushion, .dwell].first(where: { values[$0] != nil })
        {
            throw .usage("cannot use --\(option.name) with --beacon: a beacon is heard or not, and has no border")
        }
        guard region.notifyOnEntry || region.notifyOnExit || region.notice != nil else {
            throw .usage("cannot use --no-entry with --no-exit without --notice: nothing would be left to tell")
        }
        return region
    }

    private func notice() throws(LocctlError) -> RegionNotice? {
        let title = try value(.notice) { text, option throws(LocctlError) in
            guard isNoticeTitle(text) else {
                throw ArgumentReading.refusal(text, option, "1 to 128 bytes to be seen, without control characters")
            }
            return text
        }
        guard let title else {
            if let option = [LocctlOption.noticeText, .noticeOn, .once].first(where: { values[$0] != nil }) {
                throw .usage("cannot use --\(option.name) without --notice")
            }
            return nil
        }
        let text = try value(.noticeText) { text, option throws(LocctlError) in
            guard isUsageText(text) else {
                throw ArgumentReading.refusal(text, option, "at most 256 bytes without control characters")
            }
            return text
        }
        let crossing = try value(.noticeOn) { text, option throws(LocctlError) in
            try ArgumentReading.word(text, option, RegionNotice.Crossing.self)
        }
        return RegionNotice(title: title, text: text ?? "", on: crossing ?? .entry, repeats: values[.once] == nil)
    }

    private func cushion() throws(LocctlError) -> Double? {
        try value(.cushion) { text, option throws(LocctlError) in
            try ArgumentReading.distance(text, option, allowed: "a distance of 0 to 100km, such as 20 or 20m") {
                RegionLimits.cushion.contains($0)
            }
        }
    }

    private func dwell() throws(LocctlError) -> TimeSpan? {
        let seconds = try value(.dwell) { text, option throws(LocctlError) in
            try ArgumentReading.time(text, option, allowed: "a time of 0 to 24h, such as 20, 20s or 2min") {
                RegionLimits.dwell.contains($0)
            }
        }
        return seconds.map { .seconds($0) }
    }

    private func assumedState() throws(LocctlError) -> ConditionState {
        guard let text = values[.assuming] else { return .unknown }
        guard let state = ConditionState(word: text), state != .unmonitored else {
            throw ArgumentReading.refusal(
                text, .assuming, LocctlOption.assuming.words.joined(separator: ", "))
        }
        return state
    }
}
