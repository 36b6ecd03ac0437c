// SPDX-License-Identifier: Apache-2.0
import CLinux
import Dispatch
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Synchronization
import Testing

@Suite("What sessions over sockets hold and wait for", .serialized)
struct SocketResourceTests {
    private static let application = SessionApplication(name: nil, usageDescriptions: UsageDescriptions())

    private func session(at address: DaemonAddress, _ log: SessionLog = SessionLog()) -> LocationSession {
        LocationSession(
            of: SocketResourceTests.application, over: SocketTransport(to: address), handler: log.handler)
    }

    // Other suites open and close descriptors at the same time: only those of this path count.
    private func socketsConnected(to path: String) throws -> Int {
        String(decoding: try readFile("/proc/net/unix"), as: UTF8.self).split(separator: "\n")
            .count { $0.hasSuffix(" \(path)") && $0.contains(" 03 ") }
    }

    private var openDescriptors: Int {
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }

    @Test("1,000 sessions made and dropped one after the other leave no descriptor behind")
    func descriptors() throws {
        let server = try FakeDaemon(in: TemporaryDirectory())
        let before = openDescriptors
        for _ in 0..<1000 {
            let log = SessionLog()
            var session: LocationSession? = session(at: server.address, log)
            session?.perform(.startUpdatingLocation(resumeAfter: nil))
            let client = try server.accept()
            try client.greet()
            _ = try client.expect(.startUpdatingLocation)
            session = nil
            // The program is gone: its service is ended, and so is the connection.
            _ = try client.expect(.stopUpdatingLocation)
            while try client.nextRequest() != nil {}
        }
        try waitUntil("sockets are closed") { try socketsConnected(to: server.path) == 0 }
        LocationSession.queue.sync {}
        // The inotify descriptors are not in that table; other suites hold descriptors for a while, and fewer than sessions are made.
        try waitUntil("descriptors are closed: \(before) before, \(openDescriptors) now") {
            openDescriptors < before + 500
        }
    }

