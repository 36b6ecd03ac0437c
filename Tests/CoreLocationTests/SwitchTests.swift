// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Testing

/// Written as for Apple's enumerations, which all are open: above all it has to compile, where every warning is an error.
@Suite("A switch over each of Apple's cases, with @unknown default")
struct SwitchTests {
    private func name(_ status: CLAuthorizationStatus) -> String {
        switch status {
        case .notDetermined: "notDetermined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorizedAlways: "authorizedAlways"
        case .authorizedWhenInUse: "authorizedWhenInUse"
        @unknown default: "?"
        }
    }

    private func name(_ accuracy: CLAccuracyAuthorization) -> String {
        switch accuracy {
        case .fullAccuracy: "fullAccuracy"
        case .reducedAccuracy: "reducedAccuracy"
        @unknown default: "?"
        }
    }

    private func name(_ activity: CLActivityType) -> String {
        switch activity {
        case .other: "other"
        case .automotiveNavigation: "automotiveNavigation"
        case .fitness: "fitness"
        case .otherNavigation: "otherNavigation"
        case .airborne: "airborne"
        @unknown default: "?"
        }
    }

    private func isAboutRegions(_ code: CLError.Code) -> Bool {
        switch code {
        case .regionMonitoringDenied, .regionMonitoringFailure, .regionMonitoringSetupDelayed,
            .regionMonitoringResponseDelayed:
            true
        case .locationUnknown, .denied, .network, .headingFailure, .geocodeFoundNoResult, .geocodeFoundPartialResult,
            .geocodeCanceled, .deferredFailed, .deferredNotUpdatingLocation, .deferredAccuracyTooLow,
            .deferredDistanceFiltered, .deferredCanceled, .rangingUnavailable, .rangingFailure, .promptDeclined,
            .historicalLocationError:
            false
        @unknown default: false
        }
    }

    private func name(_ state: CLRegionState) -> String {
        switch state {
        case .unknown: "unknown"
        case .inside: "inside"
        case .outside: "outside"
        @unknown default: "?"
        }
    }

    private func name(_ state: CLMonitor.Event.State) -> String {
        switch state {
        case .unknown: "unknown"
        case .satisfied: "satisfied"
        case .unsatisfied: "unsatisfied"
        case .unmonitored: "unmonitored"
        @unknown default: "?"
        }
    }

    private func name(_ configuration: CLLocationUpdate.LiveConfiguration) -> String {
        switch configuration {
        case .default: "default"
        case .automotiveNavigation: "automotiveNavigation"
        case .otherNavigation: "otherNavigation"
        case .fitness: "fitness"
        case .airborne: "airborne"
        @unknown default: "?"
        }
    }

    private func name(_ requirement: CLServiceSession.AuthorizationRequirement) -> String {
        switch requirement {
        case .none: "none"
        case .whenInUse: "whenInUse"
        case .always: "always"
        @unknown default: "?"
        }
    }

    @Test("meets no case that it does not know")
    func names() {
        #expect((0...4).count { CLAuthorizationStatus(rawValue: $0).map(name) ?? "?" != "?" } == 5)
        #expect((0...1).count { CLAccuracyAuthorization(rawValue: $0).map(name) ?? "?" != "?" } == 2)
        #expect((1...5).count { CLActivityType(rawValue: $0).map(name) ?? "?" != "?" } == 5)
        #expect((0...19).compactMap { CLError.Code(rawValue: $0) }.count(where: isAboutRegions) == 4)
        #expect((0...2).compactMap { CLRegionState(rawValue: $0).map(name) } == ["unknown", "inside", "outside"])
        #expect((UInt(0)...3).count { CLMonitor.Event.State(rawValue: $0).map(name) ?? "?" != "?" } == 4)
        #expect(name(CLLocationUpdate.LiveConfiguration.fitness) == "fitness")
        #expect(name(CLServiceSession.AuthorizationRequirement.whenInUse) == "whenInUse")
    }
}
