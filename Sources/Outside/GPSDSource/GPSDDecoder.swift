// SPDX-License-Identifier: Apache-2.0
internal import CGPS
import LocationModel

/// Decodes lines of gpsd with libgps and checks what came out of it.
///
/// Owns the one `gps_data_t`. A TPV, SKY, GST or ATT of a receiver already heard allocates nothing.
package final class GPSDDecoder {
    /// How many receivers get a number; reports of further ones are dropped.
    package static let maximumReceivers = 64

    /// The receivers' paths in the order in which they were first heard: `paths[n]` is that of `ReceiverID` n.
    package private(set) var paths: [String] = []
    /// Lines that were not one whole object with a class.
    package private(set) var malformedLines = 0
    /// Reports dropped because `maximumReceivers` were already known.
    package private(set) var droppedReports = 0

    private let data: UnsafeMutablePointer<gps_data_t>
    private let line: UnsafeMutablePointer<UInt8>
    private var pathBytes: [[UInt8]] = []
    private var lastPath = 0

    /// A decoder that has heard no receiver.
    package init() {
        data = .allocate(capacity: 1)
        cgps_clear(data)
        line = .allocate(capacity: GPSDLineFramer.maximumLength + 1)
    }

    deinit {
        data.deallocate()
        line.deallocate()
    }

    /// Returns the report in `text`, one line without its end; nil if it is not a whole report or of one receiver too many.
    package func decode(_ text: UnsafeRawBufferPointer) -> GPSDReport? {
        guard text.count <= GPSDLineFramer.maximumLength, let scan = scan(text) else {
            malformedLines += 1
            return nil
        }
        switch scan.lineClass {
        case .other:
            return .other(className: string(UnsafeRawPointer(line + scan.className.lowerBound), scan.className.count))
        case .devices: return .devices(devices(scan))
        default: break
        }
        // A line that libgps does not understand is no report, with one exception: `"activated":0` is a number where it expects a text.
        guard unpack(at: 0) || scan.lineClass == .device else {
            malformedLines += 1
            return nil
        }
        return report(scan)
    }

    private func scan(_ text: UnsafeRawBufferPointer) -> GPSDLineScan? {
        if let scan = GPSDLineScan.scan(text, into: line) { return scan }
        let compact = GPSDLineScan.compact(text)
        return compact.count < text.count ? compact.withUnsafeBytes { GPSDLineScan.scan($0, into: line) } : nil
    }

    // `set` tells nothing about one line, and fields that a line does not mention keep their values: start from zero.
    private func unpack(at offset: Int) -> Bool {
        cgps_clear_report(data)
        return cgps_decode(UnsafeRawPointer(line + offset).assumingMemoryBound(to: CChar.self), data) == 0
    }

    // One by one: libgps has room for four, gpsd may list more.
    private func devices(_ scan: GPSDLineScan) -> [DeviceReport] {
        scan.devices.compactMap { range in
            line[range.upperBound] = 0
            _ = unpack(at: range.lowerBound)
            guard cgps_path_length(cgps_device(data)) > 0 else { return nil }
            return device(cgps_device(data))
        }
    }

    private func report(_ scan: GPSDLineScan) -> GPSDReport? {
        switch scan.lineClass {
        case .tpv: receiver(cgps_device(data)).map { .tpv(tpv($0, scan)) }
        case .sky: receiver(cgps_device(data)).map { .sky(sky($0, scan)) }
        case .gst: receiver(cgps_device(data)).map { .gst(gst($0, scan)) }
        case .att: receiver(cgps_device(data)).map { .att(attitude($0, scan)) }
        case .version:
            .version(
                release: string(cgps_release(data), cgps_release_length(data)),
                protocolMajor: Int(data.pointee.version.proto_major),
                protocolMinor: Int(data.pointee.version.proto_minor))
        case .device: device(cgps_device(data)).map { .device($0) }
        case .watch: .watch(isEnabled: data.pointee.policy.watcher, isJSON: data.pointee.policy.json)
        case .error: .error(message: string(cgps_error(data), cgps_error_length(data)))
        case .devices, .other: nil
        }
    }

    private func tpv(_ receiver: ReceiverID, _ scan: GPSDLineScan) -> TPVReport {
        var report = TPVReport(receiver: receiver)
        guard let fix = cgps_fix(data)?.pointee else { return report }
        report.mode = (0...3).contains(fix.mode) ? Int8(fix.mode) : 0
        report.isImpossible = fix.mode > 3
        report.status = FixStatus(rawValue: Int8(exactly: fix.status) ?? 0)
        report.time = time(fix.time, scan)
        if fix.mode >= 2 { report.take(latitude: fix.latitude, longitude: fix.longitude) }
        report.altHAE = fix.altHAE.within(-1e7...1e7)
        report.altMSL = fix.altMSL.within(-1e7...1e7)
        report.epx = fix.epx.asError
        report.epy = fix.epy.asError
        report.eph = fix.eph.asError
        report.epv = fix.epv.asError
        report.track = fix.track.asDirection
        report.epd = fix.epd.asError
        report.speed = fix.speed.within(0...1e5)
        report.eps = fix.eps.asError
        report.climb = fix.climb.within(-1e5...1e5)
        return report
    }

    private func sky(_ receiver: ReceiverID, _ scan: GPSDLineScan) -> SkyReport {
        let dop = data.pointee.dop
        var report = SkyReport(receiver: receiver)
        report.hdop = dop.hdop.asError
        report.vdop = dop.vdop.asError
        report.xdop = dop.xdop.asError
        report.ydop = dop.ydop.asError
        report.listsSatellites = scan.listsSatellites
        return report
    }

    /// The satellites that a line lists that `decode` found to be a SKY; nil: its list is broken.
    func countSatellites(in text: UnsafeRawBufferPointer) -> SatelliteCount? {
        let compact = GPSDLineScan.compact(text)
        return compact.withUnsafeBytes { GPSDLineScan.scan($0, into: line, countsSatellites: true)?.satellites }
    }

    /// The satellites of a line that `decode` found to be a SKY: at most 140, in the receiver's order.
    func satellites(in text: [UInt8]) -> [Satellite] {
        // Of the list nothing is known yet.
        let text = text.withUnsafeBytes { GPSDLineScan.compact($0) }
        guard text.count <= GPSDLineFramer.maximumLength, text.withUnsafeBytes({ countSatellites(in: $0) }) != nil
        else {
            return []
        }
        text.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: line, count: text.count).copyMemory(from: $0) }
        line[text.count] = 0
        cgps_clear(data)
        // A part that libgps does not understand is left out.
        _ = unpack(at: 0)
        guard let first = cgps_satellites(data) else { return [] }
        return UnsafeBufferPointer(start: first, count: Int(MAXCHANNELS)).compactMap { given in
            guard given.PRN > 0 else { return nil }
            let (system, number) = SatelliteSystem.named(given)
            return Satellite(
                system, number, elevation: given.elevation.within(-90...90), azimuth: given.azimuth.asDirection,
                signal: given.ss.within(0...254), used: given.used)
        }
    }

    private func gst(_ receiver: ReceiverID, _ scan: GPSDLineScan) -> GSTReport {
        let gst = data.pointee.gst
        var report = GSTReport(receiver: receiver, time: time(gst.utctime, scan))
        report.latitudeError = gst.lat_err_deviation.asError
        report.longitudeError = gst.lon_err_deviation.asError
        report.altitudeError = gst.alt_err_deviation.asError
        return report
    }

    private func attitude(_ receiver: ReceiverID, _ scan: GPSDLineScan) -> AttitudeReport {
        let attitude = data.pointee.attitude
        var report = AttitudeReport(receiver: receiver, time: time(attitude.mtime, scan))
        report.heading = attitude.heading.asDirection
        report.pitch = attitude.pitch.within(-180...180)
        report.roll = attitude.roll.within(-180...180)
        return report
    }

    private func device(_ device: UnsafePointer<devconfig_t>?) -> DeviceReport? {
        guard let device, let receiver = receiver(device) else { return nil }
        let driver = string(cgps_driver(device), cgps_driver_length(device))
        return DeviceReport(
            receiver: receiver, path: paths[Int(receiver.rawValue)], driver: driver.isEmpty ? nil : driver,
            activated: wallTime(device.pointee.activated))
    }

    private func receiver(_ device: UnsafePointer<devconfig_t>?) -> ReceiverID? {
        guard let device else { return nil }
        let path = UnsafeRawBufferPointer(start: cgps_path(device), count: cgps_path_length(device))
        if lastPath < pathBytes.count, path.elementsEqual(pathBytes[lastPath]) {
            return ReceiverID(rawValue: Int32(lastPath))
        }
        if let known = pathBytes.firstIndex(where: { path.elementsEqual($0) }) {
            lastPath = known
            return ReceiverID(rawValue: Int32(known))
        }
        guard paths.count < Self.maximumReceivers else {
            droppedReports += 1
            return nil
        }
        pathBytes.append(Array(path))
        paths.append(String(decoding: path, as: UTF8.self))
        return ReceiverID(rawValue: Int32(paths.count - 1))
    }

    private func string(_ start: UnsafeRawPointer?, _ length: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }
}

