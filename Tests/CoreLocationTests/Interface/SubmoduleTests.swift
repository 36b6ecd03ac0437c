// SPDX-License-Identifier: Apache-2.0
import CoreLocation.CLLocation
import Testing

@Suite("The submodules of Core Location")
struct SubmoduleTests {
    @Test("bring all of it along, as built by a package that depends on it")
    func all() {
        let location = CoreLocation.CLLocation(latitude: 46, longitude: 7)
        let region = CLCircularRegion(center: location.coordinate, radius: 100, identifier: "home")
        #expect(region.contains(CLLocationCoordinate2DMake(46, 7)) && location.timestamp <= Date())
    }
}
