// SPDX-License-Identifier: Apache-2.0
public import Dispatch
public import Foundation
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
internal import Synchronization

/// Starts and stops location services, and tells its delegate what they say.
///
/// Calls return at once. Nothing that a manager says is lost while the location daemon is restarted; while there is none, the
/// manager waits for it, and says so to who waits for something (`CLError.network`). A manager that is let go of ends its
/// services, but for regions, visits and significant changes that the app is to be woken for, and calls nobody any more.
open class CLLocationManager: NSObject {
    let core: ManagerCore

    // MARK: Making a manager

    /// A manager that calls its delegate where it is made.
    ///
    /// On the main thread, on the main queue and inside of tasks: on the main thread, by RunLoop.main, or by the main queue,
    /// which dispatchMain() and the main actor serve. On another thread: on its run loop, which it has to run; if it has not
    /// begun to two seconds after something is due, that is said on standard error, and the main queue steps in until it does.
    public override init() {
        core = ManagerCore(at: placeOfCurrentThread(), log: .ofManagers)
        super.init()
        core.begin(for: self)
    }

    /// A manager that calls its delegate on `queue`, one call at a time, also if it is concurrent. Only here, not on Apple's
    /// systems, and not for subclasses.
    public convenience init(deliveringOn queue: DispatchQueue) {
        self.init(at: queue === DispatchQueue.main ? MainPlace() : QueuePlace(queue))
    }

    /// A manager that calls its delegate isolated to `actor`, which it does not keep alive. Only here, not on Apple's systems,
    /// and not for subclasses.
    ///
    /// In the delegate, `assumeIsolated` of the actor holds. Once the actor is gone, nothing is called.
    public convenience init(deliveringOn actor: any Actor) { self.init(at: ActorPlace(actor)) }

    // For programs init() has to be the only designated initialiser, as on Apple's systems: a subclass may then leave super.init() out,
    // as mocks do.
    private init(at place: any DeliveryPlace) {
        core = ManagerCore(at: place, log: .ofManagers)
        super.init()
        core.begin(for: self)
    }

    /// A manager of the given session.
    init(
        at place: any DeliveryPlace, log: DeliveryLog, of application: CLApplicationInfo = CLApplicationInfo(),
        _ makeSession: (@escaping @Sendable (SessionEvent) -> Void) -> any ManagerSession
    ) {
        core = ManagerCore(at: place, log: log)
        super.init()
        core.begin(for: self, of: application, makeSession)
    }

    deinit {
        core.noteEarlyEnd()
        core.close()
    }

    /// Whom the manager tells; it is not kept alive. nil by default.
    open var delegate: (any CLLocationManagerDelegate)? {
        get { core.delegate }
        set { core.delegate = newValue }
    }

    // MARK: What the daemon says

    /// The app's authorization. Reading it waits up to a second for a daemon that is being asked for the first time; without one:
    /// `notDetermined`.
    open var authorizationStatus: CLAuthorizationStatus { core.authorization.status }
    /// How precisely the app may know where the device is; `fullAccuracy` as long as nobody has decided.
    open var accuracyAuthorization: CLAccuracyAuthorization { core.authorization.accuracy }
    /// Whether a widget may have locations: false, there are none here.
    open var isAuthorizedForWidgetUpdates: Bool { false }
    /// The newest location that this manager told, or before any the last one that the daemon knows and the app may see.
    open var location: CLLocation? { core.location }
    /// The newest heading that this manager told.
    open var heading: CLHeading? { core.state.withLock { $0.heading } }
    /// The regions of the app, of all its managers, also of earlier runs.
    open var monitoredRegions: Set<CLRegion> { core.monitoredRegions }
    /// The largest radius of a region, metres; -1: regions cannot be watched, or no daemon has answered yet.
    open var maximumRegionMonitoringDistance: CLLocationDistance {
        core.capabilities?.maximumRegionMonitoringDistance ?? -1
    }

    // MARK: Standard updates

