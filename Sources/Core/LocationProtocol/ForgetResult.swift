// SPDX-License-Identifier: Apache-2.0

/// The result of `forgetApp`: what was removed.
public struct ForgetResult: Sendable, Hashable, Codable {
    /// The app, as `apps` named it.
    public var app: String
    /// Whether somebody had decided about it.
    public var hadDecision: Bool
    /// What its processes had called themselves.
    public var labels: [String] = []
    /// How many regions it had.
    public var regions: UInt64 = 0
    /// How many conditions its monitors had.
    public var conditions: UInt64 = 0
    /// How many monitors it had.
    public var monitors: UInt64 = 0
    /// How many stored events waited for it.
    public var events: UInt64 = 0
    /// Whether it had asked for visits.
    public var wantedVisits = false

    private enum CodingKeys: String, CodingKey {
        case app
        case hadDecision = "decision"
        case labels, regions, conditions, monitors, events
        case wantedVisits = "visits"
    }

    /// Nothing of `app` but perhaps a decision.
    public init(app: String, hadDecision: Bool) {
        self.app = app
        self.hadDecision = hadDecision
    }
}
