// SPDX-License-Identifier: Apache-2.0
internal import LocationModel

/// The sentences of one epoch, taken together.
struct NMEAEpoch {
    /// Milliseconds since midnight; nil until a sentence told.
    var timeOfDay: Int?

    private var latitude: Double?
    private var longitude: Double?
    private var isValid: Bool?
    private var quality: Int?
    private var solution: Int?
    private var altMSL: Double?
    private var geoidSeparation: Double?
    private var speed: Double?
    private var track: Double?
    private var hdop: Double?
    private var vdop: Double?
    private var errors: (latitude: Double?, longitude: Double?, altitude: Double?)?

    mutating func take(_ sentence: NMEASentence) {
        switch sentence.formatter {
        case .rmc: takeRMC(sentence)
        case .gga: takeGGA(sentence)
        case .gll:
            isValid = sentence.letter(6) == UInt8(ascii: "A") ? isValid ?? true : false
            takePosition(sentence, at: 1)
        case .gsa: takeGSA(sentence)
        case .gst: errors = (sentence.number(6), sentence.number(7), sentence.number(8))
        case .vtg:
            track = sentence.number(1) ?? track
            speed = sentence.number(5).map(metresPerSecond) ?? speed
        }
    }

    private mutating func takeRMC(_ sentence: NMEASentence) {
        isValid = sentence.letter(2) == UInt8(ascii: "A")
        takePosition(sentence, at: 3)
        speed = sentence.number(7).map(metresPerSecond) ?? speed
        track = sentence.number(8) ?? track
    }

    private mutating func takeGGA(_ sentence: NMEASentence) {
        quality = sentence.integer(6)
        hdop = sentence.number(8) ?? hdop
        if quality != 0 { takePosition(sentence, at: 2) }
        altMSL = sentence.number(9)
        geoidSeparation = sentence.number(11)
    }

    private mutating func takeGSA(_ sentence: NMEASentence) {
        // With several satellite systems there is one for each, all with the same mode and dilutions.
        solution = sentence.integer(2)
        hdop = sentence.number(16) ?? hdop
        vdop = sentence.number(17) ?? vdop
    }

    private mutating func takePosition(_ sentence: NMEASentence, at field: Int) {
        guard let latitude = sentence.angle(field, positive: "N", negative: "S"),
            let longitude = sentence.angle(field + 2, positive: "E", negative: "W"),
            self.latitude == nil || Coordinate(latitude: latitude, longitude: longitude).isValid
        else { return }
        self.latitude = latitude
        self.longitude = longitude
    }
}

extension NMEAEpoch {
    /// The epoch as gpsd's TPV.
    func tpv(_ receiver: ReceiverID, time: WallTime?) -> TPVReport {
        var report = TPVReport(receiver: receiver, mode: mode, status: status, time: time)
        guard report.mode >= 2 else { return report }
        report.take(latitude: latitude ?? .nan, longitude: longitude ?? .nan)
        report.speed = speed.flatMap { (0...1e5).contains($0) ? $0 : nil }
        report.track = track.flatMap { (0...360).contains($0) ? ($0 == 360 ? 0 : $0) : nil }
        let factor = status == .dgps ? 0.25 : 1
        report.eph = hdop.flatMap { $0 > 0 ? $0 * 19 * factor : nil }
        guard report.mode == 3 else { return report }
        report.altMSL = altMSL
        if let altMSL, let geoidSeparation { report.altHAE = altMSL + geoidSeparation }
        report.epv = vdop.flatMap { $0 > 0 ? $0 * 23 * factor : nil }
        return report
    }

    /// The epoch as gpsd's SKY; nil if no sentence told dilutions.
    func sky(_ receiver: ReceiverID) -> SkyReport? {
        guard hdop != nil || vdop != nil else { return nil }
        var report = SkyReport(receiver: receiver)
        report.hdop = hdop.flatMap { $0 > 0 ? $0 : nil }
        report.vdop = vdop.flatMap { $0 > 0 ? $0 : nil }
        return report
    }

    /// The epoch as gpsd's GST; nil if there was none.
    func gst(_ receiver: ReceiverID, time: WallTime?) -> GSTReport? {
        guard let errors else { return nil }
        func positive(_ error: Double?) -> Double? { error.flatMap { $0 > 0 ? $0 : nil } }
        var report = GSTReport(receiver: receiver, time: time)
        report.latitudeError = positive(errors.latitude)
        report.longitudeError = positive(errors.longitude)
        report.altitudeError = positive(errors.altitude)
        return report
    }

    private var mode: Int8 {
        if quality == 0 || isValid == false || solution == 1 { return 1 }
        guard quality != nil || isValid != nil, latitude != nil else { return 1 }
        switch solution {
        case .some(3): return 3
        case .some(2): return 2
        default: return altMSL == nil ? 2 : 3
        }
    }

    // GGA's quality in gpsd's numbers.
    private var status: FixStatus {
        switch quality {
        case 2: .dgps
        case 3: .precise
        case 4: .rtkFixed
        case 5: .rtkFloat
        case 6: .deadReckoning
        case 7: .surveyed
        case 8: .simulated
        default: .plain
        }
    }
}

private func metresPerSecond(knots: Double) -> Double { knots * 1852 / 3600 }
