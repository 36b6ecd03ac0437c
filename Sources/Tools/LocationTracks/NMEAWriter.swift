// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Writes a point as the burst of NMEA 0183 sentences that a receiver sends once per epoch.
///
/// The order is RMC, VTG, GSA, GSV, GGA. gpsd 3.22 learns which sentence with a time ends an epoch, and reports at it. It
/// does not count an RMC without a fix as one with a time, so an order that ends with RMC makes it learn a second end in
/// the first tunnel and report twice per epoch ever after. Ending with GGA gives one complete TPV per epoch, fix or not, from
/// the second epoch on (the first gives three, of which the last is complete), each after its SKY. As with every receiver
/// that begins with RMC, gpsd's `eph` and `epv` follow from the dilutions of the epoch before.
package struct NMEAWriter: Sendable {
    /// Height of the geoid above the ellipsoid that the sentences claim, metres.
    package static let geoidSeparation = 59.0

    /// A writer.
    package init() {}

    /// The burst of `point`.
    package func burst(of point: TrackPoint) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(640)
        append(point, to: &bytes)
        return bytes
    }

    /// Appends the burst of `point`.
    package func append(_ point: TrackPoint, to bytes: inout [UInt8]) {
        let sky = satellites(of: point)
        appendMinimum(point, to: &bytes)
        appendVelocity(point, to: &bytes)
        appendSolution(point, sky: sky, to: &bytes)
        appendSky(sky, to: &bytes)
        appendPosition(point, to: &bytes)
    }

    // GGA: position, quality, satellites, altitude.
    private func appendPosition(_ point: TrackPoint, to bytes: inout [UInt8]) {
        sentence("GPGGA,", to: &bytes) { bytes in
            bytes.appendTimeOfDay(point.time)
            bytes.append(",")
            bytes.appendCoordinate(point.measured)
            bytes.append(point.hasFix ? ",1," : ",0,")
            bytes.appendInteger(point.satellitesUsed, width: 2)
            bytes.append(",")
            if point.hasFix {
                bytes.appendDecimal(point.hdop, decimals: 2)
                bytes.append(",")
                bytes.appendDecimal(point.altitude, decimals: 1)
                bytes.append(",M,")
                bytes.appendDecimal(NMEAWriter.geoidSeparation, decimals: 1)
                bytes.append(",M,,")
            } else {
                bytes.append(",,M,,M,,")
            }
        }
    }

    // GSA: mode, which satellites, dilutions.
    private func appendSolution(_ point: TrackPoint, sky: [Satellite], to bytes: inout [UInt8]) {
        sentence("GPGSA,A,", to: &bytes) { bytes in
            bytes.append(point.hasFix ? "3" : "1")
            let used = sky.filter(\.isUsed).prefix(12)
            for satellite in used {
                bytes.append(",")
                bytes.appendInteger(satellite.number, width: 2)
            }
            for _ in used.count..<12 { bytes.append(",") }
            guard point.hasFix else { return bytes.append(",,,") }
            for dilution in [point.pdop, point.hdop, point.vdop] {
                bytes.append(",")
                bytes.appendDecimal(dilution, decimals: 2)
            }
        }
    }

    // GSV: the sky, four satellites in a sentence.
    private func appendSky(_ sky: [Satellite], to bytes: inout [UInt8]) {
        let sentences = (sky.count + 3) / 4
        for number in 0..<sentences {
            sentence("GPGSV,", to: &bytes) { bytes in
                bytes.appendInteger(sentences)
                bytes.append(",")
                bytes.appendInteger(number + 1)
                bytes.append(",")
                bytes.appendInteger(sky.count, width: 2)
                for satellite in sky[(number * 4)..<min(number * 4 + 4, sky.count)] {
                    bytes.append(",")
                    bytes.appendInteger(satellite.number, width: 2)
                    bytes.append(",")
                    bytes.appendInteger(satellite.elevation, width: 2)
                    bytes.append(",")
                    bytes.appendInteger(satellite.azimuth, width: 3)
                    bytes.append(",")
                    bytes.appendInteger(satellite.signal, width: 2)
                }
            }
        }
    }

    // VTG: course and speed.
    private func appendVelocity(_ point: TrackPoint, to bytes: inout [UInt8]) {
        sentence("GPVTG,", to: &bytes) { bytes in
            if let course = point.course { bytes.appendDecimal(course, decimals: 1) }
            bytes.append(",T,,M,")
            if point.hasFix { bytes.appendDecimal(point.speed * knotsPerMetrePerSecond, decimals: 2) }
            bytes.append(",N,")
            if point.hasFix { bytes.appendDecimal(point.speed * 3.6, decimals: 2) }
            bytes.append(point.hasFix ? ",K,A" : ",K,N")
        }
    }

    // RMC: the recommended minimum, the only one of these with a date.
    private func appendMinimum(_ point: TrackPoint, to bytes: inout [UInt8]) {
        sentence("GPRMC,", to: &bytes) { bytes in
            bytes.appendTimeOfDay(point.time)
            bytes.append(point.hasFix ? ",A," : ",V,")
            bytes.appendCoordinate(point.measured)
            bytes.append(",")
            if point.hasFix { bytes.appendDecimal(point.speed * knotsPerMetrePerSecond, decimals: 2) }
            bytes.append(",")
            if let course = point.course { bytes.appendDecimal(course, decimals: 1) }
            bytes.append(",")
            bytes.appendDate(point.time)
            bytes.append(point.hasFix ? ",,,A" : ",,,N")
        }
    }

    // Frames what `body` writes: `$`, checksum (the exclusive or of all between), CR LF.
    private func sentence(_ start: StaticString, to bytes: inout [UInt8], _ body: (inout [UInt8]) -> Void) {
        bytes.append("$")
        let first = bytes.count
        bytes.append(start)
        body(&bytes)
        let checksum = bytes[first...].reduce(0, ^)
        bytes.append("*")
        bytes.appendHexadecimal(checksum)
        bytes.append("\r\n")
    }
}

