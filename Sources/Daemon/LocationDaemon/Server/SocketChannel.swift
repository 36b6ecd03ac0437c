// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationServices

/// A client's socket, non-blocking.
final class SocketChannel: Channel {
    let fd: Int32

    init(fd: Int32) { self.fd = fd }

    deinit { close(fd) }

    func write(_ bytes: UnsafeRawBufferPointer) -> ChannelWritten {
        while true {
            let count = send(fd, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .bytes(0)
            default: return .broken
            }
        }
    }
}
