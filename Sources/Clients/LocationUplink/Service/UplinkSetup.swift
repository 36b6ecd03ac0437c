// SPDX-License-Identifier: Apache-2.0
import Glibc
package import LocationClient
import LocationModel
package import SystemSupport

/// Everything that the program was told: settings, secrets, directories.
package struct UplinkSetup {
    /// The broker and who this is there.
    package var broker = BrokerSettings()
    /// The server in its place; nil: it is the broker.
    package var server: ServerSettings?
    /// The settings for the messages.
    package var options: UplinkOptions
    /// The services that locationd is asked for.
    let services: WantedServices
    /// Where locationd listens.
    package var daemon = DaemonAddress.standard
    /// Where the state is kept.
    package var stateDirectory = "/var/lib/locationd-uplink"
    /// Where the status is shown.
    package var runtimeDirectory = "/run/locationd-uplink"

    /// `settings` with the secrets that `secret` knows by name: `password`, `psk`, `query`, and
    /// the file `key.pem`. `host`: the name of this device.
    package init(
        _ settings: UplinkSettings, host: String, secrets: Credentials
    ) throws(SystemError) {
        let messages = settings.messages
        let device = messages.device.isEmpty ? host : messages.device
        let names = "\(messages.user)/\(device)"
        let topic = messages.topic.isEmpty ? "owntracks/\(names)" : messages.topic
        let monitoring: Int? =
            switch messages.mode {
            case .significant: 1
            case .move: 2
            case .manual: nil
            }
        let writer = OwnTracks(
            device: names, trackerID: messages.trackerID.isEmpty ? String(device.suffix(2)) : messages.trackerID,
            monitoring: monitoring)
        options = UplinkOptions(topics: Topics(location: topic), writer: writer)
        options.mode = messages.mode
        options.batch = messages.batch
        options.backlog = messages.backlog
        options.exitWhenIdle = messages.exitWhenIdle
        options.readsHistory = true
        services = WantedServices(mode: messages.mode, regions: settings.regions)
        if settings.homeAssistant.discovery {
            options.announcements = [
                HomeAssistant.discovery(
                    prefix: settings.homeAssistant.prefix, user: messages.user, device: device, topic: topic)
            ]
        }
        if settings.server.url.isEmpty {
            try setBroker(settings, names: names, secrets)
        } else {
            options.carrier = .server
            server = try UplinkSetup.server(settings, device: device, secrets)
        }
    }

    private mutating func setBroker(
        _ settings: UplinkSettings, names: String, _ secrets: Credentials
    ) throws(SystemError) {
        let given = settings.broker
        broker.host = given.host
        broker.port = given.port > 0 ? given.port : given.encryption == .no ? 1883 : 8883
        broker.version = given.version
        let plain = "locationd-\(names)".map { $0.isLetter || $0.isNumber ? $0 : "-" }
        broker.clientID = given.clientID.isEmpty ? String(plain) : given.clientID
        broker.username = given.username.isEmpty ? nil : given.username
        broker.password = try secrets.text("password")
        // Longer than a batch: what is sent with each batch keeps the connection alive, and nothing else needs the radio.
        let keepAlive = max(60, messagesSpan(settings) + 30)
        broker.keepAlive = given.keepAlive > .zero ? max(5, Int(given.keepAlive.seconds)) : keepAlive
        broker.alpn = given.alpn.isEmpty ? nil : given.alpn
        switch given.encryption {
        case .no: broker.trust = .none
        case .yes: broker.trust = .authorities(try UplinkSetup.authorities(given.authorities))
        case .psk:
            guard let key = try secrets.text("psk") else {
                throw SystemError("cannot use TLS=psk: there is no credential psk")
            }
            guard !key.isEmpty, key.allSatisfy(\.isHexDigit) else {
                throw SystemError("cannot use the credential psk: only hexadecimal digits are allowed")
            }
            broker.trust = .sharedKey(identity: given.identity.isEmpty ? broker.clientID : given.identity, key: key)
        }
        broker.certificate = try UplinkSetup.certificate(given.certificate, secrets)
    }

    private static func server(
        _ settings: UplinkSettings, device: String, _ secrets: Credentials
    ) throws(SystemError) -> ServerSettings {
        let given = settings.server
        var server = ServerSettings()
        server.url = given.url
        server.query = try secrets.text("query")
        (server.user, server.device) = (settings.messages.user, device)
        if let password = try secrets.text("password") {
            server.proof =
                given.username.isEmpty ? .token(password) : .password(user: given.username, password: password)
        } else if !given.username.isEmpty {
            throw SystemError("cannot use Username=: there is no credential password")
        }
        server.authorities = try authorities(given.authorities)
        server.certificate = try certificate(given.certificate, secrets)
        return server
    }

    private static func authorities(_ file: String) throws(SystemError) -> Authorities {
        guard !file.isEmpty else { return .system }
        try requireCertificates(in: file, of: "CAFile")
        return .file(file)
    }

    // The libraries would say only with the first connection, and without its name, that a file cannot be used.
    private static func requireCertificates(in file: String, of key: String) throws(SystemError) {
        let reason: String? =
            switch SmallFile(at: file, limit: 1 << 24) {
            case .missing: "No such file or directory"
            case .refused(let reason): reason
            case .bytes(let bytes):
                String(decoding: bytes, as: UTF8.self).contains("CERTIFICATE-----")
                    ? nil : "it has no certificate in PEM"
            }
        if let reason { throw SystemError("cannot use \(key)=\(file): \(reason)") }
    }

    private static func certificate(_ file: String, _ secrets: Credentials) throws(SystemError) -> ClientCertificate? {
        guard !file.isEmpty else { return nil }
        try requireCertificates(in: file, of: "CertificateFile")
        guard let key = secrets.path("key.pem") else {
            throw SystemError("cannot use CertificateFile=: there is no credential key.pem")
        }
        return ClientCertificate(file: file, key: key)
    }

    private func messagesSpan(_ settings: UplinkSettings) -> Int { Int(settings.messages.batch.seconds) }

    /// The regions of the configuration, with the dates since when those of `kept` that are the same are known.
    func knownRegions(
        _ kept: [String: UplinkState.KnownRegion], now: WallTime
    ) -> [String: UplinkState.KnownRegion] {
        var known: [String: UplinkState.KnownRegion] = [:]
        for region in services.regions {
            let shape = "\(region.shape)"
            let before = kept[region.identifier]
            known[region.identifier] =
                before?.shape == shape ? before : UplinkState.KnownRegion(shape: shape, since: now.milliseconds)
        }
        return known
    }
}

/// The secrets that systemd hands over, a file each.
package struct Credentials {
    /// Where they are; nil: systemd has handed over none.
    let directory: String?

    /// Those in `directory`, by default what `CREDENTIALS_DIRECTORY` names.
    package init(directory: String? = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }) {
        self.directory = directory
    }

    /// The path of a secret; nil: there is none of the name, or the unit hands over an empty line in its place.
    package func path(_ name: String) -> String? {
        var status = stat()
        guard let directory, case let path = "\(directory)/\(name)", stat(path, &status) == 0, status.st_size > 1 else {
            return nil
        }
        return path
    }

    /// A secret in one line; nil: there is none of the name.
    package func text(_ name: String) throws(SystemError) -> String? {
        guard let path = path(name) else { return nil }
        switch SmallFile(at: path) {
        case .missing: return nil
        case .refused(let reason): throw SystemError("cannot use \(path): \(reason)")
        case .bytes(let bytes):
            let line = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).first ?? []
            return String(decoding: line, as: UTF8.self)
        }
    }
}
