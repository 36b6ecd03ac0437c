// SPDX-License-Identifier: Apache-2.0

/// The commands of locctl.
package enum LocctlCommand: String, Sendable, CaseIterable {
    case status, top, get, watch, significant, live, heading, region, visits, monitor, beacon, why, locate
    case history, export, report, uplink, metrics, apps, authorize, forget, services, requests, agent, events, close,
        reload,
        version,
        help

    /// Its own options, in the order of help.
    package var options: [LocctlOption] {
        switch self {
        case .get: [.timeout, .accuracy, .cached]
        case .watch:
            [
                .distanceFilter, .accuracy, .activityType, .headingFilter, .noPause, .allowsBackground, .deferDistance,
                .deferTimeout, .presence, .count, .until, .resumeAfter, .app,
            ]
        case .locate: [.placeAccuracy, .altitude]
        case .significant: [.count, .until, .app]
        case .live: [.configuration, .count, .until, .app]
        case .heading: [.headingFilter, .count, .until, .app]
        case .region:
            [
                .circle, .polygon, .beacon, .noEntry, .noExit, .cushion, .dwell, .notice, .noticeText, .noticeOn, .once,
                .count, .until, .app,
            ]
        case .visits: [.follow, .count, .until, .app]
        case .monitor: [.circle, .polygon, .beacon, .assuming, .count, .until, .app]
        case .beacon: [.count, .until, .app]
        case .authorize: [.grantedAccuracy]
        case .agent: [.answer, .desktop]
        case .history: [.day, .from, .to, .count, .all]
        case .export: [.format, .day, .from, .to, .simplify, .split, .output, .of]
        case .report: [.day, .output, .of]
        case .top: [.on]
        case .metrics: [.prometheus, .coordinates, .output]
        case .status, .why, .uplink, .apps, .forget, .services, .requests, .events, .close, .reload, .version, .help: []
        }
    }

    /// Those of the options of every command that it has: no daemon is asked about the uplink, and screens and files are no answers in JSON.
    package var commonOptions: [LocctlOption] {
        switch self {
        case .uplink: LocctlOption.common.filter { $0 != .socket }
        case .top, .export, .report, .metrics: LocctlOption.common.filter { $0 != .json }
        default: LocctlOption.common
        }
    }

    /// Its own options and those that every command has.
    package var allOptions: [LocctlOption] { options + commonOptions }

    /// Its operands in help; nil: it takes none.
    package var operand: String? {
        switch self {
        case .region, .monitor, .beacon, .locate: "ACTION"
        case .visits: "stop"
        case .history: "forget"
        case .why: "CLIENT"
        case .authorize, .forget: "APP"
        case .services: "on|off"
        case .requests: "NUMBER"
        case .events: "APP"
        case .close: "CONNECTION"
        case .help: "COMMAND"
        case .status, .top, .get, .watch, .significant, .live, .heading, .export, .report, .uplink, .metrics, .apps,
            .agent, .reload, .version:
            nil
        }
    }

    /// Whether it cannot do without an operand.
    var needsOperand: Bool {
        [.region, .monitor, .beacon, .locate, .authorize, .forget, .events, .close].contains(self)
    }

    /// The most operands that it takes.
    var operandLimit: Int {
        switch self {
        case .status, .top, .get, .watch, .significant, .live, .heading, .export, .report, .uplink, .metrics, .apps,
            .agent, .reload, .version:
            0
        case .visits, .history, .why, .forget, .services, .events, .close, .help: 1
        case .region, .beacon, .locate, .authorize, .requests: 2
        case .monitor: 3
        }
    }

    /// The words that its first and its second operand may be, for completion; empty: anything, or none.
    package var operandWords: (first: [String], second: [String]) {
        switch self {
        case .locate: (LocateVerb.allCases.map(\.rawValue), [])
        case .region: (RegionVerb.allCases.map(\.rawValue), [])
        case .monitor: (MonitorVerb.allCases.map(\.rawValue), [])
        case .beacon: (BeaconVerb.allCases.map(\.rawValue), [])
        case .visits: (["stop"], [])
        case .history: (["forget"], [])
        case .services: (["on", "off"], [])
        case .authorize: ([], AuthorizationWords.all)
        case .requests: ([], AnswerWords.all)
        case .help: (LocctlCommand.allCases.map(\.rawValue), [])
        default: ([], [])
        }
    }
}

/// The actions of `locctl region`.
enum RegionVerb: String, CaseIterable {
    case add, list, remove, state, watch
}

/// The actions of `locctl monitor`.
enum MonitorVerb: String, CaseIterable {
    case list, add, remove, record, watch
}

/// The actions of `locctl beacon`.
enum BeaconVerb: String, CaseIterable {
    case range
}

/// The actions of `locctl locate`.
enum LocateVerb: String, CaseIterable {
    case set, clear
}
