// SPDX-License-Identifier: Apache-2.0
import SystemSupport

/// Where gpsd listens.
package enum GPSDAddress: Sendable, Equatable, CustomStringConvertible {
    /// A host name or numeric address without brackets, and a port from 1 to 65535.
    case tcp(host: String, port: Int)
    /// An absolute path.
    case unix(path: String)

    /// Reads `HOST:PORT`, `[ADDRESS]:PORT` or `/PATH`; nil for anything else.
    package init?(_ text: String) {
        if text.hasPrefix("/") {
            // The length of sun_path, with its zero.
            guard text.utf8.count < 108 else { return nil }
            self = .unix(path: text)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = Int(digits: text[text.index(after: colon)...]),
            (1...65535).contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(where: { ":[]".contains($0) }) {
            return nil
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else {
            return nil
        }
        self = .tcp(host: String(host), port: port)
    }

    /// As it is written in the file.
    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): path
        }
    }
}
