// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// One line of gpsd, checked: every number is finite and within its range, or nil.
package enum GPSDReport: Sendable, Hashable {
    /// Position, velocity, time of one receiver; an epoch may take several.
    case tpv(TPVReport)
    /// Satellites and the dilution of precision.
    case sky(SkyReport)
    /// Errors by the receiver's own estimate.
    case gst(GSTReport)
    /// The direction a device faces.
    case att(AttitudeReport)
    /// The versions that gpsd tells on connecting; a relayed source may tell its own, too.
    case version(release: String, protocolMajor: Int, protocolMinor: Int)
    /// All devices that gpsd knows.
    case devices([DeviceReport])
    /// A device came, was identified, or went.
    case device(DeviceReport)
    /// The subscription now in force.
    case watch(isEnabled: Bool, isJSON: Bool)
    /// A command that gpsd refused, in gpsd's words.
    case error(message: String)
    /// A class that nothing here needs.
    case other(className: String)
}

/// How a fix came about: gpsd's `status` in a TPV.
package struct FixStatus: RawRepresentable, Sendable, Hashable, BitwiseCopyable {
    /// gpsd's number; 0 if the line had none, which is a plain fix if `mode` says that there is one.
    package var rawValue: Int8
    /// The status with gpsd's number `rawValue`; numbers of later releases are kept.
    package init(rawValue: Int8) { self.rawValue = rawValue }

    /// Nothing said.
    package static let plain = FixStatus(rawValue: 0)
    /// With differential corrections.
    package static let dgps = FixStatus(rawValue: 2)
    /// Carrier phase, ambiguities resolved.
    package static let rtkFixed = FixStatus(rawValue: 3)
    /// Carrier phase, ambiguities not resolved.
    package static let rtkFloat = FixStatus(rawValue: 4)
    /// Dead reckoning alone.
    package static let deadReckoning = FixStatus(rawValue: 5)
    /// A position that was entered by hand or surveyed in.
    package static let surveyed = FixStatus(rawValue: 7)
    /// From a simulator.
    package static let simulated = FixStatus(rawValue: 8)
    /// With the military P(Y) code.
    package static let precise = FixStatus(rawValue: 9)
}

/// A TPV: position, velocity and time of one receiver.
package struct TPVReport: Sendable, Hashable, BitwiseCopyable {
    /// The receiver that measured.
    package var receiver: ReceiverID
    /// 0 not known, 1 no fix, 2 without altitude, 3 with altitude.
    package var mode: Int8
    /// How the fix came about.
    package var status: FixStatus
    /// When it was measured, by the receiver.
    package var time: WallTime?
    /// Degrees north, -90 to 90; nil exactly when `longitude` is.
    package var latitude: Double?
    /// Degrees east, -180 to 180.
    package var longitude: Double?
    /// Height above the ellipsoid, metres.
    package var altHAE: Double?
    /// Height above mean sea level, metres.
    package var altMSL: Double?
    /// Error in longitude, metres, confidence not defined; > 0 as all errors here.
    package var epx: Double?
    /// Error in latitude, metres.
    package var epy: Double?
    /// Horizontal error, metres; AccuracyModel says what it may mean.
    package var eph: Double?
    /// Vertical error, metres.
    package var epv: Double?
    /// Course over ground, degrees from true north, 0 to < 360.
    package var track: Double?
    /// Error of the course, degrees.
    package var epd: Double?
    /// Speed over ground, metres per second, >= 0.
    package var speed: Double?
    /// Error of the speed, metres per second.
    package var eps: Double?
    /// Vertical speed, metres per second, positive up.
    package var climb: Double?
    /// It claims a fix that there cannot be: at no place on the Earth, or of a mode that gpsd does not have.
    package var isImpossible = false

    /// A report of `receiver` that says nothing but `mode`.
    package init(receiver: ReceiverID, mode: Int8 = 0, status: FixStatus = .plain, time: WallTime? = nil) {
        (self.receiver, self.mode, self.status, self.time) = (receiver, mode, status, time)
    }

    /// Takes degrees as they were told, NaN where they were not; those of no place are left out, and noted.
    mutating func take(latitude: Double, longitude: Double) {
        if Coordinate(latitude: latitude, longitude: longitude).isValid {
            (self.latitude, self.longitude) = (latitude, longitude)
        } else if abs(latitude) > 90 || abs(longitude) > 180 {
            isImpossible = true
        }
    }

    /// The place, if the receiver claims a fix and gave one.
    package var position: Coordinate? {
        guard mode >= 2, let latitude, let longitude else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}

/// A SKY: dilution of precision (no dimension, > 0).
package struct SkyReport: Sendable, Hashable, BitwiseCopyable {
    /// The receiver that sees them.
    package var receiver: ReceiverID
    /// Horizontal.
    package var hdop: Double?
    /// Vertical.
    package var vdop: Double?
    /// In longitude.
    package var xdop: Double?
    /// In latitude.
    package var ydop: Double?
    /// Whether the line lists satellites: some tell only dilutions.
    package var listsSatellites = false

    /// A report of `receiver` that says nothing yet.
    package init(receiver: ReceiverID) { self.receiver = receiver }
}

/// A GST: one standard deviation (68 %) per axis, metres, estimated by the receiver itself.
package struct GSTReport: Sendable, Hashable, BitwiseCopyable {
    /// The receiver that estimates.
    package var receiver: ReceiverID
    /// The epoch it belongs to.
    package var time: WallTime?
    /// Of the latitude.
    package var latitudeError: Double?
    /// Of the longitude.
    package var longitudeError: Double?
    /// Of the altitude.
    package var altitudeError: Double?

    /// An estimate of `receiver` for the epoch `time`.
    package init(receiver: ReceiverID, time: WallTime? = nil) {
        (self.receiver, self.time) = (receiver, time)
    }
}

/// An ATT: the direction a device faces, degrees.
package struct AttitudeReport: Sendable, Hashable, BitwiseCopyable {
    /// The receiver that measured.
    package var receiver: ReceiverID
    /// When, by the receiver.
    package var time: WallTime?
    /// From true north, 0 to < 360.
    package var heading: Double?
    /// Nose up positive.
    package var pitch: Double?
    /// Right side down positive.
    package var roll: Double?

    /// A measurement of `receiver`.
    package init(receiver: ReceiverID, time: WallTime? = nil) {
        (self.receiver, self.time) = (receiver, time)
    }
}

/// A device as gpsd describes it.
package struct DeviceReport: Sendable, Hashable {
    /// The device's number here.
    package var receiver: ReceiverID
    /// gpsd's name for it, such as `/dev/ttyUSB0`.
    package var path: String
    /// The protocol spoken, such as `u-blox`; nil until gpsd found out.
    package var driver: String?
    /// When gpsd last had data from it, by gpsd's clock; nil when the device is closed.
    package var activated: WallTime?

    /// The description of the device `path`.
    package init(receiver: ReceiverID, path: String, driver: String? = nil, activated: WallTime? = nil) {
        (self.receiver, self.path, self.driver, self.activated) = (receiver, path, driver, activated)
    }
}
