// SPDX-License-Identifier: Apache-2.0
import CoreLocation

/// An activity in the background, held in a property.
@MainActor
final class Workout {
    private var background: CLBackgroundActivitySession?
    private var service: CLServiceSession?
    private(set) var isRunning = false
    private var work: Task<Void, Never>?

    func start() {
        isRunning = true
        background = CLBackgroundActivitySession()
        service = CLServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: "workout")
        work = Task { [weak self] in
            do {
                for try await update in CLLocationUpdate.liveUpdates(.fitness) {
                    guard let self, isRunning else { break }
                    print(update.location?.speed ?? -1)
                }
            } catch {
                print(error)
            }
        }
    }

    func stop() {
        isRunning = false
        work?.cancel()
        background?.invalidate()
        background = nil
        service?.invalidate()
        service = nil
    }
}

func need(_ requirement: CLServiceSession.AuthorizationRequirement) async throws -> Bool {
    let session = CLServiceSession(authorization: requirement)
    for try await diagnostic in session.diagnostics {
        if diagnostic.authorizationRequestInProgress { continue }
        let isRefused = diagnostic.authorizationDenied || diagnostic.authorizationDeniedGlobally
        let isLess = diagnostic.fullAccuracyDenied || diagnostic.alwaysAuthorizationDenied
        return !isRefused && !isLess && !diagnostic.authorizationRestricted && !diagnostic.insufficientlyInUse
    }
    return false
}

func watch(_ session: CLBackgroundActivitySession) async throws {
    for try await diagnostic in session.diagnostics where diagnostic.serviceSessionRequired { print("no session") }
}

func text(_ requirement: CLServiceSession.AuthorizationRequirement) -> String {
    switch requirement {
    case .none: "none"
    case .whenInUse: "in use"
    case .always: "always"
    @unknown default: "new"
    }
}