private let knotsPerMetrePerSecond = 3600 / 1852.0

extension [UInt8] {
    fileprivate mutating func appendHexadecimal(_ byte: UInt8) {
        for digit in [byte >> 4, byte & 15] {
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
    }

    // hhmmss.sss
    fileprivate mutating func appendTimeOfDay(_ time: WallTime) {
        let inDay = Int(((time.milliseconds % 86_400_000) + 86_400_000) % 86_400_000)
        appendInteger(inDay / 3_600_000, width: 2)
        appendInteger(inDay / 60_000 % 60, width: 2)
        appendInteger(inDay / 1000 % 60, width: 2)
        append(".")
        appendInteger(inDay % 1000, width: 3)
    }

    // ddmmyy, out of YYYY-MM-DD.
    fileprivate mutating func appendDate(_ time: WallTime) {
        var date: [UInt8] = []
        time.appendRFC3339(to: &date)
        append(contentsOf: date[8..<10])
        append(contentsOf: date[5..<7])
        append(contentsOf: date[2..<4])
    }

    // ddmm.mmmmmm,N,dddmm.mmmmmm,E; only the commas without a fix.
    fileprivate mutating func appendCoordinate(_ coordinate: Coordinate?) {
        guard let coordinate else { return append(",,,") }
        appendDegrees(coordinate.latitude, width: 2)
        append(coordinate.latitude < 0 ? ",S," : ",N,")
        appendDegrees(coordinate.longitude, width: 3)
        append(coordinate.longitude < 0 ? ",W" : ",E")
    }

    // Rounded as a whole first, so that 59.9999999 minutes never print as 60.
    private mutating func appendDegrees(_ degrees: Double, width: Int) {
        let microMinutes = Int((degrees.magnitude * 60e6).rounded())
        appendInteger(microMinutes / 60_000_000, width: width)
        appendInteger(microMinutes / 1_000_000 % 60, width: 2)
        append(".")
        appendInteger(microMinutes % 1_000_000, width: 6)
    }
}
