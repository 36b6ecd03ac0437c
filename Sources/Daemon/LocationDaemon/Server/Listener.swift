// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationModel
import LocationProtocol
import LocationServices
import SystemSupport
import SystemdSupport

/// The socket to which clients connect.
final class Listener {
    private let socket: Int32
    private let journal: Journal
    private let admit: (SocketChannel, BootInstant) -> Void
    private let accepted: () -> Void
    private var source: EventLoop.Source?
    /// Connections that are taken before others have their turn.
    private static let most = 64
    /// Given up while there are no descriptors left, so that the next connection can at least be refused.
    private var spare = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)

    /// `socket` belongs to this object from now on; `admit` is told each connection, and when it came; `accepted`, that these were all for
    /// now.
    init(
        _ socket: Int32, loop: EventLoop, journal: Journal, admit: @escaping (SocketChannel, BootInstant) -> Void,
        accepted: @escaping () -> Void
    ) throws(SystemError) {
        self.socket = socket
        self.journal = journal
        self.admit = admit
        self.accepted = accepted
        source = try loop.watch(socket) { [unowned self] in accept() }
    }

    deinit {
        // The source that watches the socket goes first.
        source = nil
        close(socket)
        if spare >= 0 { close(spare) }
    }

    /// Accepts nobody from now on.
    func stop() { source = nil }

    private func accept() {
        let now = bootClock()
        defer { accepted() }
        for _ in 0..<Listener.most {
            let fd = clinux_accept(socket)
            if fd < 0 {
                if errno == EMFILE || errno == ENFILE { refuseForWantOfDescriptors() }
                return
            }
            admit(SocketChannel(fd: fd), now)
        }
    }

    // A connection that cannot be accepted would make the socket ready for ever.
    private func refuseForWantOfDescriptors() {
        journal.warning("cannot accept a client: no file descriptors left; raise LimitNOFILE=")
        guard spare >= 0 else { return }
        close(spare)
        let fd = clinux_accept(socket)
        if fd >= 0 { SocketChannel(fd: fd).refuse("no file descriptors left") }
        spare = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
}

extension SocketChannel {
    /// Tells the client why it is not served.
    func refuse(_ reason: String) {
        let error = RPCError(.tooManyConnections, "cannot take another connection: \(reason)")
        _ = ReplyWriter.refusal(nil, error).withUnsafeBytes { write($0) }
    }
}
