// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A value that a record holds as numbers: small, and the same whatever the next process calls its cases.
protocol Recorded: Sendable {
    associatedtype Coded: Codable, Sendable
    var coded: Coded { get }
    /// nil: no value is coded so.
    init?(coded: Coded)
}

/// A property of a record that is coded as its numbers.
@propertyWrapper
struct Stored<Value: Recorded>: Sendable, Codable {
    var wrappedValue: Value

    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Value(coded: try container.decode(Value.Coded.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no \(Value.self)")
        }
        wrappedValue = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue.coded)
    }
}

extension Recorded where Self: RawRepresentable, Coded == RawValue {
    var coded: RawValue { rawValue }
    init?(coded: RawValue) { self.init(rawValue: coded) }
}

extension Presence: Recorded {}
extension RegionState: Recorded {}
extension ConditionState: Recorded {}
extension LiveConfiguration: Recorded {}
extension LocationErrorCode: Recorded {}
extension DiagnosticFlags: Recorded {}

extension Optional: Recorded where Wrapped: Recorded {
    var coded: Wrapped.Coded? { map(\.coded) }
    init?(coded: Wrapped.Coded?) {
        guard let coded else {
            self = .none
            return
        }
        guard let value = Wrapped(coded: coded) else { return nil }
        self = .some(value)
    }
}

extension Array: Recorded where Element: Recorded {
    var coded: [Element.Coded] { map(\.coded) }
    init?(coded: [Element.Coded]) {
        self = coded.compactMap { Element(coded: $0) }
        guard count == coded.count else { return nil }
    }
}

/// Infinity has no number in JSON: nil stands for it.
extension Double: Recorded {
    var coded: Double? { isFinite ? self : nil }
    init?(coded: Double?) { self = coded ?? .infinity }
}

extension BootInstant: Recorded {
    var coded: Int64 { nanoseconds }
    init?(coded: Int64) { self.init(nanoseconds: coded) }
}

extension WallTime: Recorded {
    var coded: Int64 { milliseconds }
    init?(coded: Int64) { self.init(milliseconds: coded) }
}

extension Coordinate: Recorded {
    var coded: [Double] { [latitude, longitude] }
    init?(coded: [Double]) {
        guard coded.count == 2 else { return nil }
        self.init(latitude: coded[0], longitude: coded[1])
        guard isValid else { return nil }
    }
}

extension ManagerProperties: Recorded {
    var coded: [Double] {
        [
            distanceFilter, desiredAccuracy.number, Double(activityType.rawValue),
            pausesLocationUpdatesAutomatically ? 1 : 0, allowsBackgroundLocationUpdates ? 1 : 0, headingFilter,
        ]
    }

    init?(coded: [Double]) {
        guard coded.count == 6, coded.allSatisfy(\.isFinite), let accuracy = DesiredAccuracy(number: coded[1]),
            let activity = Int(exactly: coded[2]).flatMap({ ActivityType(rawValue: $0) })
        else { return nil }
        self.init()
        distanceFilter = coded[0]
        desiredAccuracy = accuracy
        activityType = activity
        pausesLocationUpdatesAutomatically = coded[3] != 0
        allowsBackgroundLocationUpdates = coded[4] != 0
        headingFilter = coded[5]
    }
}

extension Authorization: Recorded {
    var coded: [Int] { [status.rawValue, accuracy.rawValue, isProvisional ? 1 : 0, isDeniedGlobally ? 1 : 0] }

    init?(coded: [Int]) {
        guard coded.count == 4, let status = AuthorizationStatus(rawValue: coded[0]),
            let accuracy = AccuracyAuthorization(rawValue: coded[1])
        else { return nil }
        self.init(
            status: status, accuracy: accuracy, isProvisional: coded[2] != 0, isDeniedGlobally: coded[3] != 0)
    }
}

extension UseAllowance: Recorded {
    var coded: [Int] {
        [
            (isOnce ? 1 : 0) + (hasTemporaryFullAccuracy ? 2 : 0), consent.choice.rawValue, consent.accuracy.rawValue,
            consent.hasAskedAlways ? 1 : 0,
        ]
    }

    init?(coded: [Int]) {
        guard coded.count == 4, let choice = Consent.Choice(rawValue: coded[1]),
            let accuracy = AccuracyAuthorization(rawValue: coded[2])
        else { return nil }
        self.init(
            isOnce: coded[0] & 1 != 0, hasTemporaryFullAccuracy: coded[0] & 2 != 0,
            consent: Consent(choice, accuracy: accuracy, hasAskedAlways: coded[3] != 0))
    }
}

extension BeaconIdentity: Recorded {
    var coded: String { ([uuid] + [major, minor].compactMap { $0.map(String.init) }).joined(separator: ".") }

    init?(coded: String) {
        let parts = coded.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.dropFirst().compactMap { UInt16($0) }
        guard let uuid = parts.first, uuid.utf8.count == 36, numbers.count == parts.count - 1, numbers.count <= 2 else {
            return nil
        }
        self.init(uuid: String(uuid), major: numbers.first, minor: numbers.dropFirst().first)
    }
}

extension UInt32 {
    /// Numbers of a client's services go on from it: there must be some behind it. No manager counts as far in years.
    var isUsable: Bool { self <= UInt32.max / 2 }
}

extension UInt64 {
    /// Whether it can be the sequence of a fix, or the number of an event.
    var isUsable: Bool { self <= Location.greatestSequence }
}
