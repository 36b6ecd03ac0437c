// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import CoreLocationSimulation
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("Recorded tracks in a simulation")
struct SimulationRecordingTests {
    private static let recorded = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
        <trkpt lat="47.0" lon="11.0"><ele>600</ele><time>2019-05-01T10:00:00Z</time></trkpt>
        <trkpt lat="47.001" lon="11.0"><ele>610.5</ele><time>2019-05-01T10:00:30Z</time></trkpt>
        <trkpt lat="47.001" lon="11.001"><time>2019-05-01T10:01:00Z</time></trkpt>
        </trkseg></trk></gpx>
        """

    @Test("A recorded track comes with its intervals, heights, speeds and courses")
    func follow() async throws {
        let simulation = CLSimulation(authorization: .authorizedAlways)
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startUpdatingLocation(resumeAfter: nil))
        let directory = try TemporaryDirectory()
        let file = try directory.write(SimulationRecordingTests.recorded, to: "hike.gpx")
        let begin = simulation.date
        try await simulation.follow(gpx: URL(filePath: file))
        let told = Array(app.batches.joined())
        #expect(told.map { ($0.timestamp.date.timeIntervalSince(begin)).rounded() } == [1, 31, 61])
        #expect(told.map(\.altitude) == [600, 610.5, nil])
        #expect(told.map { ($0.course ?? -1).rounded() } == [0, 90, 90])
        #expect(told.map { (($0.speed ?? -1) * 10).rounded() / 10 } == [3.7, 2.5, 2.5])
        #expect(told.allSatisfy { $0.speedAccuracy != nil && $0.courseAccuracy != nil })
    }

    @Test("A route without times is passed at the speed that is asked for")
    func route() throws {
        let text = #"<gpx><rte><rtept lat="47" lon="11"/><rtept lat="47.001" lon="11"/></rte></gpx>"#
        let locations = try CLSimulation.locations(inGPX: Data(text.utf8), speed: 5)
        let seconds = try #require(locations.last).timestamp.timeIntervalSince(try #require(locations.first).timestamp)
        #expect(abs(seconds - 111.17 / 5) < 0.1)
        #expect(locations.first?.speed == 5)
    }

    @Test("A file that is wrong is refused with the line")
    func wrong() {
        let text = "<gpx>\n<wpt lat=\"91\" lon=\"0\"/>\n</gpx>"
        let error = #expect(throws: CLSimulation.GPXError.self) {
            try CLSimulation.locations(inGPX: Data(text.utf8))
        }
        #expect(error?.line == 2)
        #expect("\(error!)" == "line 2: cannot use lat=\"91\": degrees from -90 to 90 are allowed")
    }
}
