// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import LocationTracks

/// `locationd --replay` and what it said.
struct ReplayRun {
    struct Line {
        /// Seconds from the track's first time.
        let at: Double
        let message: JSON
    }

    let output: String
    let errors: String
    let end: ProcessEnd
    private(set) var lines: [Line] = []
    private(set) var summary: JSON = .null

    init(track: [UInt8], requests: [String]? = nil, configuration: String = "", fromStandardInput: Bool = false) throws
    {
        let directory = try TemporaryDirectory()
        var arguments = ["--config", try directory.write(configuration, to: "conf"), "--replay"]
        arguments.append(fromStandardInput ? "-" : try directory.write(track, to: "track"))
        if let requests {
            arguments += ["--requests", try directory.write(requests.map { "\($0)\n" }.joined(), to: "requests")]
        }
        let process = try ChildProcess(try BuildProducts.program("locationd"), arguments)
        if fromStandardInput { try process.write(track) }
        process.closeInput()
        end = try process.waitForExit(within: 60)
        output = process.standardOutput
        errors = process.standardError
        for text in process.outputLines {
            let line = try JSON(parsing: text)
            if let at = line["at"]?.double, let message = line["message"] {
                lines.append(Line(at: at, message: message))
            } else {
                summary = line["summary"] ?? .null
            }
        }
    }

    /// A journey as gpsd tells it.
    static func track(_ points: some Sequence<TrackPoint>) -> [UInt8] {
        var bytes: [UInt8] = []
        for point in points { GPSDJSONWriter(device: Simulation.device).append(point, to: &bytes) }
        return bytes
    }

    var notifications: [Line] { lines.filter { $0.message["method"] != nil } }

    func notifications(_ method: String) -> [Line] { lines.filter { $0.message["method"]?.string == method } }

    /// The locations of one service, with the moments of their delivery.
    func locations(_ source: String) -> [(at: Double, location: JSON)] {
        notifications("didUpdateLocations").filter { $0.message["params"]?["source"]?.string == source }
            .flatMap { line in (line.message["params"]?["locations"]?.array ?? []).map { (line.at, $0) } }
    }

    /// The reply to the request `id`.
    func reply(to id: Int) -> JSON? { lines.first { $0.message["id"]?.int == id }?.message["result"] }
}