// Zero is gpsd's "no time"; what lies behind the year 9999 no receiver means.
private func time(_ time: timespec, _ scan: GPSDLineScan) -> WallTime? { scan.isTimeUsable ? wallTime(time) : nil }

private func wallTime(_ time: timespec) -> WallTime? {
    guard time.tv_sec > 0, time.tv_sec < 253_402_300_800, (0..<1_000_000_000).contains(time.tv_nsec) else { return nil }
    return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + (Int64(time.tv_nsec) + 500_000) / 1_000_000)
}

extension SatelliteSystem {
    private static let numbered: [SatelliteSystem] = [.gps, .sbas, .galileo, .beidou, .imes, .qzss, .glonass, .navic]
    /// Where each begins in the numbers of NMEA 0183, and the number there of its first one.
    private static let inNMEA: [(first: Int, system: SatelliteSystem, number: Int)] = [
        (1, .gps, 1), (33, .sbas, 120), (65, .glonass, 1), (97, .unknown, 97), (120, .sbas, 120), (159, .unknown, 159),
        (193, .qzss, 1), (201, .beidou, 1), (301, .galileo, 1), (401, .beidou, 1),
    ]

    /// Whose a satellite is and its number there: by what the receiver says, else by its number in NMEA.
    fileprivate static func named(_ satellite: satellite_t) -> (SatelliteSystem, Int) {
        if satellite.svid > 0, numbered.indices.contains(Int(satellite.gnssid)) {
            return (numbered[Int(satellite.gnssid)], Int(satellite.svid))
        }
        let number = Int(satellite.PRN)
        guard let range = inNMEA.last(where: { $0.first <= number }) else { return (.unknown, number) }
        return (range.system, number - range.first + range.number)
    }
}

extension Double {
    fileprivate func within(_ range: ClosedRange<Double>) -> Double? { range.contains(self) ? self : nil }
    // Errors and dilutions are above zero; "0" means that the receiver does not know.
    fileprivate var asError: Double? { self > 0 && self <= 1e7 ? self : nil }
    fileprivate var asDirection: Double? {
        guard let direction = within(0...360) else { return nil }
        return direction == 360 ? 0 : direction
    }
}
