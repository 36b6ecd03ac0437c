// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Everything that `uplink.conf` can say. The initial values are the defaults; `UplinkKey.all` has ranges and units.
package struct UplinkSettings: Sendable {
    /// How the broker proves who it is.
    package enum Encryption: String, Sendable, CaseIterable {
        /// Not at all, and nothing is encrypted.
        case no
        /// By a certificate.
        case yes
        /// By a key that both know.
        case psk
    }

    /// The broker.
    package struct Broker: Sendable {
        /// A host name or an address; empty: nothing is configured.
        package var host = ""
        /// 0: as encryption has it, 1883 or 8883.
        package var port = 0
        /// The version of MQTT.
        package var version = BrokerSettings.Version.v5
        /// Empty: none.
        package var username = ""
        /// Empty: made of the user and the device.
        package var clientID = ""
        /// Zero: at least a minute, and longer than a batch.
        package var keepAlive = TimeSpan.zero
        /// Whether and how it is encrypted.
        package var encryption = Encryption.no
        /// A file in PEM; empty: the authorities that the system knows.
        package var authorities = ""
        /// A file in PEM; empty: none.
        package var certificate = ""
        /// Empty: none.
        package var alpn = ""
        /// Empty: the client's name.
        package var identity = ""
    }

    /// A server that takes messages by HTTP, in a broker's place.
    package struct Server: Sendable {
        /// Empty: there is none.
        package var url = ""
        /// Empty: none, and the password is a token.
        package var username = ""
        /// A file in PEM; empty: the authorities that the system knows.
        package var authorities = ""
        /// A file in PEM; empty: none.
        package var certificate = ""
    }

    /// The messages: which are sent, how late, and to which topic.
    package struct Messages: Sendable {
        package var mode = UplinkMode.move
        /// How long locations may be held, so that many go out together.
        package var batch = TimeSpan.zero
        package var backlog = BacklogRule.same
        /// The user in the topic.
        package var user = "locationd"
        /// The device in the topic; empty: this host's name.
        package var device = ""
        /// Two characters; empty: the last two of the device's name.
        package var trackerID = ""
        /// Empty: `owntracks/USER/DEVICE`.
        package var topic = ""
        /// Ends when there was nothing to do for so long; zero: never.
        package var exitWhenIdle = TimeSpan.zero
    }

    /// How Home Assistant finds the device.
    package struct HomeAssistant: Sendable {
        package var discovery = false
        package var prefix = "homeassistant"
    }

    package var broker = Broker()
    package var server = Server()
    package var messages = Messages()
    package var homeAssistant = HomeAssistant()
    /// The regions whose borders are told of.
    package var regions: [Region] = []

    /// The defaults.
    package init() {}
}
