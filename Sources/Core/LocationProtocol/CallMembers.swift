// SPDX-License-Identifier: Apache-2.0

// The members of the methods that have one or two.
package enum PresenceMember: String, CodingKey, CaseIterable { case presence }
package enum StartUpdatingMember: String, CodingKey, CaseIterable { case resumeAfter }
package enum RequestLocationMember: String, CodingKey, CaseIterable { case timeout }
package enum StatusMember: String, CodingKey, CaseIterable { case scope }
package enum PurposeMember: String, CodingKey, CaseIterable { case purposeKey }
package enum StartMonitoringMember: String, CodingKey, CaseIterable { case region }
package enum IdentifierMember: String, CodingKey, CaseIterable { case identifier }
package enum StartLiveUpdatesMember: String, CodingKey, CaseIterable { case configuration }
package enum LiveUpdatesMember: String, CodingKey, CaseIterable { case updates }
package enum OpenMonitorMember: String, CodingKey, CaseIterable { case name }
package enum MonitorMember: String, CodingKey, CaseIterable { case monitor }
package enum SessionMember: String, CodingKey, CaseIterable { case session }
package enum EventMember: String, CodingKey, CaseIterable { case event }
package enum AnswerMember: String, CodingKey, CaseIterable { case request, answer }
package enum AppMember: String, CodingKey, CaseIterable { case app }
package enum ConnectionMember: String, CodingKey, CaseIterable { case connection }
package enum EnabledMember: String, CodingKey, CaseIterable { case enabled }
/// The members of the methods that have none.
package enum NoMember: CodingKey, CaseIterable {}

/// The members of a region.
package enum RegionMember: String, CodingKey, CaseIterable {
    case identifier, center, radius, vertices, notifyOnEntry, notifyOnExit, cushion, dwell
}

/// The members of a place.
package enum CoordinateMember: String, CodingKey, CaseIterable { case latitude, longitude }

/// The members of a monitor's condition.
package enum ConditionMember: String, CodingKey, CaseIterable { case type, center, radius, vertices }

/// What a condition can be.
package enum ConditionType: String, CaseIterable, Sendable, WireWord {
    case circle, polygon
    /// The word on the wire.
    package var word: String { rawValue }
}
