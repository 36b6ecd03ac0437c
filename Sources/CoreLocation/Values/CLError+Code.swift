// SPDX-License-Identifier: Apache-2.0
internal import Foundation

extension CLError {
    /// What went wrong, with Core Location's numbers.
    @nonexhaustive(warn)
    public enum Code: Sendable {
        /// There is no fix right now; the service goes on trying.
        case locationUnknown
        /// The app may not know the location, or location services are off.
        case denied
        /// The location daemon cannot be reached. Told after ten seconds, and at once to who begins something later in the same
        /// outage; services that run go on by themselves when it is back.
        case network
        /// The heading cannot be told right now.
        case headingFailure
        /// The app may not watch regions.
        case regionMonitoringDenied
        /// The region cannot be watched: one too many, too large, of a kind that nothing here senses, or no region at all.
        case regionMonitoringFailure
        /// The region is not watched yet.
        case regionMonitoringSetupDelayed
        /// What happens at the region will be told late. Not told here.
        case regionMonitoringResponseDelayed
        /// Nothing is at the address. Not told here: there is no geocoder.
        case geocodeFoundNoResult
        /// Something less than the address was found. Not told here: there is no geocoder.
        case geocodeFoundPartialResult
        /// The search for an address was cancelled. Not told here: there is no geocoder.
        case geocodeCanceled
        /// The deferral could not begin or broke: there is no recent fix.
        case deferredFailed
        /// Standard updates are not running, or are paused.
        case deferredNotUpdatingLocation
        /// `desiredAccuracy` is neither best nor bestForNavigation, or accuracy is reduced.
        case deferredAccuracyTooLow
        /// A `distanceFilter` is set.
        case deferredDistanceFiltered
        /// The app ended the deferral.
        case deferredCanceled
        /// Nothing here hears beacons.
        case rangingUnavailable
        /// Ranging beacons failed. Not told here.
        case rangingFailure
        /// Nobody could be asked for full accuracy, or there was nothing to ask for.
        case promptDeclined
        /// Past locations cannot be told. Not told here.
        case historicalLocationError
        /// A number that this version of the library does not know; a newer daemon may send one. Only here.
        case unrecognized(Int)
    }
}

extension CLError.Code: RawRepresentable {
    /// The code of a number of Core Location's; never nil, see `unrecognized(_:)`.
    public init?(rawValue: Int) { self.init(number: rawValue) }

    init(number: Int) {
        self = CLError.Code.known.indices.contains(number) ? CLError.Code.known[number] : .unrecognized(number)
    }

    /// Core Location's number.
    public var rawValue: Int {
        switch self {
        case .locationUnknown: 0
        case .denied: 1
        case .network: 2
        case .headingFailure: 3
        case .regionMonitoringDenied: 4
        case .regionMonitoringFailure: 5
        case .regionMonitoringSetupDelayed: 6
        case .regionMonitoringResponseDelayed: 7
        case .geocodeFoundNoResult: 8
        case .geocodeFoundPartialResult: 9
        case .geocodeCanceled: 10
        case .deferredFailed: 11
        case .deferredNotUpdatingLocation: 12
        case .deferredAccuracyTooLow: 13
        case .deferredDistanceFiltered: 14
        case .deferredCanceled: 15
        case .rangingUnavailable: 16
        case .rangingFailure: 17
        case .promptDeclined: 18
        case .historicalLocationError: 19
        case .unrecognized(let number): number
        }
    }

    // By number.
    static let known: [CLError.Code] = [
        .locationUnknown, .denied, .network, .headingFailure, .regionMonitoringDenied, .regionMonitoringFailure,
        .regionMonitoringSetupDelayed, .regionMonitoringResponseDelayed, .geocodeFoundNoResult,
        .geocodeFoundPartialResult, .geocodeCanceled, .deferredFailed, .deferredNotUpdatingLocation,
        .deferredAccuracyTooLow, .deferredDistanceFiltered, .deferredCanceled, .rangingUnavailable, .rangingFailure,
        .promptDeclined, .historicalLocationError,
    ]
}

extension CLError.Code: Hashable {
    /// Whether the numbers are the same.
    public static func == (left: CLError.Code, right: CLError.Code) -> Bool { left.rawValue == right.rawValue }
    /// From the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
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
