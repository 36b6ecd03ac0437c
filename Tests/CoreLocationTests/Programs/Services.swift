// SPDX-License-Identifier: Apache-2.0
import CoreLocation

/// What a program's own tests put in place of an update.
protocol AnyUpdate: Sendable {
    var location: CLLocation? { get }
    var stationary: Bool { get }
    var authorizationDenied: Bool { get }
}

extension CLLocationUpdate: AnyUpdate {}

/// A service that is handed a way to get updates.
struct UpdateClient: Sendable {
    var updates: @Sendable () -> AsyncThrowingStream<any AnyUpdate, any Error>

    static let live = UpdateClient {
        AsyncThrowingStream { continuation in
            let work = Task {
                do {
                    for try await update in CLLocationUpdate.liveUpdates() { continuation.yield(update) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }
}

func anyUpdates() -> any AsyncSequence<CLLocationUpdate, any Error> { CLLocationUpdate.liveUpdates() }
func someUpdates() -> some AsyncSequence<CLLocationUpdate, any Error> & Sendable {
    CLLocationUpdate.liveUpdates(.fitness)
}

/// The first location, or none after a while.
func location(within limit: Duration) async throws -> CLLocation? {
    try await withThrowingTaskGroup(of: CLLocation?.self) { group in
        group.addTask { try await CLLocationUpdate.liveUpdates().first { $0.location != nil }?.location }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
    }
}

/// A class that keeps its session under a lock.
final class ConsentKeeper: @unchecked Sendable {
    private let lock = NSLock()
    private var session: CLServiceSession?
    private var work: Task<Void, Never>?
    private var anything: Any?

    func open(_ requirement: CLServiceSession.AuthorizationRequirement) {
        let opened = CLServiceSession(authorization: requirement)
        let work = Task { await Self.read(opened.diagnostics) }
        lock.withLock {
            session = opened
            anything = opened
            self.work = work
        }
    }

    func close() {
        lock.withLock { (anything as? CLServiceSession)?.invalidate() }
        work?.cancel()
    }

    private static func read(_ diagnostics: CLServiceSession.Diagnostics) async {
        do {
            for try await diagnostic in diagnostics { print(diagnostic.insufficientlyInUse) }
        } catch { print(error) }
    }
}

/// An actor that opens its monitor once, whoever asks first.
actor OneMonitor {
    private var opening: Task<CLMonitor, Never>?
    private var optional: CLMonitor?

    private func monitor() async -> CLMonitor {
        if let opening { return await opening.value }
        let task = Task { await CLMonitor("one") }
        opening = task
        return await task.value
    }

    func follow() async {
        await optional?.add(CLMonitor.BeaconIdentityCondition(uuid: UUID(), major: 1), identifier: "desk")
        let monitor = await monitor()
        Task.detached {
            for try await event in await monitor.events { await self.note(event) }
        }
    }

    private func note(_ event: CLMonitor.Event) {
        if #available(iOS 18, macOS 15, *), event.state == .satisfied { print(event) }
    }
}

/// A manager with an initialiser of its own.
nonisolated class ConfiguredManager: CLLocationManager {
    let purpose: String

    init(purpose: String) {
        self.purpose = purpose
        super.init()
        desiredAccuracy = kCLLocationAccuracyThreeKilometers
        activityType = .airborne
    }
}

extension CLError.Code: @retroactive Error {}

func sentence(_ code: CLError.Code) -> String {
    switch code {
    case .locationUnknown, .denied, .network, .headingFailure: "location"
    case .regionMonitoringDenied, .regionMonitoringFailure, .regionMonitoringSetupDelayed,
        .regionMonitoringResponseDelayed:
        "regions"
    case .geocodeFoundNoResult, .geocodeFoundPartialResult, .geocodeCanceled: "places"
    case .deferredFailed, .deferredNotUpdatingLocation, .deferredAccuracyTooLow, .deferredDistanceFiltered,
        .deferredCanceled:
        "deferral"
    case .rangingUnavailable, .rangingFailure: "beacons"
    case .promptDeclined, .historicalLocationError: "others"
    @unknown default: "new"
    }
}

func isRefused(_ error: any Error) -> Bool {
    switch error {
    case CLError.denied, CLError.regionMonitoringDenied: true
    case let error as CLError where error.code == .promptDeclined: true
    case let error as NSError where error.domain == kCLErrorDomain: error.code == CLError.denied.rawValue
    default: false
    }
}

func archived(_ location: CLLocation) throws -> CLLocation? {
    let data = try NSKeyedArchiver.archivedData(withRootObject: location, requiringSecureCoding: true)
    return try NSKeyedUnarchiver.unarchivedObject(ofClass: CLLocation.self, from: data)
}

func simulated() -> CLLocation {
    CLLocation(
        coordinate: .init(latitude: 1, longitude: 2), altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5,
        course: 6,
        courseAccuracy: 7, speed: 8, speedAccuracy: 9, timestamp: .now,
        sourceInfo: CLLocationSourceInformation(softwareSimulationState: true, andExternalAccessoryState: false))
}
