// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// How precisely a client wants to know, and an agent lets it: GeoClue's levels with their numbers on the bus.
package enum AccuracyLevel: UInt32, Sendable, Comparable, CaseIterable {
    case none = 0
    case country = 1
    case city = 4
    case neighborhood = 5
    case street = 6
    case exact = 8

    /// The level of a number, which clients may choose freely: the finest one that is not finer than it says.
    package init(number: UInt32) {
        self = AccuracyLevel.allCases.last { $0.rawValue <= number } ?? .none
    }

    /// The coarser level first.
    package static func < (left: AccuracyLevel, right: AccuracyLevel) -> Bool { left.rawValue < right.rawValue }

    /// The level that an agent is asked about for a client that wants this one: what the client will be told.
    ///
    /// The daemon has two views of a place, the full one and a circle of kilometres. Who wants more than a city gets the full
    /// one, and a person who is asked about less would allow more than they know.
    package var asked: AccuracyLevel { self > .city ? .exact : max(self, .country) }

    /// The accuracy to ask the daemon for, for a client that wants this level and may have `allowed`; nil: none.
    ///
    /// A client that may have less than `exact` gets the daemon's reduced view, whatever it wishes: only that tells no more than
    /// it says. A client that never said what it wants has `none`, and gets that view, too.
    package func desiredAccuracy(allowed: AccuracyLevel) -> DesiredAccuracy? {
        guard allowed > .none else { return nil }
        guard allowed == .exact else { return .reduced }
        return switch self {
        case .none, .country, .city: .reduced
        case .neighborhood: .kilometer
        case .street: .hundredMeters
        case .exact: .best
        }
    }

    /// Returns the finest level that an app with `status` and `accuracy` can have of the daemon, while location services are on
    /// or off and gpsd is there or not.
    package static func available(
        _ status: AuthorizationStatus, _ accuracy: AccuracyAuthorization?, servicesEnabled: Bool, hasSource: Bool
    ) -> AccuracyLevel {
        guard servicesEnabled, hasSource else { return .none }
        return switch status {
        case .denied, .restricted: .none
        case .notDetermined, .authorizedAlways, .authorizedWhenInUse: accuracy == .reduced ? .city : .exact
        }
    }
}
