// SPDX-License-Identifier: Apache-2.0
internal import Foundation

extension CLError {
    /// The kinds of errors, with Core Location's numbers.
    @nonexhaustive(warn)
    public enum Code: Int, Sendable {
        /// There is no fix right now; the service goes on trying.
        case locationUnknown = 0
        /// The app may not know the location, or location services are off.
        case denied = 1
        /// The location daemon cannot be reached. Told after ten seconds, and at once to who begins something later in the same
        /// outage; services that run go on by themselves when it is back.
        case network = 2
        /// The heading cannot be told right now.
        case headingFailure = 3
        /// The app may not watch regions.
        case regionMonitoringDenied = 4
        /// The region cannot be watched: one too many, too large, of a kind that nothing here senses, or no region at all.
        case regionMonitoringFailure = 5
        /// The region is not watched yet.
        case regionMonitoringSetupDelayed = 6
        /// Events of the region will be told late. Not told here.
        case regionMonitoringResponseDelayed = 7
        /// Nothing is at the address. Not told here: there is no geocoder.
        case geocodeFoundNoResult = 8
        /// Something less than the address was found. Not told here: there is no geocoder.
        case geocodeFoundPartialResult = 9
        /// The search for an address was cancelled. Not told here: there is no geocoder.
        case geocodeCanceled = 10
        /// The deferral could not begin or broke: there is no recent fix.
        case deferredFailed = 11
        /// Standard updates are not running, or are paused.
        case deferredNotUpdatingLocation = 12
        /// `desiredAccuracy` is neither best nor bestForNavigation, or accuracy is reduced.
        case deferredAccuracyTooLow = 13
        /// A `distanceFilter` is set.
        case deferredDistanceFiltered = 14
        /// The app ended the deferral.
        case deferredCanceled = 15
        /// Nothing here hears beacons.
        case rangingUnavailable = 16
        /// Ranging beacons failed. Not told here.
        case rangingFailure = 17
        /// Nobody could be asked for full accuracy, or there was nothing to ask for.
        case promptDeclined = 18
        /// Past locations cannot be told. Not told here.
        case historicalLocationError = 19
    }
}

extension CLError.Code {
    /// Whether `error` is one of Core Location's with this code: `catch CLError.denied`.
    public static func ~= (match: CLError.Code, error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == kCLErrorDomain && error.code == match.rawValue
    }
}

extension CLError {
    /// See `Code`.
    public static var locationUnknown: Code { .locationUnknown }
    /// See `Code`.
    public static var denied: Code { .denied }
    /// See `Code`.
    public static var network: Code { .network }
    /// See `Code`.
    public static var headingFailure: Code { .headingFailure }
    /// See `Code`.
    public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
    /// See `Code`.
    public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
    /// See `Code`.
    public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }
    /// See `Code`.
    public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }
    /// See `Code`.
    public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }
    /// See `Code`.
    public static var geocodeFoundPartialResult: Code { .geocodeFoundPartialResult }
    /// See `Code`.
    public static var geocodeCanceled: Code { .geocodeCanceled }
    /// See `Code`.
    public static var deferredFailed: Code { .deferredFailed }
    /// See `Code`.
    public static var deferredNotUpdatingLocation: Code { .deferredNotUpdatingLocation }
    /// See `Code`.
    public static var deferredAccuracyTooLow: Code { .deferredAccuracyTooLow }
    /// See `Code`.
    public static var deferredDistanceFiltered: Code { .deferredDistanceFiltered }
    /// See `Code`.
    public static var deferredCanceled: Code { .deferredCanceled }
    /// See `Code`.
    public static var rangingUnavailable: Code { .rangingUnavailable }
    /// See `Code`.
    public static var rangingFailure: Code { .rangingFailure }
    /// See `Code`.
    public static var promptDeclined: Code { .promptDeclined }
    /// See `Code`.
    public static var historicalLocationError: Code { .historicalLocationError }
}
