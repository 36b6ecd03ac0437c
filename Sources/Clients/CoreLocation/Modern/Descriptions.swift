// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import LocationModel

// Descriptions for logs: the state, and of the flags those that are set. They are debugDescription, which print(_:) takes where
// there is nothing else, so that a program may add a description of its own, as on Apple's systems.

extension DiagnosticFlags {
    /// The names of the flags that are set, with a comma before each.
    var listed: String { setNames.map { ", \($0)" }.joined() }

    /// The names of the flags that are set, or that there is none.
    var text: String { isEmpty ? "nothing is missing" : setNames.joined(separator: ", ") }

    private var setNames: [String] {
        DiagnosticFlags.names.enumerated().filter { rawValue & 1 << $0.offset != 0 }.map(\.element)
    }
}

extension CLLocationUpdate: CustomDebugStringConvertible {
    /// The location, whether the device rests, and the flags that are set.
    public var debugDescription: String {
        let place = location.map(\.description) ?? "no location"
        return "CLLocationUpdate (\(place)\(stationary ? ", stationary" : "")\(flags.listed))"
    }
}

extension CLMonitor: CustomDebugStringConvertible {
    /// Its name, how many conditions it has, and where it watches none, that it is not open.
    public nonisolated var debugDescription: String { "CLMonitor (\(link.text))" }
}

extension CLMonitor.Event: CustomDebugStringConvertible {
    /// The condition's identifier, how it stands, since when, and the flags that are set.
    public var debugDescription: String {
        "CLMonitor.Event (identifier:'\(identifier)', \(state)\(flags.listed) @ \(WallTime(date).rfc3339))"
    }
}

extension CLMonitor.Record: CustomDebugStringConvertible {
    /// The condition and its last event.
    public var debugDescription: String { "CLMonitor.Record (\(condition), last: \(lastEvent))" }
}

extension CLMonitor.CircularGeographicCondition: CustomDebugStringConvertible {
    /// The kind and the circle.
    public var debugDescription: String {
        String(
            format: "CircularGeographicCondition (center:<%+.8f,%+.8f>, radius:%.2fm)", center.latitude,
            center.longitude, radius)
    }
}

extension CLMonitor.PolygonGeographicCondition: CustomDebugStringConvertible {
    /// The kind and the number of corners.
    public var debugDescription: String { "PolygonGeographicCondition (\(vertices.count) vertices)" }
}

extension CLServiceSession.Diagnostic: CustomDebugStringConvertible {
    /// The reasons why the session does not have what it asks for, or that there is none.
    public var debugDescription: String { "CLServiceSession.Diagnostic (\(flags.text))" }
}

extension CLBackgroundActivitySession.Diagnostic: CustomDebugStringConvertible {
    /// The reasons why the session has no effect, or that there is none.
    public var debugDescription: String { "CLBackgroundActivitySession.Diagnostic (\(flags.text))" }
}

extension CLServiceSession: CustomDebugStringConvertible {
    /// The authorization and the accuracy that it asks for, and whether it has ended.
    public var debugDescription: String {
        let accuracy = purposeKey.map { ", full accuracy for '\($0)'" } ?? ""
        return "CLServiceSession (authorization:\(requirement)\(accuracy)\(hasEnded ? ", invalidated" : ""))"
    }
}

extension CLBackgroundActivitySession: CustomDebugStringConvertible {
    /// Whether it has ended.
    public var debugDescription: String { "CLBackgroundActivitySession (\(hasEnded ? "invalidated" : "in effect"))" }
}
