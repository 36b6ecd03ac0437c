// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// The installed gpsd, with a receiver that is the test itself: what it is fed is what the receiver says.
///
/// gpsd opens its receiver only when a client watches; `feed` waits for that. For one thread.
package final class RealGPSD {
    /// Where its clients connect, on 127.0.0.1.
    package let port: UInt16
    private let program: String
    private let sharedMemoryKey: Int32
    private let feederPort: UInt16
    private var listener: Int32
    private var receiver: Int32 = -1
    private var process: ChildProcess?

    /// Starts gpsd and waits until it listens.
    package init(within seconds: Double = patience) throws {
        program = try requireProgram("gpsd")
        (listener, feederPort) = try listenOnLoopback(port: 0)
        // The kernel's choice of a port that is free now; gpsd cannot be asked to choose one itself.
        let probe = try listenOnLoopback(port: 0)
        close(probe.fd)
        port = probe.port
        // Its own segment, or several gpsd would share one.
        sharedMemoryKey = 0x10CD_0000 | Int32(port)
        try start(within: seconds)
    }

    deinit {
        process?.terminate(SIGKILL)
        process = nil
        if receiver >= 0 { close(receiver) }
        if listener >= 0 { close(listener) }
        // A killed gpsd leaves its segment behind.
        let segment = shmget(sharedMemoryKey, 0, 0)
        if segment >= 0 { shmctl(segment, IPC_RMID, nil) }
    }

    /// gpsd's name for the receiver: the `device` of its reports.
    package var device: String { "tcp://127.0.0.1:\(feederPort)" }
    /// Whether gpsd runs.
    package var isRunning: Bool { process?.isRunning ?? false }
    /// The process; 0 when it is not running.
    package var pid: Int32 { isRunning ? process?.pid ?? 0 : 0 }
    /// What gpsd complained about.
    package var complaints: String { process?.standardError ?? "" }

    /// Waits until gpsd has opened its receiver, that is until somebody watches.
    package func waitUntilReceiverIsOpen(within seconds: Double = patience) throws {
        guard !isReceiverOpen else { return }
        guard listener >= 0 else { throw TestFailure("cannot be a receiver: it was unplugged") }
        guard Deadline.within(seconds).wait(for: POLLIN, on: listener) else {
            throw TestFailure("cannot see gpsd open its receiver within \(seconds) s: \(complaints)")
        }
        receiver = clinux_accept(listener)
        guard receiver >= 0 else { throw TestFailure.system("accept gpsd's connection") }
    }

    /// Whether gpsd has the receiver open now.
    package var isReceiverOpen: Bool {
        guard receiver >= 0 else { return false }
        // gpsd writes probes; they are swallowed. The end of the stream is gpsd closing the receiver.
        var scratch = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(receiver, &scratch, scratch.count, Int32(MSG_DONTWAIT))
            if count > 0 { continue }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return true }
            close(receiver)
            receiver = -1
            return false
        }
    }

    /// The receiver says `bytes`, as one burst.
    package func feed(_ bytes: [UInt8], within seconds: Double = patience) throws {
        let deadline = Deadline.within(seconds)
        try waitUntilReceiverIsOpen(within: seconds)
        try writeAll(bytes, to: receiver, deadline: deadline)
    }

    /// Ends the receiver's connection; gpsd may open it again. gpsd 3.22 may notice after seconds, or
    /// never, and says nothing of it: play a receiver that is reported lost with `FakeGPSD`.
    package func closeReceiver() {
        if receiver >= 0 { close(receiver) }
        receiver = -1
    }

    /// Ends the receiver's connection and lets nobody open it again until `plugIn()`.
    package func unplug() {
        closeReceiver()
        if listener >= 0 { close(listener) }
        listener = -1
    }

    /// Makes the receiver available again under its old name.
    package func plugIn(within seconds: Double = patience) throws {
        guard listener < 0 else { return }
        try waitUntil("port \(feederPort) is free again", within: seconds) {
            listener = (try? listenOnLoopback(port: feederPort).fd) ?? -1
            return listener >= 0
        }
    }

    /// Ends gpsd at once, with no chance to say goodbye.
    package func kill() throws {
        process?.terminate(SIGKILL)
        try process?.waitForExit()
        process = nil
        closeReceiver()
    }

    /// Starts gpsd again on the same port, after `kill()`.
    package func restart(within seconds: Double = patience) throws {
        if isRunning { try kill() }
        try start(within: seconds)
    }

    private func start(within seconds: Double) throws {
        let process = try ChildProcess(
            program, ["-N", "-b", "-S", "\(port)", device],
            environment: ["GPSD_SHM_KEY": "\(sharedMemoryKey)"])
        self.process = process
        try waitUntil("gpsd listens on \(port)", within: seconds) {
            guard process.isRunning else {
                throw TestFailure("cannot run gpsd: it ended, saying: \(process.standardError)")
            }
            return (try? LoopbackConnection(port: port, within: 1)) != nil
        }
    }
}
