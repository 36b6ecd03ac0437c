// SPDX-License-Identifier: Apache-2.0

/// Factors from a dilution of precision to an accuracy, and the least accuracies; metres of 68 %.
package struct AccuracyFactors: Sendable, Hashable, BitwiseCopyable {
    /// Metres per unit of HDOP; 5 by default, a cautious figure for one frequency without corrections.
    package var userRangeError = 5.0
    /// The same with differential corrections.
    package var differentialRangeError = 2.5
    /// Smallest radius.
    package var minimum = 3.0
    /// Smallest radius with differential corrections.
    package var differentialMinimum = 1.5

    /// The defaults.
    package init() {}
}

/// The errors of one epoch as gpsd passed them on.
struct EpochErrors {
    var mode: Int8
    var status: FixStatus
    var eph: Double?
    var epx: Double?
    var epy: Double?
    var epv: Double?
    /// The newest dilutions; nil if the receiver sends none.
    var sky: SkyReport?
    /// The receiver's estimate for this very epoch.
    var gst: GSTReport?
}

/// How a driver of gpsd means its errors.
enum DriverErrors {
    /// One standard deviation, or an undocumented figure near it.
    case nearOneSigma
    /// Scaled up to 95 % by gpsd: Garmin, Zodiac, Navcom.
    case ninetyFivePercent

    init(driver: String) {
        let name = driver.lowercased()
        let scaled = ["garmin", "zodiac", "navcom"].contains { name.hasPrefix($0) }
        self = scaled ? .ninetyFivePercent : .nearOneSigma
    }
}

/// Turns gpsd's error figures, which have no fixed confidence, into radii and deviations of 68 %. One per receiver.
///
/// gpsd passes on what a driver supplies; otherwise it multiplies dilutions by constants (19 m horizontally, 23 m
/// vertically, a quarter of that with status 2) and calls the product 95 %. The two look alike on the wire and mean very
/// different things, so which one it is has to be recognized. The constants are gpsd's, see gpsd's `gpsd_error_model`.
package struct AccuracyModel {
    /// Radius for a fix of which nothing is known, metres.
    static let unknownRadius3D = 50.0
    /// The same without altitude: a wrong assumed height moves the place.
    static let unknownRadius2D = 150.0

    /// The factors in use.
    package var factors: AccuracyFactors
    var driver = DriverErrors.nearOneSigma

    private var horizontalOrigin = ErrorOrigin()
    private var verticalOrigin = ErrorOrigin()

    /// A model for a receiver of which nothing is known yet.
    package init(factors: AccuracyFactors = AccuracyFactors()) { self.factors = factors }

    /// Radius of 68 % for an epoch, metres, > 0. To be asked once per epoch: it learns.
    mutating func horizontal(_ errors: EpochErrors) -> Double {
        // Learned even when something better is at hand, so that the answer is settled when that ends.
        let dilution = errors.eph.map { horizontalOrigin.settle(errors.dilution(in: $0, .horizontal)) }
        if let latitude = errors.gst?.latitudeError, let longitude = errors.gst?.longitudeError {
            return 1.07 * (latitude * latitude + longitude * longitude).squareRoot()
        }
        if let eph = errors.eph, let dilution {
            guard dilution.isDilution else { return driver == .ninetyFivePercent ? 0.62 * eph : eph }
            return radius(hdop: dilution.value ?? eph / errors.likelyFactor(.horizontal), status: errors.status)
        }
        if let epx = errors.epx, let epy = errors.epy {
            if let x = errors.dilution(in: epx, .longitude), let y = errors.dilution(in: epy, .latitude) {
                return radius(hdop: (x * x + y * y).squareRoot(), status: errors.status)
            }
            return 0.44 * (epx * epx + epy * epy).squareRoot()
        }
        if let hdop = errors.sky?.hdop { return radius(hdop: hdop, status: errors.status) }
        return errors.mode >= 3 ? Self.unknownRadius3D : Self.unknownRadius2D
    }

    /// Standard deviation of the altitude of a 3-D epoch, metres, > 0. To be asked once per epoch: it learns.
    ///
    /// - Parameter radius: the horizontal answer for the same epoch.
    mutating func vertical(_ errors: EpochErrors, radius: Double) -> Double {
        let dilution = errors.epv.map { verticalOrigin.settle(errors.dilution(in: $0, .vertical)) }
        if let altitude = errors.gst?.altitudeError { return altitude }
        if let epv = errors.epv, let dilution {
            guard dilution.isDilution else { return driver == .ninetyFivePercent ? epv / 1.96 : epv }
            return deviation(vdop: dilution.value ?? epv / errors.likelyFactor(.vertical), status: errors.status)
        }
        if let vdop = errors.sky?.vdop { return deviation(vdop: vdop, status: errors.status) }
        return Self.verticalRatio * radius
    }

    // Heights are about that much worse than places, satellites being above only.
    private static let verticalRatio = 1.5

    private func radius(hdop: Double, status: FixStatus) -> Double {
        switch status {
        case .rtkFixed: 0.1
        case .rtkFloat: max(0.5, factors.differentialRangeError * hdop)
        case .dgps: max(factors.differentialMinimum, factors.differentialRangeError * hdop)
        default: max(factors.minimum, factors.userRangeError * hdop)
        }
    }

    private func deviation(vdop: Double, status: FixStatus) -> Double {
        Self.verticalRatio * radius(hdop: vdop, status: status)
    }
}

