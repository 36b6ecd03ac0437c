// SPDX-License-Identifier: Apache-2.0

/// A latitude, a longitude, or a difference of them, degrees.
public typealias CLLocationDegrees = Double
/// A length, metres.
public typealias CLLocationDistance = Double
/// A speed over ground, metres per second; negative: unknown.
public typealias CLLocationSpeed = Double
/// How exact a speed is, metres per second; negative: unknown.
public typealias CLLocationSpeedAccuracy = Double
/// A direction, degrees clockwise from north, 0 to < 360; negative: unknown.
public typealias CLLocationDirection = Double
/// How exact a direction is, degrees; negative: unknown.
public typealias CLLocationDirectionAccuracy = Double
/// How exact a place is, or is wished to be, metres; negative: unknown, or one of the markers such as
/// `kCLLocationAccuracyBest`.
public typealias CLLocationAccuracy = Double
/// One component of a magnetic field, microtesla.
public typealias CLHeadingComponentValue = Double
/// The more significant number of a beacon.
public typealias CLBeaconMajorValue = UInt16
/// The less significant number of a beacon.
public typealias CLBeaconMinorValue = UInt16
