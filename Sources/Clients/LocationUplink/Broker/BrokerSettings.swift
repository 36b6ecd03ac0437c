// SPDX-License-Identifier: Apache-2.0
import CMosquitto

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
        /// The authorities that the system knows.
        case system
        /// Those of a file in PEM.
        case file(String)
        /// A key that both sides know: hexadecimal digits.
        case sharedKey(identity: String, key: String)
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
    /// Files in PEM that prove who this is: a certificate and its key.
    package var certificate: (file: String, key: String)?
    /// The name of the protocol that TLS negotiates (ALPN), for brokers that serve several at one port.
    package var alpn: String?

    /// A broker of which nothing is known yet.
    package init() {}

    /// Whether both reach the same broker in the same way.
    package static func == (left: BrokerSettings, right: BrokerSettings) -> Bool {
        left.host == right.host && left.port == right.port && left.version == right.version
            && left.clientID == right.clientID && left.username == right.username && left.password == right.password
            && left.keepAlive == right.keepAlive && left.trust == right.trust
            && left.certificate?.file == right.certificate?.file && left.certificate?.key == right.certificate?.key
            && left.alpn == right.alpn
    }
}
