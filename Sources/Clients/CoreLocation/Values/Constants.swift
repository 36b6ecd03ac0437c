// SPDX-License-Identifier: Apache-2.0
// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// As exact as can be, with every sensor there is; a wish for `desiredAccuracy`.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// As exact as the receiver can be; the default of `desiredAccuracy`.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// Within ten metres.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// Within a hundred metres.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// Within a kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
/// Within three kilometres.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
/// The coarse view that an app without full accuracy gets: a marker, not a number of metres to compare with.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 6_380_000

/// Every location is told, however near to the one before.
public let kCLDistanceFilterNone: CLLocationDistance = -1
/// Every heading is told, however near to the one before.
public let kCLHeadingFilterNone: CLLocationDegrees = -1

/// No limit of distance, for `allowDeferredLocationUpdates(untilTraveled:timeout:)`.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
/// No limit of time, for `allowDeferredLocationUpdates(untilTraveled:timeout:)`.
public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude

/// No place: `CLLocationCoordinate2DIsValid(_:)` is false for it.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)
