// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

/// The example of Documentation/Architecture.md, "To add an outlet": appends each location to a file, in which the last line is the cursor.
private struct Logbook {
    private let path: String
    private let connection: LocationConnection

    /// Goes on behind the last line of the file at `path`.
    init(_ path: String, at daemon: DaemonAddress) throws {
        self.path = path
        connection = try LocationConnection(to: daemon)
        _ = try connection.hello(app: "logbook", always: "to write down where the device was")
        _ = try connection.startUpdatingLocation(resumeAfter: Logbook.sequences(in: path).last)
    }

    /// Writes down what comes until the file has `count` lines.
    func write(until count: Int) throws {
        let deadline = LocationConnection.now + .seconds(patience)
        while Logbook.sequences(in: path).count < count {
            guard case .notification(let received) = try connection.nextNotification(by: deadline) else {
                throw TestFailure("the logbook has \(Logbook.sequences(in: path)), not \(count) lines")
            }
            guard case .didUpdateLocations(let update) = received.notification, !update.isCached else { continue }
            #expect(!update.hasGap && update.dropped == 0)
            try append(update.locations)
        }
    }

    private func append(_ locations: [Location]) throws {
        guard let file = fopen(path, "ae") else { throw TestFailure("cannot write \(path)") }
        defer { fclose(file) }
        for location in locations {
            fputs("\(location.sequence) \(location.coordinate.latitude) \(location.coordinate.longitude)\n", file)
        }
    }

    static func sequences(in path: String) -> [UInt64] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var found: [UInt64] = []
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil { found.append(strtoull(line, nil, 10)) }
        return found
    }
}

@Suite("An outlet of locations", .serialized)
struct OutletTests {
    @Test("hands on each location once, though the outlet and the daemon end at any time")
    func lossless() throws {
        let daemon = try RealDaemon()
        try daemon.launch()
        try daemon.waitUntilItServes()
        let directory = try TemporaryDirectory()
        let path = directory.file("logbook")
        // Another client of the app, which keeps its standard service running while the outlet is away.
        let companion = try LocationConnection(to: daemon.address)
        _ = try companion.hello(app: "logbook", always: "the same")
        _ = try companion.startUpdatingLocation()

        var outlet: Logbook? = try Logbook(path, at: daemon.address)
        try daemon.fixes(3)
        try outlet?.write(until: 3)
        outlet = nil
        try daemon.fixes(4)
        outlet = try Logbook(path, at: daemon.address)
        try outlet?.write(until: 7)
        outlet = nil
        try daemon.kill()
        try daemon.launch()
        try daemon.waitUntilItServes()
        outlet = try Logbook(path, at: daemon.address)
        try daemon.fixes(2)
        try outlet?.write(until: 9)

        let written = Logbook.sequences(in: path)
        #expect(written.count == 9 && Set(written).count == 9 && written == written.sorted())
    }
}
