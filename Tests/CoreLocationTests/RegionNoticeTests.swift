// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import CoreLocationSimulation
import Foundation
import Testing

@Suite("Notices of regions in Core Location")
struct RegionNoticeTests {
    private static let notice = CLRegionNotice(title: "At the hut", body: "Boots off", on: .both, repeats: false)

    private static func hut(_ notice: CLRegionNotice? = notice, tells: Bool = false) -> CLCircularRegion {
        let middle = CLLocationCoordinate2D(latitude: 47, longitude: 11)
        let region = CLCircularRegion(center: middle, radius: 100, identifier: "hut")
        (region.notifyOnEntry, region.notifyOnExit) = (tells, tells)
        region.notice = notice
        return region
    }

    @Test func `a region keeps its notice in copies and archives, and one without has none`() throws {
        let copy = try #require(Self.hut().copy() as? CLCircularRegion)
        #expect(copy.notice == Self.notice)
        copy.notice = nil
        for region in [Self.hut(), copy] {
            let bytes = try NSKeyedArchiver.archivedData(withRootObject: region, requiringSecureCoding: true)
            let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: CLCircularRegion.self, from: bytes)
            #expect(read?.notice == region.notice && read?.identifier == "hut")
        }
    }

    @Test(arguments: CLRegionNotice.Crossing.allCases)
    func `a region comes back from the daemon with its notice`(crossing: CLRegionNotice.Crossing) throws {
        let notice = CLRegionNotice(title: "t", on: crossing)
        let region = try #require(Self.hut(notice).modelled)
        #expect(CLRegion.make(of: region).notice == notice)
    }

    @Test func `the simulated user is shown the notice, and the app is told nothing`() async {
        let simulation = CLSimulation(authorization: .authorizedAlways)
        await simulation.run {
            let (manager, delegate) = (CLLocationManager(), Listener())
            manager.delegate = delegate
            manager.startMonitoring(for: Self.hut(CLRegionNotice(title: "At the hut", body: "Boots off", on: .both)))
            await simulation.feed(CLLocation(latitude: 47.01, longitude: 11))
            await simulation.stay(for: 60, every: 5)
            await simulation.move(
                along: [
                    CLLocationCoordinate2D(latitude: 47.01, longitude: 11),
                    CLLocationCoordinate2D(latitude: 47, longitude: 11),
                ], speed: 10)
            await simulation.stay(for: 60, every: 5)
            #expect(simulation.shownNotices.map(\.title) == ["At the hut"])
            let notice = simulation.shownNotices.first
            #expect(notice?.isEntry == true && notice?.body == "Boots off" && notice?.regionIdentifier == "hut")
            #expect(delegate.crossings == 0)
        }
    }
}

private final class Listener: NSObject, CLLocationManagerDelegate {
    private(set) var crossings = 0

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) { crossings += 1 }
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) { crossings += 1 }
}
