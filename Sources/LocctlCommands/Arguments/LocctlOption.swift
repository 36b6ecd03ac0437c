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

    /// The word for its argument in help; nil: it takes none.
    package var placeholder: String? {
        switch self {
        case .json, .help, .version, .cached, .noPause, .allowsBackground: nil
        case .socket: "PATH"
        case .timeout, .deferTimeout: "TIME"
        case .accuracy: "ACCURACY"
        case .distanceFilter, .deferDistance: "DISTANCE"
        case .activityType: "TYPE"
        case .headingFilter: "DEGREES"
        case .presence: "WHERE"
        case .count: "N"
        case .until: "TIME"
        case .resumeAfter: "SEQ"
        case .app: "NAME"
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
        default: []
        }
    }

    /// Options that every command has.
    package static let common: [LocctlOption] = [.socket, .json, .help]

    /// What it does, for help.
    var help: String {
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
        case .count: "end after N locations"
        case .until:
            "end then: after a time such as 90s, 5min or 2h, at a time of day such as 18:30, or at a date such as "
                + "2026-11-21T18:30:00Z"
        case .resumeAfter:
            "begin behind the location with this sequence number instead of now, as far as it is kept"
        case .app:
            "the name to be known by, 1 to 128 bytes; it separates what is kept for this program from others"
        }
    }

    private var choices: String { words.joined(separator: ", ") }
}
