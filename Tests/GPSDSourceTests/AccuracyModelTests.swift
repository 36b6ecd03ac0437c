// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import GPSDSource

@Suite("AccuracyModel")
struct AccuracyModelTests {
    private let receiver = ReceiverID(rawValue: 0)

    private func errors(
        mode: Int8 = 3, status: FixStatus = .plain, eph: Double? = nil, epx: Double? = nil, epy: Double? = nil,
        epv: Double? = nil, hdop: Double? = nil, vdop: Double? = nil
    ) -> EpochErrors {
        var sky = SkyReport(receiver: receiver)
        sky.hdop = hdop
        sky.vdop = vdop
        return EpochErrors(mode: mode, status: status, eph: eph, epx: epx, epy: epy, epv: epv, sky: sky)
    }

    private func horizontal(_ errors: EpochErrors, driver: String = "NMEA0183") -> Double {
        var model = AccuracyModel()
        model.driver = DriverErrors(driver: driver)
        return (model.horizontal(errors) * 1000).rounded() / 1000
    }

    @Test("the receiver's own estimate of the epoch comes first")
    func gst() {
        var gst = GSTReport(receiver: receiver)
        gst.latitudeError = 3
        gst.longitudeError = 4
        gst.altitudeError = 6
        var given = errors(eph: 19, epv: 23)
        given.gst = gst
        #expect(horizontal(given) == 5.35)
        var model = AccuracyModel()
        #expect(model.vertical(given, radius: 5.35) == 6)
        given.gst?.longitudeError = nil
        #expect(horizontal(given) == 5)
    }

    @Test("an eph computed from a dilution is undone, by status")
    func dilution() {
        #expect(horizontal(errors(eph: 22.23)) == 5.85)
        #expect(horizontal(errors(eph: 9.5)) == 3)
        #expect(horizontal(errors(status: .dgps, eph: 4.75)) == 2.5)
        #expect(horizontal(errors(status: .dgps, eph: 3.848)) == 2.025)
        #expect(horizontal(errors(status: .dgps, eph: 1.9)) == 1.5)
        #expect(horizontal(errors(status: .rtkFloat, eph: 19)) == 2.5)
        #expect(horizontal(errors(status: .rtkFixed, eph: 19)) == 0.1)
        // gpsd's own dilution has more digits than it prints.
        #expect(horizontal(errors(eph: 70.653, hdop: 3.72)) == 18.593)
    }

    @Test("an eph of the receiver is taken as it is, at 62 % where gpsd scaled it to 95 %")
    func receiverEstimate() {
        #expect(horizontal(errors(status: .dgps, eph: 1.133, hdop: 0.71), driver: "u-blox") == 1.133)
        #expect(horizontal(errors(eph: 17.661, hdop: 1.48), driver: "Garmin Serial binary") == 10.95)
        #expect(horizontal(errors(eph: 17.661), driver: "Zodiac") == 10.95)
        #expect(horizontal(errors(eph: 17.661), driver: "SiRF") == 17.661)
    }

    @Test("one epoch that looks like the other kind changes nothing, a second one does")
    func twoEpochsToSwitch() {
        var model = AccuracyModel()
        #expect(model.horizontal(errors(eph: 7.777)) == 7.777)
        #expect(model.horizontal(errors(eph: 19)) == 19)
        #expect(model.horizontal(errors(eph: 7.777)) == 7.777)
        #expect(model.horizontal(errors(eph: 19)) == 19)
        #expect(model.horizontal(errors(eph: 19)) == 5)
        #expect(model.horizontal(errors(eph: 7.777)) == max(3, 5 * 7.777 / 19))
        #expect(model.horizontal(errors(eph: 7.777)) == 7.777)
    }

    @Test("without eph: epx and epy, then the dilution of SKY, then a bound by mode")
    func fallbacks() {
        #expect(horizontal(errors(epx: 30.1, epy: 40.03)) == 22.037)
        #expect(horizontal(errors(epx: 45, epy: 60)) == 25)
        #expect(horizontal(errors(hdop: 2)) == 10)
        #expect(horizontal(errors(status: .dgps, hdop: 2)) == 5)
        #expect(horizontal(errors()) == 50)
        #expect(horizontal(errors(mode: 2)) == 150)
    }

    @Test("heights: scaled like places with one and a half times the error, or as the receiver says")
    func vertical() {
        func vertical(_ errors: EpochErrors, driver: String = "NMEA0183") -> Double {
            var model = AccuracyModel()
            model.driver = DriverErrors(driver: driver)
            return (model.vertical(errors, radius: 10) * 1000).rounded() / 1000
        }
        #expect(vertical(errors(epv: 46)) == 15)
        #expect(vertical(errors(status: .dgps, epv: 11.5)) == 7.5)
        #expect(vertical(errors(epv: 11.5)) == 4.5)
        #expect(vertical(errors(status: .dgps, epv: 1.603, vdop: 1.28), driver: "u-blox") == 1.603)
        #expect(vertical(errors(epv: 34.025, vdop: 2.8), driver: "Garmin Serial binary") == 17.36)
        #expect(vertical(errors(vdop: 2)) == 15)
        #expect(vertical(errors()) == 15)
    }

    @Test("the factors are configurable")
    func factors() {
        var factors = AccuracyFactors()
        factors.userRangeError = 10
        factors.minimum = 1
        var model = AccuracyModel(factors: factors)
        #expect(model.horizontal(errors(eph: 38)) == 20)
        #expect(model.horizontal(errors(eph: 1.9)) == 1)
    }
}