    /// How precise locations should be, metres or one of the constants; `kCLLocationAccuracyBest` by default, or
    /// `kCLLocationAccuracyReduced` if the application declares `NSLocationDefaultAccuracyReduced`.
    ///
    /// A wish, never a filter. NaN, 0 and negative numbers that are no constant change nothing.
    open var desiredAccuracy: CLLocationAccuracy {
        get { core.state.withLock { $0.properties.desiredAccuracy.number } }
        set {
            guard let accuracy = DesiredAccuracy(number: newValue) else {
                return core.refuse("desiredAccuracy", newValue)
            }
            core.change(PropertiesPatch(desiredAccuracy: accuracy))
        }
    }
    /// How far the device has to move before the next location is told, metres; `kCLDistanceFilterNone` by default, as is any
    /// negative number. NaN and infinity change nothing.
    open var distanceFilter: CLLocationDistance {
        get { core.state.withLock { $0.properties.distanceFilter } }
        set {
            guard newValue.isFinite else { return core.refuse("distanceFilter", newValue) }
            core.change(PropertiesPatch(distanceFilter: max(newValue, kCLDistanceFilterNone)))
        }
    }
    /// The kind of movement that the device is used for; `other` by default.
    open var activityType: CLActivityType {
        get { CLActivityType(core.state.withLock { $0.properties.activityType }) }
        set { core.change(PropertiesPatch(activityType: newValue.modelled)) }
    }
    /// Whether standard updates may rest while the device does; true by default. They go on by themselves.
    open var pausesLocationUpdatesAutomatically: Bool {
        get { core.state.withLock { $0.properties.pausesLocationUpdatesAutomatically } }
        set { core.change(PropertiesPatch(pausesLocationUpdatesAutomatically: newValue)) }
    }
    /// Whether standard updates go on while the app is not in use; false by default.
    open var allowsBackgroundLocationUpdates: Bool {
        get { core.state.withLock { $0.properties.allowsBackgroundLocationUpdates } }
        set { core.change(PropertiesPatch(allowsBackgroundLocationUpdates: newValue)) }
    }
    /// Kept, and without effect: there is no indicator here. false by default.
    open var showsBackgroundLocationIndicator: Bool {
        get { core.state.withLock { $0.showsBackgroundLocationIndicator } }
        set { core.state.withLock { $0.showsBackgroundLocationIndicator = newValue } }
    }

    /// Starts the standard service: `didUpdateLocations`, or `didFailWithError`.
    open func startUpdatingLocation() {
        core.state.withLock {
            $0.endRequest()
            $0.hasStoppedStandard = false
        }
        core.start(.standard, .startUpdatingLocation(resumeAfter: nil))
    }

    /// Stops it, and cancels `requestLocation()`. Locations that are on their way are not told any more, but for what a deferral
    /// holds.
    open func stopUpdatingLocation() {
        core.state.withLock {
            $0.endRequest()
            $0.hasStoppedStandard = true
        }
        core.stop(.standard, .stopUpdatingLocation)
    }

    /// Asks for one location: ends in one `didUpdateLocations` with one location, or one `didFailWithError`. Without effect
    /// while standard updates run, which also cancel it.
    ///
    /// To have no delegate is a programmer's error: it stops the program where it is built for debugging.
    open func requestLocation() { core.requestLocation() }

