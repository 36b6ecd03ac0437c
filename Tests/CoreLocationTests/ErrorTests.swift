// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import LocationModel
import LocationProtocol
import Testing

@Suite("A Core Location error")
struct ErrorTests {
    private static let codes: [(CLError.Code, Int, String)] = [
        (CLError.locationUnknown, 0, "locationUnknown"), (CLError.denied, 1, "denied"),
        (CLError.network, 2, "network"), (CLError.headingFailure, 3, "headingFailure"),
        (CLError.regionMonitoringDenied, 4, "regionMonitoringDenied"),
        (CLError.regionMonitoringFailure, 5, "regionMonitoringFailure"),
        (CLError.regionMonitoringSetupDelayed, 6, "regionMonitoringSetupDelayed"),
        (CLError.regionMonitoringResponseDelayed, 7, "regionMonitoringResponseDelayed"),
        (CLError.geocodeFoundNoResult, 8, "geocodeFoundNoResult"),
        (CLError.geocodeFoundPartialResult, 9, "geocodeFoundPartialResult"),
        (CLError.geocodeCanceled, 10, "geocodeCanceled"), (CLError.deferredFailed, 11, "deferredFailed"),
        (CLError.deferredNotUpdatingLocation, 12, "deferredNotUpdatingLocation"),
        (CLError.deferredAccuracyTooLow, 13, "deferredAccuracyTooLow"),
        (CLError.deferredDistanceFiltered, 14, "deferredDistanceFiltered"),
        (CLError.deferredCanceled, 15, "deferredCanceled"), (CLError.rangingUnavailable, 16, "rangingUnavailable"),
        (CLError.rangingFailure, 17, "rangingFailure"), (CLError.promptDeclined, 18, "promptDeclined"),
        (CLError.historicalLocationError, 19, "historicalLocationError"),
    ]

    @Test("has Apple's number and the daemon's name (K3)", arguments: codes)
    func numbers(code: CLError.Code, number: Int, name: String) {
        #expect(code.rawValue == number)
        #expect(CLError.Code(rawValue: number) == code)
        #expect("\(code)" == name)
        #expect(LocationErrorCode(rawValue: number).name == name)
        #expect(CLError(code).errorCode == number)
        #expect(CLError(LocationError(LocationErrorCode(rawValue: number))).code == code)
    }

    @Test(
        "of a number that nobody knows keeps the number, and reads as one that ends nothing (K3)",
        arguments: [20, -1, .max, .min])
    func unknownNumber(number: Int) {
        let error = CLError(LocationError(LocationErrorCode(rawValue: number)))
        #expect(error.errorCode == number)
        #expect(error.code == .locationUnknown)
        #expect(!(CLError.locationUnknown ~= error))
        #expect("\(error)".contains("(kCLErrorDomain \(number))"))
        #expect((error as NSError).code == number)
        #expect(!error.localizedDescription.isEmpty)
        #expect(CLError.Code(rawValue: number) == nil)
    }

    @Test("is printed with its name, its number and what it means")
    func printed() {
        let told: any Error = CLError(LocationError(.denied, message: "cannot give locations: the mayor said no"))
        let text = "CLError.denied (kCLErrorDomain 1): cannot give locations: the mayor said no"
        #expect("\(told)" == text)
        #expect(String(reflecting: told) == text)
        #expect("\(CLError(.network))".contains("CLError.network (kCLErrorDomain 2): cannot"))
    }

    @Test("of a number that nobody knows is not caught as another one")
    func unknownNumberIsNotCaught() {
        do { throw CLError(LocationError(LocationErrorCode(rawValue: 20))) } catch CLError.locationUnknown {
            Issue.record("it was caught as locationUnknown")
        } catch {
            #expect((error as NSError).code == 20)
        }
    }

    @Test("is told as any error and known again")
    func casts() {
        let told: any Error = CLError(LocationError(.denied))
        #expect((told as? CLError)?.code == .denied)
        #expect((told as NSError).domain == kCLErrorDomain)
        #expect((told as NSError).code == 1)
        #expect((told as NSError).code == CLError.Code.denied.rawValue)
        #expect(CLError.errorDomain == "kCLErrorDomain")
    }

    @Test("is made of an NSError, as delegates do")
    func madeOfObject() {
        let told: any Error = CLError(LocationError(.denied, message: "cannot give locations: the mayor said no"))
        let known = CLError(_nsError: told as NSError)
        #expect(known.code == .denied && known.localizedDescription == told.localizedDescription)
        let own = NSError(domain: kCLErrorDomain, code: CLError.Code.network.rawValue)
        #expect(CLError(_nsError: own).code == .network && CLError(_nsError: own)._nsError === own)
    }

    @Test("tells the daemon's message")
    func message() {
        let told: any Error = CLError(LocationError(.denied, message: "cannot give locations: the mayor said no"))
        #expect(told.localizedDescription == "cannot give locations: the mayor said no")
        #expect((told as NSError).localizedDescription == "cannot give locations: the mayor said no")
        #expect((told as? CLError)?.userInfo[NSLocalizedDescriptionKey] as? String != nil)
    }

    @Test("that an app makes has a message, too, unless it brings its own")
    func ownMessage() {
        #expect(CLError(.denied).localizedDescription == LocationError(.denied).message)
        #expect(CLError(.denied).userInfo.isEmpty)
        #expect(CLError(.denied, userInfo: [NSLocalizedDescriptionKey: "no"]).localizedDescription == "no")
        #expect(CLError(.denied).errorUserInfo[NSLocalizedDescriptionKey] != nil)
    }

    @Test("is caught by its code, also when it became an NSError on the way")
    func catching() {
        func caught(_ error: any Error) -> String {
            do { throw error } catch CLError.denied {
                return "denied"
            } catch CLError.network {
                return "network"
            } catch let error as CLError {
                return "\(error.code)"
            } catch {
                return "other"
            }
        }
        #expect(caught(CLError(.denied)) == "denied")
        #expect(caught(CLError(.network)) == "network")
        #expect(caught(CLError(.deferredCanceled)) == "deferredCanceled")
        #expect(caught(CLError(.denied) as NSError) == "denied")
        #expect(caught(NSError(domain: NSCocoaErrorDomain, code: 1)) == "other")
    }

    @Test("may name a region that could be watched instead")
    func alternateRegion() {
        let region = CLCircularRegion(center: CLLocationCoordinate2D(), radius: 500, identifier: "larger")
        let error = CLError(.regionMonitoringResponseDelayed, userInfo: [kCLErrorUserInfoAlternateRegionKey: region])
        #expect(error.alternateRegion === region)
        #expect(CLError(.regionMonitoringResponseDelayed).alternateRegion == nil)
        #expect(kCLErrorUserInfoAlternateRegionKey == "kCLErrorUserInfoAlternateRegionKey")
    }

    @Test("is equal to one of the same number and information")
    func equality() {
        #expect(CLError(.denied) == CLError(.denied))
        #expect(CLError(.denied) != CLError(.network))
        #expect(CLError(.denied) != CLError(.denied, userInfo: ["a": 1]))
        #expect(Set([CLError(.denied), CLError(.denied), CLError(.network)]).count == 2)
    }
}
