// SPDX-License-Identifier: Apache-2.0
public import CoreLocation
import LocationClient
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices
import Synchronization

// Single errors, which an app meets seldom and has to be ready for.
extension CLSimulation {
    /// Every manager that has standard updates or waits for `requestLocation()` is told that they failed: `locationManager(_:didFailWithError:)`.
    /// Updates go on.
    ///
    /// - Parameter code: `locationUnknown`, for instance, or `network`; a code that no service of the daemon tells is told, too.
    public func failUpdates(with code: CLError.Code = .locationUnknown) async {
        await fail("updates fail: \(code)") { daemon in
            daemon.tellFailure(code, source: .standard) { $0.wants(.standard) || $0.wants(.request) }
        }
    }

    /// Every manager that has headings is told `headingFailure`. They go on when the next one is fed.
    public func failHeading() async {
        await fail("heading fails") { $0.tellFailure(.headingFailure, source: nil) { $0.wants(nil) } }
    }

    /// Monitoring a region fails: `locationManager(_:monitoringDidFailFor:withError:)`. The region stays monitored.
    ///
    /// - Parameters:
    ///   - identifier: The region's; one that no app monitors fails nowhere.
    ///   - code: `regionMonitoringSetupDelayed`, `regionMonitoringFailure` or another one.
    /// - Returns: Whether somebody was told.
    @discardableResult
    public func failMonitoring(
        of identifier: String, with code: CLError.Code = .regionMonitoringSetupDelayed
    ) async -> Bool {
        await fail("monitoring \(identifier) fails: \(code)") { $0.tellMonitoringFailure(of: identifier, code) }
    }

    /// From now on the daemon answers late: each of its lines comes so many seconds of simulated time later, in their order.
    ///
    /// - Parameter seconds: Not negative; 0: at once, behind what is still on its way.
    public func delayAnswers(by seconds: TimeInterval) async {
        precondition(seconds >= 0, "cannot answer \(seconds) s late: it is not negative")
        await fail("answers \(seconds) s late") { $0.answerDelay = .seconds(seconds) }
    }

    @discardableResult
    private func fail<Result: Sendable>(_ text: String, _ body: (SimulatedDaemon) -> Result) async -> Result {
        await settle()
        let result = transport.daemon.withLock { daemon in
            daemon.note(.daemon, text)
            return body(daemon)
        }
        await settle()
        return result
    }
}

extension SimulatedDaemon {
    fileprivate func tellFailure(
        _ code: CLError.Code, source: LocationSource?, to isMeant: (ManagerRecord) -> Bool
    ) {
        let line = NotificationWriter.didFailWithError(code.error, source: source)
        for manager in service.managers.all
        where manager.app != nil && isMeant(service.engine.record(of: manager.id)) {
            tell(manager, line)
        }
    }

    fileprivate func tellMonitoringFailure(of identifier: String, _ code: CLError.Code) -> Bool {
        var isTold = false
        for manager in service.managers.all {
            guard let app = manager.app,
                let region = service.engine.monitoredRegions(of: app).first(where: { $0.identifier == identifier })
            else { continue }
            tell(manager, NotificationWriter.monitoringDidFail(region, code.error))
            isTold = true
        }
        return isTold
    }
}

extension CLError.Code {
    fileprivate var error: LocationError { LocationError(LocationErrorCode(rawValue: rawValue)) }
}
