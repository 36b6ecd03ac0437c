// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import CoreLocation

@Suite("An archived location")
struct ArchiveTests {
    @Test("is read from an archive that has neither floor nor source")
    func archiveWithoutParts() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        LocationFields(coordinate: CLLocationCoordinate2D(latitude: 48.5, longitude: 9), horizontalAccuracy: 5)
            .encodeNumbers(with: archiver)
        archiver.finishEncoding()
        let location = CLLocation(coder: try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData))
        #expect(location?.coordinate.latitude == 48.5 && location?.floor == nil && location?.sourceInformation == nil)
    }
}
