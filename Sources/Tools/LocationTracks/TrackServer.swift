// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationModel

/// Sends each epoch of a track to every connection at the moment at which it is due.
struct TrackServer {
    // More than a minute of bursts: whoever has not read that much is not interested.
    private static let longestQueue = 64 * 1024

    private let options: TrackOptions
    private let listener: Int32
    private var listeners: [Listener] = []

    private struct Listener {
        var fd: Int32
        var unsent: [UInt8] = []
    }

    init(options: TrackOptions, port: UInt16) throws(TrackError) {
        self.options = options
        var actualPort: UInt16 = 0
        listener = clinux_listen_loopback(port, &actualPort)
        guard listener >= 0 else {
            throw TrackError(description: "cannot listen on 127.0.0.1:\(port): \(String(cString: strerror(errno)))")
        }
        TrackCommand.write("listening on 127.0.0.1:\(actualPort)\n", to: STDOUT_FILENO)
    }

    /// Returns at the end of the track; the signals that end the process do so at once.
    consuming func run() throws(TrackError) {
        while listeners.isEmpty { serveSockets(until: nil) }
        let from = options.from ?? WallTime(milliseconds: clinux_realtime_milliseconds())
        // Due times are counted from the beginning, so that being late once does not make all that follows late.
        let began = BootInstant(nanoseconds: clinux_boottime_nanoseconds())
        for point in options.journey.points(from: from, duration: options.duration) {
            let due = began + .seconds(point.elapsed.seconds / options.speed)
            while BootInstant(nanoseconds: clinux_boottime_nanoseconds()) < due { serveSockets(until: due) }
            var burst: [UInt8] = []
            options.append(point, to: &burst)
            send(burst)
        }
        for connection in listeners { close(connection.fd) }
        close(listener)
    }

    // Waits until `deadline` or until a socket has something to tell, and does what it asks.
    private mutating func serveSockets(until deadline: BootInstant?) {
        var waiting = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
        for connection in listeners {
            let events = connection.unsent.isEmpty ? POLLIN : POLLIN | POLLOUT
            waiting.append(pollfd(fd: connection.fd, events: Int16(events), revents: 0))
        }
        guard poll(&waiting, nfds_t(waiting.count), milliseconds(until: deadline)) > 0 else { return }
        for index in listeners.indices.reversed() where waiting[index + 1].revents != 0 {
            let isGone = !drain(listeners[index].fd) || !flush(&listeners[index])
            if isGone { close(listeners.remove(at: index).fd) }
        }
        if waiting[0].revents != 0 {
            let fd = clinux_accept(listener)
            if fd >= 0 { listeners.append(Listener(fd: fd)) }
        }
    }

    // Rounded up: a millisecond late is nothing, spinning through the last one is.
    private func milliseconds(until deadline: BootInstant?) -> Int32 {
        guard let deadline else { return -1 }
        let left = deadline - BootInstant(nanoseconds: clinux_boottime_nanoseconds())
        return Int32(clamping: (left.nanoseconds + 999_999) / 1_000_000)
    }

    private mutating func send(_ burst: [UInt8]) {
        for index in listeners.indices.reversed() {
            if listeners[index].unsent.count < TrackServer.longestQueue { listeners[index].unsent += burst }
            if !flush(&listeners[index]) { close(listeners.remove(at: index).fd) }
        }
    }

    // gpsd writes its probes to the receiver; they are read and forgotten. False at the end of the connection.
    private func drain(_ fd: Int32) -> Bool {
        var scratch = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(fd, &scratch, scratch.count, 0)
            if count == 0 { return false }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
        }
    }

    // False when the connection broke.
    private func flush(_ connection: inout Listener) -> Bool {
        while !connection.unsent.isEmpty {
            let count = Glibc.send(connection.fd, connection.unsent, connection.unsent.count, Int32(MSG_NOSIGNAL))
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            connection.unsent.removeFirst(count)
        }
        return true
    }
}
