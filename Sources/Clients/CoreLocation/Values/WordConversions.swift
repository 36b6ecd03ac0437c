// SPDX-License-Identifier: Apache-2.0
package import LocationModel

extension CLAuthorizationStatus {
    /// The status that the daemon tells.
    package init(_ status: AuthorizationStatus) {
        self =
            switch status {
            case .notDetermined: .notDetermined
            case .restricted: .restricted
            case .denied: .denied
            case .authorizedAlways: .authorizedAlways
            case .authorizedWhenInUse: .authorizedWhenInUse
            }
    }

    /// The status as the daemon has it.
    package var modelled: AuthorizationStatus {
        switch self {
        case .notDetermined: .notDetermined
        case .restricted: .restricted
        case .denied: .denied
        case .authorizedAlways: .authorizedAlways
        case .authorizedWhenInUse: .authorizedWhenInUse
        }
    }
}

extension CLAccuracyAuthorization {
    /// The accuracy that the daemon tells; nil, which it tells while nobody has decided about the app, is full accuracy.
    package init(_ accuracy: AccuracyAuthorization?) {
        self =
            switch accuracy {
            case .full, nil: .fullAccuracy
            case .reduced: .reducedAccuracy
            }
    }

    /// The accuracy as the daemon has it.
    package var modelled: AccuracyAuthorization {
        switch self {
        case .fullAccuracy: .full
        case .reducedAccuracy: .reduced
        }
    }
}

extension CLActivityType {
    /// The activity that the daemon tells.
    package init(_ activity: ActivityType) {
        self =
            switch activity {
            case .other: .other
            case .automotiveNavigation: .automotiveNavigation
            case .fitness: .fitness
            case .otherNavigation: .otherNavigation
            case .airborne: .airborne
            }
    }

    /// The activity as the daemon has it.
    package var modelled: ActivityType {
        switch self {
        case .other: .other
        case .automotiveNavigation: .automotiveNavigation
        case .fitness: .fitness
        case .otherNavigation: .otherNavigation
        case .airborne: .airborne
        }
    }
}

extension CLRegionState {
    /// The state that the daemon tells.
    package init(_ state: RegionState) {
        self =
            switch state {
            case .unknown: .unknown
            case .inside: .inside
            case .outside: .outside
            }
    }

    /// The state as the daemon has it.
    package var modelled: RegionState {
        switch self {
        case .unknown: .unknown
        case .inside: .inside
        case .outside: .outside
        }
    }
}