    // What the kernel says of the process's descriptors.
    private func descriptorInfos() throws -> [String] {
        guard let directory = opendir("/proc/self/fdinfo") else { throw TestFailure("cannot list descriptors") }
        defer { closedir(directory) }
        var infos: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            // Some are gone by now.
            if let info = try? readFile("/proc/self/fdinfo/\(name)") {
                infos.append(String(decoding: info, as: UTF8.self))
            }
        }
        return infos
    }

    @Test("1,000 sessions without a daemon share one watch of its address")
    func sharedWatch() throws {
        let directory = try TemporaryDirectory()
        let sessions = (1...1000).map { _ in session(at: DaemonAddress(path: directory.file("absent"))) }
        LocationSession.queue.sync {}
        var status = stat()
        #expect(stat(directory.path, &status) == 0)
        let inode = " ino:\(String(status.st_ino, radix: 16)) "
        func watches() throws -> Int { try descriptorInfos().count { $0.contains(inode) && $0.contains("inotify") } }
        #expect(try watches() == 1)
        for session in sessions { session.close() }
        LocationSession.queue.sync {}
        try waitUntil("the watch has ended") { try watches() == 0 }
    }

    @Test("deadlines are on the clock that goes on in suspend, and one that is called off is not set any more")
    func bootTime() throws {
        // CLOCK_BOOTTIME, and a time that nothing else here waits for, of which some seconds may have passed.
        func isSet() throws -> Bool {
            try descriptorInfos().contains { info in
                info.contains("clockid: 7") && (12225...12345).contains { info.contains("it_value: (\($0),") }
            }
        }
        let rung = Mutex(false)
        let transport = SocketTransport(to: DaemonAddress(path: "/nowhere"))
        let timer = transport.schedule(after: .seconds(12345.9), on: LocationSession.queue) {
            rung.withLock { $0 = true }
        }
        // An earlier one of another suite may come first.
        try waitUntil("the timer is set") { try isSet() }
        timer.cancel()
        #expect(try !isSet())
        let soon = transport.schedule(after: .seconds(0.01), on: LocationSession.queue) {
            rung.withLock { $0 = true }
        }
        try waitUntil("it rings") { rung.withLock { $0 } }
        withExtendedLifetime(soon) {}
    }

    @Test("nobody waits for a daemon that is not there, on any thread")
    func standing() throws {
        let directory = try TemporaryDirectory()
        let session = session(at: DaemonAddress(path: directory.file("absent")))
        let start = LocationConnection.now
        #expect(session.standing(waitingAtMost: .seconds(60)) == nil)
        #expect(LocationConnection.now - start < .seconds(30))
        LocationSession.queue.sync { #expect(session.standing(waitingAtMost: .seconds(60)) == nil) }
        #expect(LocationConnection.now - start < .seconds(30))
    }

    @Test("waiting for the first answer ends with it")
    func standingWaits() throws {
        let server = try FakeDaemon(in: TemporaryDirectory())
        let session = session(at: server.address)
        let found = Mutex<HelloResult?>(nil)
        try startThread {
            let hello = session.standing(waitingAtMost: .seconds(60))
            found.withLock { $0 = hello }
        }
        try server.accept().greet()
        try waitUntil("the answer is there") { found.withLock { $0 } != nil }
    }

    @Test("a daemon that took the connection and is silent is waited for once")
    func standingOfSilent() throws {
        let server = try FakeDaemon(in: TemporaryDirectory())
        let session = session(at: server.address)
        #expect(session.standing(waitingAtMost: .seconds(0.2)) == nil)
        let start = LocationConnection.now
        #expect(session.standing(waitingAtMost: .seconds(60)) == nil)
        #expect(LocationConnection.now - start < .seconds(30))
    }

    @Test("what was asked last is given another second with each reply")
    func farewell() throws {
        let server = try FakeDaemon(in: TemporaryDirectory())
        var session: LocationSession? = session(at: server.address)
        let client = try server.accept()
        try client.greet()
        for number in 1...4 { session?.perform(.stopMonitoring(identifier: "\(number)")) }
        session = nil
        for number in 1...4 {
            _ = try client.expect(.stopMonitoring)
            #expect(client.isHeld(for: 0.6), "before reply \(number)")
            client.send(ReplyWriter.empty(.integer(Int64(number + 1))))
        }
        #expect(client.isHeld(for: 0.1))
    }

    @Test("a socket is noticed when it appears, in directories that were not there", arguments: ["s", "a/s", "a/b/s"])
    func watches(path: String) throws {
        let directory = try TemporaryDirectory()
        let noticed = Mutex(0)
        let transport = SocketTransport(to: DaemonAddress(path: directory.file(path)))
        let watch = transport.watch(on: LocationSession.queue) { noticed.withLock { $0 += 1 } }
        #expect(watch != nil)
        var made = ""
        for component in path.split(separator: "/").dropLast() {
            made += "\(made.isEmpty ? "" : "/")\(component)"
            mkdir(directory.file(made), 0o700)
        }
        try directory.write("", to: "other")
        let server = try FakeDaemon(in: directory, at: path)
        defer { server.stop() }
        try waitUntil("the socket is noticed") { noticed.withLock { $0 } > 0 }
        LocationSession.queue.sync { noticed.withLock { $0 = 0 } }
        server.stop()
        try server.start()
        try waitUntil("the next socket is noticed") { noticed.withLock { $0 } > 0 }
        withExtendedLifetime(watch) {}
    }

    @Test("a session that begins before its daemon is connected as soon as that is there")
    func startsLater() throws {
        let directory = try TemporaryDirectory()
        let log = SessionLog()
        let session = session(at: DaemonAddress(path: directory.file("run/s")), log)
        session.perform(.startUpdatingHeading)
        try log.waitFor(["disconnected"])
        mkdir(directory.file("run"), 0o700)
        let server = try FakeDaemon(in: directory, at: "run/s")
        let client = try server.accept()
        try client.greet()
        try client.answer(.startUpdatingHeading, StateResult(.unavailable))
        try log.waitFor(["disconnected", "connected", "unavailable"])
    }

    @Test("a daemon that does not read holds up nothing, and gets everything when it does")
    func slowDaemon() throws {
        let server = try FakeDaemon(in: TemporaryDirectory())
        let session = session(at: server.address)
        let client = try server.accept()
        try client.greet()
        let purpose = String(repeating: "k", count: 20_000)
        for _ in 0..<40 { session.perform(.requestTemporaryFullAccuracyAuthorization(purposeKey: purpose)) }
        LocationSession.queue.sync {}
        for number in 1...40 {
            #expect(try client.skipLine() > purpose.utf8.count)
            client.send(ReplyWriter.result(.integer(Int64(number + 1)), StateResult(.prompted)))
        }
    }

    @Test("questions are answered from the daemon, or with why they cannot be")
    func questions() throws {
        let server = try FakeDaemon(in: TemporaryDirectory())
        let session = session(at: server.address)
        let answer = Mutex<Result<Location?, LocationClientError>?>(nil)
        session.location { result in answer.withLock { $0 = result } }
        let client = try server.accept()
        try client.greet()
        try client.answer(.location, LocationResult(Lines.location(3)))
        try waitUntil("the answer is there") { answer.withLock { $0 } != nil }
        #expect(try answer.withLock { $0 }?.get()?.sequence == 3)
        answer.withLock { $0 = nil }
        session.close()
        session.location { result in answer.withLock { $0 = result } }
        try waitUntil("the refusal is there") { answer.withLock { $0 } != nil }
        #expect(throws: LocationClientError.self) { try answer.withLock { $0 }?.get() }
    }
}