/// gpsd's constants for one direction, metres per unit of dilution.
private enum ErrorDirection {
    case horizontal, vertical, longitude, latitude

    var plain: Double {
        switch self {
        case .horizontal: 19
        case .vertical: 23
        case .longitude, .latitude: 15
        }
    }
    var differential: Double { plain / 4 }

    func dilution(_ sky: SkyReport) -> Double? {
        switch self {
        case .horizontal: sky.hdop
        case .vertical: sky.vdop
        case .longitude: sky.xdop
        case .latitude: sky.ydop
        }
    }
}

extension EpochErrors {
    /// The dilution that `error` was computed from, nil if it does not look computed.
    fileprivate func dilution(in error: Double, _ direction: ErrorDirection) -> Double? {
        if let dilution = sky.flatMap(direction.dilution) {
            // gpsd prints dilutions with two decimals.
            func matches(_ factor: Double) -> Bool { abs(error - factor * dilution) <= factor * 0.0051 }
            if matches(likelyFactor(direction)) { return error / likelyFactor(direction) }
            if matches(unlikelyFactor(direction)) { return error / unlikelyFactor(direction) }
        }
        // Receivers that compute dilutions themselves round them to two decimals, and gpsd prints errors in millimetres.
        let unit = likelyFactor(direction) / 100
        let hundredths = error / unit
        let tolerance = max(0.003, 0.000_55 / unit)
        return abs(hundredths - hundredths.rounded()) <= tolerance ? hundredths / 100 : nil
    }

    fileprivate func likelyFactor(_ direction: ErrorDirection) -> Double {
        status == .dgps ? direction.differential : direction.plain
    }

    // The status may come a sentence later than the error.
    private func unlikelyFactor(_ direction: ErrorDirection) -> Double {
        status == .dgps ? direction.plain : direction.differential
    }
}

/// Whether a receiver's errors are computed from dilutions: decided by its first epoch, changed by two that agree,
/// because one in 190 estimates of a receiver looks computed by chance.
private struct ErrorOrigin {
    private var isDilution: Bool?
    private var doubts = 0

    /// Takes the dilution recognized in one epoch (nil: none) and tells what holds for that epoch.
    mutating func settle(_ value: Double?) -> (isDilution: Bool, value: Double?) {
        let looksComputed = value != nil
        guard let settled = isDilution else {
            isDilution = looksComputed
            return (looksComputed, value)
        }
        if settled == looksComputed {
            doubts = 0
            return (settled, value)
        }
        doubts += 1
        guard doubts >= 2 else { return (settled, value) }
        isDilution = looksComputed
        doubts = 0
        return (looksComputed, value)
    }
}
