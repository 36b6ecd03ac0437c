// SPDX-License-Identifier: Apache-2.0
import CSystemd
import Glibc

/// The descriptors that systemd handed over, told apart by their names.
struct HandedDescriptors {
    /// Where clients are to connect.
    private(set) var sockets: [Int32] = []
    /// The carriers with former processes' clients: normally one, or none.
    private(set) var carriers: [Int32] = []

    /// Takes them; they are nobody else's from now on.
    init() {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        guard count > 0, let names else { return }
        defer { free(names) }
        for index in 0..<Int(count) {
            let fd = SD_LISTEN_FDS_START + Int32(index)
            let name = names[index].map { String(cString: $0) }
            free(names[index])
            if name == Handover.name { carriers.append(fd) } else { sockets.append(fd) }
        }
    }
}
