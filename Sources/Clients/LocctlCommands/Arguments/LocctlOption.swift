// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// Every option of every command.
package enum LocctlOption: String, Sendable, CaseIterable {
    case socket, json, help, version
    case timeout, accuracy, cached
    case distanceFilter = "distance-filter"
    case activityType = "activity-type"
    case headingFilter = "heading-filter"
    case noPause = "no-pause"
    case allowsBackground = "allows-background"
    case deferDistance = "defer-distance"
    case deferTimeout = "defer-timeout"
    case presence, count, until
    case resumeAfter = "resume-after"
    case app
    case circle, polygon, beacon
    case noEntry = "no-entry"
    case noExit = "no-exit"
    case notice
    case noticeText = "notice-text"
    case noticeOn = "notice-on"
    case once, desktop
    case cushion, dwell, assuming, follow, configuration, answer
    case day, from, to, all
    case format, simplify, split, output, of
    case on, prometheus, coordinates
    // Also written --accuracy: how precisely an app may know, not how precise a location has to be.
    case grantedAccuracy = "granted-accuracy"
    // The same: how well a place is known that somebody gives.
    case placeAccuracy = "place-accuracy"
    case altitude

    /// How it is written, without the dashes.
    package var name: String {
        [.grantedAccuracy, .placeAccuracy].contains(self) ? LocctlOption.accuracy.rawValue : rawValue
    }

    /// The word for its argument in help; nil: it takes none.
    package var placeholder: String? {
        switch self {
        case .json, .help, .version, .cached, .noPause, .allowsBackground, .noEntry, .noExit, .follow, .all,
            .on, .prometheus, .coordinates, .once, .desktop:
            nil
        case .socket: "PATH"
        case .timeout, .deferTimeout, .dwell: "TIME"
        case .accuracy, .grantedAccuracy: "ACCURACY"
        case .distanceFilter, .deferDistance, .cushion, .placeAccuracy: "DISTANCE"
        case .altitude: "METRES"
        case .activityType: "TYPE"
        case .headingFilter: "DEGREES"
        case .presence: "WHERE"
        case .count: "N"
        case .until: "TIME"
        case .resumeAfter: "SEQ"
        case .app: "NAME"
        case .circle: "LAT,LON,RADIUS"
        case .polygon: "LAT,LON..."
        case .beacon: "UUID[,...]"
        case .assuming: "STATE"
        case .configuration: "USE"
        case .answer: "ANSWER"
        case .day: "DAY"
        case .from, .to: "TIME"
        case .format: "FORMAT"
        case .simplify: "DISTANCE"
        case .split: "WHERE"
        case .notice: "TITLE"
        case .noticeText: "TEXT"
        case .noticeOn: "WHEN"
        case .output: "FILE"
        case .of: "APP"
        }
    }

    /// Whether it takes an argument.
    package var takesArgument: Bool { placeholder != nil }

    /// The words that its argument may be, for completion; empty: anything.
    package var words: [String] {
        switch self {
        case .accuracy: DesiredAccuracy.named.compactMap(\.word)
        case .activityType: ActivityType.words
        case .presence: Presence.words
        case .distanceFilter, .headingFilter: ["none"]
        case .grantedAccuracy: AccuracyAuthorization.words
        case .assuming: [ConditionState.unknown, .satisfied, .unsatisfied].map(\.word)
        case .configuration: LiveConfiguration.words
        case .answer: AnswerWords.all
        case .day: ["today", "yesterday"]
        case .format: ExportFormat.allCases.map(\.rawValue)
        case .split: TrackSplit.allCases.map(\.rawValue)
        case .noticeOn: RegionNotice.Crossing.words
        default: []
        }
    }

    /// Options that every command has.
    package static let common: [LocctlOption] = [.socket, .json, .help]

    /// The help about an option that most commands have.
    package var commonHelp: String {
        let lacking = LocctlCommand.allCases.filter { !$0.commonOptions.contains(self) }.map(\.rawValue)
        return help + (lacking.isEmpty ? "" : "; not with \(lacking.joined(separator: ", "))")
    }

    /// The effect of the option, for help.
    package var help: String {
        switch self {
        case .socket:
            "talk to the daemon at PATH (default $LOCATIOND_SOCKET, else /run/locationd/locationd.sock)"
        case .json: "print JSON instead of text"
        case .help: "print this"
        case .version: "print the version of locctl"
        case .timeout: "give up after TIME: more than 0, at most 10min (default as configured: 10s)"
        case .accuracy: "how precise it has to be: \(choices), or metres (default best)"
        case .cached: "print the last known location and switch no receiver on for it"
        case .distanceFilter: "only locations at least DISTANCE from the one before, or none (default none)"
        case .activityType: "what the device is used for: \(choices) (default other)"
        case .headingFilter: "degrees of turn between headings, or none (default 1)"
        case .noPause: "do not let the service pause while the device rests"
        case .allowsBackground: "go on while the app is not in use"
        case .deferDistance:
            "let locations be held back until the device has travelled DISTANCE, again and again; 1m or more"
        case .deferTimeout: "let locations be held back for TIME, again and again; 1s or more"
        case .presence:
            "\(choices): whether a person looks on, who is not kept waiting by a deferral (default background)"
        case .count: "end after N of what it prints"
        case .until:
            "end then: after a time such as 90s, 5min or 2h, at a time of day such as 18:30, or at a date such as "
                + "2026-11-21T18:30:00Z"
        case .resumeAfter:
            "begin behind the location with this sequence number instead of now, as far as it is kept"
        case .app:
            "the name to be known by, 1 to 128 bytes; it separates what is kept for this program from others"
        case .circle: "the area: all within RADIUS, such as 100m or 1km, of a place in degrees"
        case .polygon: "the area: 3 to 1000 corners in degrees, in their order"
        case .beacon: "where beacons are heard: of UUID, of UUID,MAJOR, or the one of UUID,MAJOR,MINOR"
        case .noEntry: "do not tell when the device comes in"
        case .noExit: "do not tell when the device goes out"
        case .notice:
            "have the user's agent show this on the desktop, whatever the app is told: 1 to 128 bytes; see locctl help agent"
        case .noticeText: "what stands below the notice's title, at most 256 bytes"
        case .noticeOn: "the crossings that the notice is for: \(choices) (default entry)"
        case .once: "show the notice only at the first of them"
        case .desktop: "ask, and show notices, on the desktop of this session and not here"
        case .cushion: "how far past the border the device has to be before it counts (default by accuracy)"
        case .dwell: "how long it has to be there before it counts (default as configured: 20s)"
        case .assuming: "how it is taken to stand until it is looked at: \(choices) (default unknown)"
        case .follow: "go on with those that come"
        case .configuration: "what the device is used for: \(choices) (default default)"
        case .answer: "answer every question with this: \(choices)"
        case .grantedAccuracy: "how precisely it may know: \(choices)"
        case .placeAccuracy: "how far the device may be from there, such as 30m or 25km (default 100m)"
        case .altitude: "metres above mean sea level (default unknown)"
        case .day: "of this day, as clocks here show it: \(choices), or such as 2026-11-21"
        case .from:
            "of this time and later: a day, a time of today such as 18:30, a date and time such as 2026-11-21T18:30, or a "
                + "time ago such as 2h"
        case .to: "before this time, which is written as that of --from is"
        case .all: "everything"
        case .format: "\(choices) (default gpx)"
        case .simplify: "leave out points that are nearer than DISTANCE to the line between the others"
        case .split:
            "\(choices): a new track only at the beginning, or at each midnight; where the device was not seen for 5min, a new segment "
                + "begins in any case (default gap)"
        case .output: "write FILE, also -o: it is there when it is whole (default standard output)"
        case .of:
            "with the visits and crossings that APP was told, as `locctl apps` names it (default locctl's own; in a report all that this "
                + "user may see)"
        case .on: "have the receiver on meanwhile, as locctl watch does"
        case .prometheus:
            "in Prometheus's older text format, which node_exporter's textfile collector reads"
        case .coordinates: "with the latitude, longitude and altitude of the last known location"
        }
    }

    private var choices: String { words.joined(separator: ", ") }
}
