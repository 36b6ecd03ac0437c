// SPDX-License-Identifier: Apache-2.0
// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Names that code from the days before Swift's own spellings still has.

/// The old spelling of `CLActivityType.other`.
@available(*, deprecated, renamed: "CLActivityType.other")
public let CLActivityTypeOther = CLActivityType.other
/// The old spelling of `CLActivityType.automotiveNavigation`.
@available(*, deprecated, renamed: "CLActivityType.automotiveNavigation")
public let CLActivityTypeAutomotiveNavigation = CLActivityType.automotiveNavigation
/// The old spelling of `CLActivityType.fitness`.
@available(*, deprecated, renamed: "CLActivityType.fitness")
public let CLActivityTypeFitness = CLActivityType.fitness
/// The old spelling of `CLActivityType.otherNavigation`.
@available(*, deprecated, renamed: "CLActivityType.otherNavigation")
public let CLActivityTypeOtherNavigation = CLActivityType.otherNavigation
/// The old spelling of `CLActivityType.airborne`.
@available(*, deprecated, renamed: "CLActivityType.airborne")
public let CLActivityTypeAirborne = CLActivityType.airborne

/// The old spelling of `CLAuthorizationStatus.notDetermined`.
@available(*, deprecated, renamed: "CLAuthorizationStatus.notDetermined")
public let kCLAuthorizationStatusNotDetermined = CLAuthorizationStatus.notDetermined
/// The old spelling of `CLAuthorizationStatus.restricted`.
@available(*, deprecated, renamed: "CLAuthorizationStatus.restricted")
public let kCLAuthorizationStatusRestricted = CLAuthorizationStatus.restricted
/// The old spelling of `CLAuthorizationStatus.denied`.
@available(*, deprecated, renamed: "CLAuthorizationStatus.denied")
public let kCLAuthorizationStatusDenied = CLAuthorizationStatus.denied
/// The old spelling of `CLAuthorizationStatus.authorizedAlways`.
@available(*, deprecated, renamed: "CLAuthorizationStatus.authorizedAlways")
public let kCLAuthorizationStatusAuthorized = CLAuthorizationStatus.authorizedAlways
/// The old spelling of `CLAuthorizationStatus.authorizedAlways`.
@available(*, deprecated, renamed: "CLAuthorizationStatus.authorizedAlways")
public let kCLAuthorizationStatusAuthorizedAlways = CLAuthorizationStatus.authorizedAlways
/// The old spelling of `CLAuthorizationStatus.authorizedWhenInUse`.
@available(*, deprecated, renamed: "CLAuthorizationStatus.authorizedWhenInUse")
public let kCLAuthorizationStatusAuthorizedWhenInUse = CLAuthorizationStatus.authorizedWhenInUse