    /// Lets locations be held back and told together, to wake the program less often. Standard updates have to run, with the
    /// best accuracy and no distance filter. Ends in exactly one `didFinishDeferredUpdatesWithError`.
    ///
    /// - Parameters:
    ///   - distance: Metres to travel; `CLLocationDistanceMax`: without limit.
    ///   - timeout: Seconds; `CLTimeIntervalMax`: without limit.
    open func allowDeferredLocationUpdates(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {
        core.allowDeferral(distance, timeout)
    }

    /// Ends the deferral, with what it holds.
    open func disallowDeferredLocationUpdates() { core.perform(.disallowDeferredLocationUpdates) }

    // MARK: Significant changes and visits

    /// Starts to tell when the device has moved by about 500 m, at most every five minutes.
    open func startMonitoringSignificantLocationChanges() {
        core.start(.significantChange, .startMonitoringSignificantLocationChanges)
    }

    /// Stops that.
    open func stopMonitoringSignificantLocationChanges() {
        core.stop(.significantChange, .stopMonitoringSignificantLocationChanges)
    }

    /// Starts to tell of arrivals and departures, for all managers of the app.
    open func startMonitoringVisits() { core.start(.visits, .startMonitoringVisits) }

    /// Stops that, for all managers of the app.
    open func stopMonitoringVisits() { core.stop(.visits, .stopMonitoringVisits) }

    // MARK: Heading

    /// How far the device has to turn before the next heading is told, degrees; 1 by default. `kCLHeadingFilterNone`, as is any
    /// negative number: every heading. NaN and infinity change nothing.
    open var headingFilter: CLLocationDegrees {
        get { core.state.withLock { $0.properties.headingFilter } }
        set {
            guard newValue.isFinite else { return core.refuse("headingFilter", newValue) }
            core.change(PropertiesPatch(headingFilter: max(newValue, kCLHeadingFilterNone)))
        }
    }
    /// Which side of the device headings are of; `portrait` by default. `unknown`, `faceUp` and `faceDown` change nothing.
    @available(*, deprecated, message: "Use headingBody")
    open var headingOrientation: CLDeviceOrientation {
        get { core.state.withLock { $0.headingFrame.orientation } }
        set {
            guard ![.unknown, .faceUp, .faceDown].contains(newValue) else { return }
            core.state.withLock { $0.headingFrame.orientation = newValue }
        }
    }

    /// The body that headings are of; nil by default. Kept and without effect: nothing here knows how a body is turned on the device.
    open var headingBody: (any CLBodyIdentifiable)? {
        get { core.state.withLock { $0.headingFrame }.body }
        set {
            let given = HeadingFrame(body: newValue)
            core.state.withLock { $0.headingFrame.body = given.body }
        }
    }

    /// Starts `didUpdateHeading`; where nothing measures a heading, nothing is called, and standard error says why.
    open func startUpdatingHeading() { core.start(.heading, .startUpdatingHeading) }

    /// Stops that.
    open func stopUpdatingHeading() { core.stop(.heading, .stopUpdatingHeading) }

    /// Without effect: nothing here asks a person to calibrate.
    open func dismissHeadingCalibrationDisplay() {}

    // MARK: Regions

    /// Watches a region, in place of one of the same identifier, until it is stopped, also in later runs. Ends in
    /// `didStartMonitoringFor` or `monitoringDidFailFor`.
    open func startMonitoring(for region: CLRegion) { core.startMonitoring(region) }

    /// No longer watches the region of this identifier.
    open func stopMonitoring(for region: CLRegion) { core.stopMonitoring(region.identifier) }

    /// Asks where the device is with respect to a region: `didDetermineState`.
    open func requestState(for region: CLRegion) {
        core.state.withLock { $0.hasRequestedState = true }
        core.perform(.requestState(identifier: region.identifier))
    }

    // MARK: Beacons

    /// The constraints that ranging was started for.
    open var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> {
        core.state.withLock { $0.ranging.constraints }
    }
    /// The regions that ranging was started for.
    @available(*, deprecated, message: "Use rangedBeaconConstraints")
    open var rangedRegions: Set<CLRegion> { core.state.withLock { $0.ranging.regions } }

    /// Tells once a second which of the beacons are heard: `locationManager(_:didRange:satisfying:)`. Fails with `rangingUnavailable` as long as
    /// nothing here hears beacons, and goes on by itself when something does.
    open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        core.startRanging(constraint.identity) { $0.insert(constraint) }
    }

