// SPDX-License-Identifier: Apache-2.0
import CoreLocation

/// One location, awaited.
@MainActor
final class OneShot: NSObject {
    private let manager = CLLocationManager()
    private var waiting: CheckedContinuation<CLLocation, Error>?

    override init() {
        super.init()
        manager.delegate = self
    }

    func location() async throws -> CLLocation {
        try await withCheckedThrowingContinuation { continuation in
            waiting = continuation
            manager.requestLocation()
        }
    }

    func describe() async -> String {
        do {
            let found = try await location()
            return "\(found.coordinate.latitude), \(found.coordinate.longitude)"
        } catch CLError.denied {
            return "denied"
        } catch CLError.locationUnknown, CLError.headingFailure {
            return "unknown"
        } catch let error as CLError where error.code == .network {
            return "network"
        } catch let error as CLError {
            return "\(error.code.rawValue)"
        } catch {
            return error.localizedDescription
        }
    }
}

extension OneShot: CLLocationManagerDelegate {
    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        MainActor.assumeIsolated {
            if let location = locations.first { waiting?.resume(returning: location) }
            waiting = nil
        }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        MainActor.assumeIsolated {
            waiting?.resume(throwing: error)
            waiting = nil
        }
    }
}

/// Consent, awaited, and full accuracy for a while.
@MainActor
final class Consent: NSObject, @preconcurrency CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private var waiting: CheckedContinuation<CLAuthorizationStatus, Never>?

    func ask() async -> CLAuthorizationStatus {
        manager.delegate = self
        guard manager.authorizationStatus == .notDetermined else { return manager.authorizationStatus }
        return await withCheckedContinuation {
            waiting = $0
            manager.requestWhenInUseAuthorization()
        }
    }

    func precisely() async throws -> Bool {
        guard manager.accuracyAuthorization == .reducedAccuracy else { return true }
        try await manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "route")
        return manager.accuracyAuthorization == .fullAccuracy
    }

    func preciselyOfOld() {
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "route")
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "route") { error in
            if let error = error as? CLError, error.code == .promptDeclined { print("nobody was asked") }
        }
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        guard manager.authorizationStatus != .notDetermined else { return }
        waiting?.resume(returning: manager.authorizationStatus)
        waiting = nil
    }
}
