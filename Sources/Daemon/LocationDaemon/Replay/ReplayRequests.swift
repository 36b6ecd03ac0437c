// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import SystemSupport

/// An action of the one client of a replay, and its time.
struct ReplayRequest {
    enum Action {
        case request(Result<RequestEnvelope, Refusal>)
        /// The connection is lost; the next request makes a new one.
        case disconnect
    }

    /// Seconds from the track's first time.
    let at: Double
    let action: Action

    /// Without a file: `startUpdatingLocation` at the beginning.
    static let standard = [
        ReplayRequest(
            at: 0,
            action: .request(
                .success(RequestEnvelope(id: .integer(1), call: .asked(.startUpdatingLocation(resumeAfter: nil)))))
        )
    ]

    /// Reads JSON-RPC request lines, each with an optional `at`; `{"at":SECONDS,"disconnect":true}` drops the connection.
    static func read(path: String) throws -> [ReplayRequest] {
        var framer = LineFramer()
        framer.append(try contents(of: path))
        framer.finish()
        var requests: [ReplayRequest] = []
        var number = 0
        while case .line(let line) = framer.next() {
            number += 1
            requests.append(try parse(line, place: "\(path), request \(number)"))
        }
        // A stable order: requests of one moment stay as they were written.
        return requests.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    // Of a pipe, too: who replays may write the requests while they are read.
    private static func contents(of path: String) throws(SystemError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        guard file >= 0, let bytes = SmallFile.content(of: file) else {
            throw SystemError(cannot: "read the requests \(path)")
        }
        return bytes
    }

    private struct Disconnection: Decodable {
        let at: Double?
        let disconnect: Bool
    }

    private static func parse(_ line: ArraySlice<UInt8>, place: String) throws(SystemError) -> ReplayRequest {
        if let lost = try? JSONText.value(Disconnection.self, of: Array(line)), lost.disconnect {
            return ReplayRequest(at: lost.at ?? 0, action: .disconnect)
        }
        let decoded = RequestDecoder(acceptsTime: true).decode(line)
        switch decoded {
        case .success(let envelope): return ReplayRequest(at: envelope.at ?? 0, action: .request(decoded))
        case .failure(let refusal):
            // A line whose moment cannot be read has none; what the daemon would answer is the error.
            throw SystemError("cannot use \(place): \(refusal.error.message)")
        }
    }
}
