// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Testing

@Suite("The interface of live updates, monitors and sessions")
struct StreamInterfaceTests {
    @Test("has Apple's live updates")
    func updates() {
        isStream(CLLocationUpdate.Updates.self, of: CLLocationUpdate.self)
        let _: (CLLocationUpdate.LiveConfiguration) -> CLLocationUpdate.Updates = CLLocationUpdate.liveUpdates(_:)
        let _: CLLocationUpdate.Updates = CLLocationUpdate.liveUpdates()
        let _: CLLocationUpdate.Updates.AsyncIterator.Type = CLLocationUpdate.Updates.Iterator.self
        let _: [CLLocationUpdate.LiveConfiguration] = [
            .default, .automotiveNavigation, .otherNavigation, .fitness, .airborne,
        ]
        isHashable(CLLocationUpdate.LiveConfiguration.self)
        isSendable(CLLocationUpdate.LiveConfiguration.self)
    }

    @Test("has Apple's flags of a live update, which programs can compare and write as they like")
    func update() {
        let location: KeyPath<CLLocationUpdate, CLLocation?> = \.location
        let flags: [KeyPath<CLLocationUpdate, Bool>] = [
            \.stationary, \.authorizationDenied, \.authorizationDeniedGlobally, \.authorizationRestricted,
            \.authorizationRequestInProgress, \.insufficientlyInUse, \.serviceSessionRequired, \.accuracyLimited,
            \.locationUnavailable,
        ]
        #expect(!canSet(location) && !flags.contains(where: canSet))
        isSendable(CLLocationUpdate.self)
        #expect(isBare(CLLocationUpdate.self))
    }

    @Test("still has the flag that Apple has renamed")
    @available(*, deprecated, message: "uses what is deprecated")
    func deprecated() {
        let _: KeyPath<CLLocationUpdate, Bool> = \.isStationary
    }

    @Test("has Apple's monitor, an actor")
    func monitor() {
        isActor(CLMonitor.self)
        isStream(CLMonitor.Events.self, of: CLMonitor.Event.self)
        let _: CLMonitor.Events.AsyncIterator.Type = CLMonitor.Events.Iterator.self
        let _: (String) async -> CLMonitor = { await CLMonitor($0) }
        let _: (CLMonitor) async -> [String] = { await $0.identifiers }
        let _: (CLMonitor) async -> CLMonitor.Events = { await $0.events }
        let _: (CLMonitor, any CLCondition, String) async -> Void = { await $0.add($1, identifier: $2) }
        let _: (CLMonitor, any CLCondition, String, CLMonitor.Event.State) async -> Void = {
            await $0.add($1, identifier: $2, assuming: $3)
        }
        let _: (CLMonitor, String) async -> Void = { await $0.remove($1) }
        let _: (CLMonitor, String) async -> CLMonitor.Record? = { await $0.record(for: $1) }
    }

    @Test("has Apple's events and records of a monitor")
    func event() {
        let _: KeyPath<CLMonitor.Record, any CLCondition> = \.condition
        let _: KeyPath<CLMonitor.Record, CLMonitor.Event> = \.lastEvent
        let _: KeyPath<CLMonitor.Event, String> = \.identifier
        let _: KeyPath<CLMonitor.Event, (any CLCondition)?> = \.refinement
        let _: KeyPath<CLMonitor.Event, CLMonitor.Event.State> = \.state
        let _: KeyPath<CLMonitor.Event, Date> = \.date
        let flags: [KeyPath<CLMonitor.Event, Bool>] = [
            \.authorizationDenied, \.authorizationDeniedGlobally, \.authorizationRestricted,
            \.authorizationRequestInProgress, \.insufficientlyInUse, \.serviceSessionRequired, \.accuracyLimited,
            \.conditionUnsupported, \.conditionLimitExceeded, \.persistenceUnavailable,
        ]
        #expect(!flags.contains(where: canSet))
        let states: [CLMonitor.Event.State] = [.unknown, .satisfied, .unsatisfied, .unmonitored]
        #expect(states.map(\.rawValue) == [0, 1, 2, 3])
        isSendable(CLMonitor.Event.self)
        isSendable(CLMonitor.Record.self)
        #expect(isBare(CLMonitor.Event.self) && isBare(CLMonitor.Record.self))
    }

    @Test("has Apple's conditions, which are Codable and cannot be compared")
    func conditions() throws {
        func isCondition<C: CLCondition>(_: C.Type) where C: Codable & Sendable {}
        isCondition(CLMonitor.CircularGeographicCondition.self)
        isCondition(CLMonitor.BeaconIdentityCondition.self)
        typealias Circle = CLMonitor.CircularGeographicCondition
        let _: (CLLocationCoordinate2D, CLLocationDistance) -> Circle = Circle.init(center:radius:)
        let _: KeyPath<Circle, CLLocationCoordinate2D> = \.center
        let _: KeyPath<Circle, CLLocationDistance> = \.radius
        typealias Beacon = CLMonitor.BeaconIdentityCondition
        let _: (UUID) -> Beacon = Beacon.init(uuid:)
        let _: (UUID, UInt16) -> Beacon = Beacon.init(uuid:major:)
        let _: (UUID, UInt16, UInt16) -> Beacon = Beacon.init(uuid:major:minor:)
        let _: KeyPath<Beacon, UUID> = \.uuid
        let _: [KeyPath<Beacon, UInt16?>] = [\.major, \.minor]
        let types: [Any.Type] = [Circle.self, Beacon.self]
        for type in types { #expect(!(type is any Equatable.Type)) }
    }

    @Test("has Apple's service session")
    func serviceSession() {
        typealias Session = CLServiceSession
        isSendable(Session.self)
        isHashable(Session.AuthorizationRequirement.self)
        let _: [Session.AuthorizationRequirement] = [.none, .whenInUse, .always]
        let _: (Session.AuthorizationRequirement) -> Session = Session.init(authorization:)
        let _: (Session.AuthorizationRequirement, String) -> Session =
            Session.init(authorization:fullAccuracyPurposeKey:)
        let _: (Session) -> () -> Void = Session.invalidate
        let _: KeyPath<Session, Session.Diagnostics> = \.diagnostics
        isStream(Session.Diagnostics.self, of: Session.Diagnostic.self)
        let flags: [KeyPath<Session.Diagnostic, Bool>] = [
            \.authorizationDenied, \.authorizationDeniedGlobally, \.authorizationRestricted,
            \.authorizationRequestInProgress, \.insufficientlyInUse, \.serviceSessionRequired, \.fullAccuracyDenied,
            \.alwaysAuthorizationDenied,
        ]
        #expect(!flags.contains(where: canSet) && isBare(Session.Diagnostic.self))
    }

    @Test("has Apple's background activity session")
    func backgroundSession() {
        typealias Session = CLBackgroundActivitySession
        isSendable(Session.self)
        let _: () -> Session = Session.init
        let _: (Session) -> () -> Void = Session.invalidate
        let _: KeyPath<Session, Session.Diagnostics> = \.diagnostics
        isStream(Session.Diagnostics.self, of: Session.Diagnostic.self)
        let flags: [KeyPath<Session.Diagnostic, Bool>] = [
            \.authorizationDenied, \.authorizationDeniedGlobally, \.authorizationRestricted,
            \.authorizationRequestInProgress, \.insufficientlyInUse, \.serviceSessionRequired,
        ]
        #expect(!flags.contains(where: canSet) && isBare(Session.Diagnostic.self))
    }
}
