// SPDX-License-Identifier: Apache-2.0
import Glibc

/// How the broker is reached, and who this is there.
package struct BrokerSettings: Sendable, Equatable {
    /// Which version of MQTT is spoken.
    package enum Version: String, Sendable, CaseIterable {
        case v5 = "5"
        case v311 = "3.1.1"
    }

    /// How the broker proves who it is.
    package enum Trust: Sendable, Equatable {
        /// Nothing, and nothing is encrypted.
        case none
        /// A certificate of these.
        case authorities(Authorities)
        /// A key that both sides know: hexadecimal digits.
        case sharedKey(identity: String, key: String)

        /// By which setting the broker is believed, for people; nil: by none.
        var shown: String? {
            switch self {
            case .none: nil
            case .authorities(.file(let path)): "CAFile=\(path)"
            case .authorities(.system): "the authorities that the system knows"
            case .sharedKey(let identity, _): "the key of Identity=\(identity)"
            }
        }
    }

    /// A host name or an address.
    package var host = ""
    /// 1 to 65535.
    package var port = 1883
    /// The version.
    package var version = Version.v5
    /// The broker knows this connection by it.
    package var clientID = ""
    /// nil: none.
    package var username: String?
    /// nil: none.
    package var password: String?
    /// Seconds after which the broker hears something of a connection that is idle.
    package var keepAlive = 60
    /// The proof that is asked of the broker.
    package var trust = Trust.none
    /// The proof that this device gives of itself.
    package var certificate: ClientCertificate?
    /// The name of the protocol that TLS negotiates (ALPN), for brokers that serve several at one port.
    package var alpn: String?

    /// A broker of which nothing is known yet.
    package init() {}
}

/// The authorities that vouch for the other side of an encrypted connection.
package enum Authorities: Sendable, Equatable {
    /// Those that the system knows, where OpenSSL's environment does not name others.
    case system
    /// Those of a file in PEM.
    case file(String)

    /// Their file in PEM; nil: they are in `directory`.
    var file: String? {
        switch self {
        case .system: getenv("SSL_CERT_FILE").map { String(cString: $0) }
        case .file(let path): path
        }
    }

    /// A directory of files with hashed names; nil: they are in `file`.
    var directory: String? {
        guard file == nil else { return nil }
        return getenv("SSL_CERT_DIR").map { String(cString: $0) } ?? "/etc/ssl/certs"
    }
}

/// Files in PEM by which this device proves who it is.
package struct ClientCertificate: Sendable, Equatable {
    let file: String
    let key: String
}