    /// Stops that.
    open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        core.stopRanging(constraint.identity) { $0.remove(constraint) }
    }

    /// The older form of `startRangingBeacons(satisfying:)`: `locationManager(_:didRangeBeacons:in:)` is told.
    @available(*, deprecated, renamed: "startRangingBeacons(satisfying:)")
    open func startRangingBeacons(in region: CLBeaconRegion) {
        core.startRanging(region.identity) { $0.insert(region) }
    }

    /// Stops that.
    @available(*, deprecated, renamed: "stopRangingBeacons(satisfying:)")
    open func stopRangingBeacons(in region: CLBeaconRegion) {
        core.stopRanging(region.identity) { $0.remove(region) }
    }

    // MARK: Authorization

    /// Asks that the app may know where the device is while it is in use. Needs NSLocationWhenInUseUsageDescription.
    open func requestWhenInUseAuthorization() { core.request(.requestWhenInUseAuthorization) }

    /// Asks that the app may always know. Needs NSLocationAlwaysAndWhenInUseUsageDescription.
    open func requestAlwaysAuthorization() { core.request(.requestAlwaysAuthorization) }

    /// Asks for full accuracy for a while.
    ///
    /// - Parameters:
    ///   - purposeKey: A key of NSLocationTemporaryUsageDescriptionDictionary.
    ///   - completion: Called once, where the delegate is called, which with `init(deliveringOn:)` is not where this method is: then
    ///     use nothing in it that belongs to the caller's actor, or the method below, which returns there. nil: somebody was asked,
    ///     which does not mean granted. Else a `CLError`: `promptDeclined` if the key is missing, the accuracy is full already, or nobody can be asked.
    open func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String, completion: (((any Error)?) -> Void)? = nil
    ) {
        core.requestFullAccuracy(purposeKey, AccuracyCompletion { completion?($0) })
    }

    /// Asks for full accuracy for a while, and waits until somebody was asked, which does not mean granted.
    nonisolated(nonsending) open func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            core.requestFullAccuracy(
                purposeKey,
                AccuracyCompletion { error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                })
        }
    }

    // MARK: What this device can do

    /// Whether location services are on for the whole device: a person's switch. Asks the daemon, and waits up to a second; true where none
    /// answers, so that a program that begins before it does not give up.
    open class func locationServicesEnabled() -> Bool { ManagerRegistry.shared.locationServicesEnabled() }

    /// Whether something here measures headings.
    open class func headingAvailable() -> Bool { ManagerRegistry.shared.capabilities()?.heading ?? false }

    /// Whether significant changes can be told.
    open class func significantLocationChangeMonitoringAvailable() -> Bool {
        ManagerRegistry.shared.capabilities()?.significantLocationChangeMonitoring ?? false
    }

    /// Whether regions of a class can be watched: circles, polygons and beacons. Says nothing of what the app may do, nor whether something hears
    /// beacons now.
    ///
    /// While nothing but regions needs the receiver it sleeps between looks. Events then come seconds to minutes late, and a small region
    /// that is passed in a minute may be missed, above all on a drive that begins under a roof. Standard updates keep it awake.
    open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
        guard
            regionClass is CLCircularRegion.Type || regionClass is CLPolygonRegion.Type
                || regionClass is CLBeaconRegion.Type
        else { return false }
        return ManagerRegistry.shared.capabilities()?.regionMonitoring ?? true
    }

    /// Whether beacons can be ranged: something here heard them when this program connected.
    open class func isRangingAvailable() -> Bool { ManagerRegistry.shared.capabilities()?.ranging ?? false }

    /// Whether locations can be held back.
    open class func deferredLocationUpdatesAvailable() -> Bool {
        ManagerRegistry.shared.capabilities()?.deferredLocationUpdates ?? false
    }

    /// The app's authorization.
    @available(*, deprecated, message: "Use the property authorizationStatus of a manager")
    open class func authorizationStatus() -> CLAuthorizationStatus {
        ManagerRegistry.shared.authorizationStatus()
    }
}
