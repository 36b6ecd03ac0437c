// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Writes a point as the lines that gpsd 3.22 makes of its NMEA burst: one SKY and one TPV.
package struct GPSDJSONWriter: Sendable {
    /// The `device` of every line.
    package var device: String

    /// Lines that claim to come from `device`; it must need no escapes in JSON.
    package init(device: String = "/dev/track0") { self.device = device }

    /// The two lines of `point`, each ended with CR LF.
    package func lines(of point: TrackPoint) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1600)
        append(point, to: &bytes)
        return bytes
    }

    /// Appends the two lines of `point`.
    package func append(_ point: TrackPoint, to bytes: inout [UInt8]) {
        appendSKY(point, to: &bytes)
        appendTPV(point, to: &bytes)
    }

    /// Appends the TPV line alone.
    package func appendTPV(_ point: TrackPoint, to bytes: inout [UInt8]) {
        open("TPV", to: &bytes)
        bytes.append(point.hasFix ? ",\"mode\":3,\"time\":\"" : ",\"mode\":1,\"time\":\"")
        point.time.appendRFC3339(to: &bytes)
        bytes.append("\",\"ept\":0.005")
        if let measured = point.measured {
            let hae = point.altitude + NMEAWriter.geoidSeparation
            bytes.appendMember("lat", measured.latitude, decimals: 9)
            bytes.appendMember("lon", measured.longitude, decimals: 9)
            bytes.appendMember("altHAE", hae, decimals: 3)
            bytes.appendMember("altMSL", point.altitude, decimals: 3)
            bytes.appendMember("epx", point.axisDop * 15, decimals: 3)
            bytes.appendMember("epy", point.axisDop * 15, decimals: 3)
            bytes.appendMember("epv", rounded(point.vdop) * 23, decimals: 3)
            if let course = point.course { bytes.appendMember("track", course, decimals: 4) }
            bytes.appendMember("speed", point.speed, decimals: 3)
            bytes.appendMember("geoidSep", NMEAWriter.geoidSeparation, decimals: 3)
            bytes.appendMember("eph", rounded(point.hdop) * 19, decimals: 3)
            bytes.appendMember("sep", rounded(point.pdop) * 19, decimals: 3)
        }
        bytes.append("}\r\n")
    }

    /// Appends the SKY line alone.
    package func appendSKY(_ point: TrackPoint, to bytes: inout [UInt8]) {
        let sky = satellites(of: point)
        open("SKY", to: &bytes)
        if point.hasFix {
            bytes.appendMember("xdop", point.axisDop, decimals: 2)
            bytes.appendMember("ydop", point.axisDop, decimals: 2)
            bytes.appendMember("vdop", point.vdop, decimals: 2)
            bytes.appendMember("hdop", point.hdop, decimals: 2)
            bytes.appendMember("pdop", point.pdop, decimals: 2)
        }
        bytes.append(",\"nSat\":")
        bytes.appendInteger(sky.count)
        bytes.append(",\"uSat\":")
        bytes.appendInteger(point.satellitesUsed)
        bytes.append(",\"satellites\":[")
        for (index, satellite) in sky.enumerated() {
            bytes.append(index == 0 ? "{\"PRN\":" : ",{\"PRN\":")
            bytes.appendInteger(satellite.number)
            bytes.appendMember("el", Double(satellite.elevation), decimals: 1)
            bytes.appendMember("az", Double(satellite.azimuth), decimals: 1)
            bytes.appendMember("ss", Double(satellite.signal), decimals: 1)
            bytes.append(satellite.isUsed ? ",\"used\":true}" : ",\"used\":false}")
        }
        bytes.append("]}\r\n")
    }

    private func open(_ name: StaticString, to bytes: inout [UInt8]) {
        bytes.append("{\"class\":\"")
        bytes.append(name)
        bytes.append("\",\"device\":\"")
        bytes.append(device)
        bytes.append("\"")
    }
}

// To the two decimals that the NMEA sentence carries.
private func rounded(_ dilution: Double) -> Double { (dilution * 100).rounded() / 100 }

extension TrackPoint {
    /// Dilution of the height: worse than the horizontal one, since no satellite is below.
    var vdop: Double { hdop * 1.5 }
    /// Dilution of the position in space.
    var pdop: Double { (hdop * hdop + vdop * vdop).squareRoot() }
    /// Dilution of one horizontal axis.
    var axisDop: Double { hdop * 0.5.squareRoot() }
}

extension [UInt8] {
    fileprivate mutating func appendMember(_ name: StaticString, _ value: Double, decimals: Int) {
        append(",\"")
        append(name)
        append("\":")
        appendDecimal(value, decimals: decimals)
    }
}
