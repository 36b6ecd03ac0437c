// SPDX-License-Identifier: Apache-2.0
import ConfigurationReading
import LocationModel
import LocationTestSupport
import LocationUplink
import SystemSupport
import Testing

@Suite("The uplink's settings")
struct ConfigurationTests {
    private func problems(_ text: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try UplinkConfigurationFile.parse(Array(text.utf8), path: "u.conf")
            return []
        } catch {
            return error.problems
        }
    }

    @Test func `the shipped file has every key with its default`() throws {
        let path = try BuildProducts.packageDirectory() + "/Config/uplink.conf"
        let lines = try String(decoding: readFile(path), as: UTF8.self).split(separator: "\n")
        for key in UplinkKey.all {
            let line = "#\(key.name)=\(key.text(in: UplinkSettings()))"
            #expect(lines.contains { $0 == line }, "\(line) is not there")
        }
        // What it has commented out can be used.
        let text = lines.map { $0.hasPrefix("#Host") ? "Host=broker" : String($0) }.joined(separator: "\n")
        #expect(problems(text).isEmpty)
    }

    @Test func `all faults are told, with line, what was given and what is allowed`() {
        #expect(
            problems("[Broker]\nHost=a b\nPort=99999\nTSL=yes\n[Uplink]\nMode=fast\nTopic=a/#\n[Regions]\nHome=1,2\n")
                == [
                    "cannot use u.conf:2: Host=a b is not a host name or an address, without brackets and without a port",
                    "cannot use u.conf:3: Port=99999 is not a whole number from 0 to 65535",
                    "cannot use u.conf:4: TSL is not a key of [Broker]; its keys are Host, Port, Protocol, Username, ClientID, "
                        + "KeepAlive, TLS, CAFile, CertificateFile, ALPN, Identity",
                    "cannot use u.conf:6: Mode=fast is not significant, move or manual",
                    "cannot use u.conf:7: Topic=a/# is not levels with / between them, without +, # and control characters",
                    "cannot use u.conf:9: Home=1,2 is not LATITUDE,LONGITUDE,RADIUS, such as 52.5163,13.3777,100m",
                ])
    }

    @Test func `settings that contradict each other are told`() {
        #expect(
            problems("") == ["cannot use u.conf: neither [Broker] Host= nor [HTTP] URL= says where the messages go"])
        #expect(
            problems("[Broker]\nHost=b\nCAFile=/ca\n")
                == ["cannot use u.conf:3: CAFile=, CertificateFile= and ALPN= need TLS=yes"])
        #expect(
            problems("[Broker]\nALPN=mqtt\nHost=b\nTLS=no\nPort=1\n")
                == ["cannot use u.conf:4: CAFile=, CertificateFile= and ALPN= need TLS=yes"])
        #expect(
            problems("[Broker]\nTLS=psk\nCAFile=/ca\nHost=b\n") == [
                "cannot use u.conf:3: TLS=psk has no certificates: CAFile= and CertificateFile= need TLS=yes"
            ])
        #expect(
            problems("[Broker]\nHost=\n[Uplink]\nUser=ada\n")
                == ["cannot use u.conf:2: neither [Broker] Host= nor [HTTP] URL= says where the messages go"])
        #expect(
            problems("[Broker]\nHost=b\n[HTTP]\nUsername=ada\n")
                == ["cannot use u.conf:4: [HTTP] Username= needs URL= in [HTTP]"])
    }

    @Test func `what only a broker knows is refused for a server`() {
        #expect(
            problems(
                "[HTTP]\nURL=http://h/p\nCAFile=/ca\n[Broker]\nHost=b\nTLS=yes\n[Uplink]\nBacklog=topic\n[HomeAssistant]\nDiscovery=yes\n"
            )
                == [
                    "cannot use u.conf:3: CAFile= and CertificateFile= need a URL= with https://",
                    "cannot use u.conf:5: [Broker] Host= is for a broker, and not for the URL= of [HTTP]",
                    "cannot use u.conf:6: [Broker] TLS= is for a broker, and not for the URL= of [HTTP]",
                    "cannot use u.conf:8: Backlog=topic is for a broker: a server has no topics",
                    "cannot use u.conf:10: [HomeAssistant] Discovery= is for a broker, and not for the URL= of [HTTP]",
                ])
    }

    @Test(arguments: ["h:1883", "-h", "fe80::1:x", "h%eth0", "[::1]", "::1%"])
    func `a host is a name or an address without a port`(host: String) {
        #expect(
            problems("[Broker]\nHost=\(host)\n") == [
                "cannot use u.conf:2: Host=\(host) is not a host name or an address, without brackets and without a port"
            ])
    }

    @Test(arguments: ["broker", "broker.example.", "my-broker_2", "127.0.0.1", "::1", "2001:db8::1", "fe80::1%eth0"])
    func `names and addresses are hosts`(host: String) {
        #expect(problems("[Broker]\nHost=\(host)\n") == [])
    }

    @Test func `a region is no larger than locationd takes it`() {
        #expect(
            problems("[Broker]\nHost=b\n[Regions]\nHome=1,2,30000km\nWork=1,2,20000km\n")
                == ["cannot use u.conf:4: Home=1,2,30000km has a radius over 20000km"])
    }

    @Test(arguments: ["[Broker]\nHost=b\nTLS=yes", "[HTTP]\nURL=https://h/p"], ["CAFile", "CertificateFile"])
    func `a file of certificates is looked into before it is needed`(place: String, key: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write("root:x:0:0:root:/root:/bin/sh\n", to: "passwd")
        try directory.write("-----BEGIN CERTIFICATE-----\n", to: "ca.pem")
        try directory.write("a key\n", to: "key.pem")
        func check(_ file: String) throws -> (end: ProcessEnd, words: String) {
            let path = directory.file(file)
            try directory.write("\(place)\n\(key)=\(path)\n", to: "u.conf")
            let process = try ChildProcess(
                BuildProducts.program("locationd-uplink"), ["--config", directory.file("u.conf"), "--check"],
                environment: ["CREDENTIALS_DIRECTORY": directory.path])
            let end = try process.waitForExit()
            return (end, process.standardError.replacing(path, with: "FILE"))
        }
        let (missing, other, right) = (try check("nope"), try check("passwd"), try check("ca.pem"))
        #expect(missing.end == .exited(78))
        #expect(missing.words.contains("cannot use \(key)=FILE: No such file or directory"))
        #expect(other.end == .exited(78))
        #expect(other.words.contains("cannot use \(key)=FILE: it has no certificate in PEM"))
        #expect(right.end == .exited(0) && right.words == "")
    }

    @Test(arguments: [
        "ftp://h/p", "h/p", "https://", "http:///x", "http://h/p#x", "http://h:99999/", "http://h:0/", "https://h/a b",
    ])
    func `a URL is one of HTTP`(url: String) {
        #expect(
            problems("[HTTP]\nURL=\(url)\n") == [
                "cannot use u.conf:2: URL=\(url) is not http://HOST[:PORT]/PATH or https://HOST[:PORT]/PATH "
                    + "with a PORT from 1 to 65535"
            ])
    }

    @Test func `secrets do not stand where everybody reads them`() throws {
        #expect(
            problems("[HTTP]\nURL=https://ada:secret@h/p\n")
                == ["cannot use u.conf:2: URL= has a user or a password, which everybody can read: see Username="])
        let directory = try TemporaryDirectory()
        try directory.write("secret\n", to: "password")
        try directory.write("key=1\n", to: "query")
        func server(_ text: String, _ secrets: Credentials) throws -> ServerSettings? {
            let settings = try UplinkConfigurationFile.parse(
                Array("[HTTP]\nURL=https://h/p?a=b\n\(text)".utf8), path: "u.conf")
            return try UplinkSetup(settings, host: "boat", secrets: secrets).server
        }
        let secrets = Credentials(directory: directory.path)
        let token = try #require(try server("", secrets))
        #expect(token.proof == .token("secret") && token.query == "key=1" && token.shown == "https://h/p")
        #expect(try server("Username=ada", secrets)?.proof == .password(user: "ada", password: "secret"))
        #expect(throws: SystemError.self) { try server("Username=ada", Credentials(directory: nil)) }
    }

    @Test func `what is not said follows from what is`() throws {
        func setup(_ text: String) throws -> UplinkSetup {
            let settings = try UplinkConfigurationFile.parse(Array("[Broker]\nHost=b\n\(text)".utf8), path: "u.conf")
            return try UplinkSetup(settings, host: "boat", secrets: Credentials(directory: nil))
        }
        let plain = try setup("")
        #expect(plain.broker.port == 1883 && plain.broker.clientID == "locationd-locationd-boat")
        #expect(plain.options.topics.location == "owntracks/locationd/boat" && plain.broker.keepAlive == 60)
        let other = try setup("TLS=yes\n[Uplink]\nUser=ada\nDevice=car\nBatch=10min\n")
        #expect(
            other.broker.port == 8883 && other.broker.trust == .authorities(.system) && other.broker.keepAlive == 630)
        #expect(other.options.topics.location == "owntracks/ada/car" && other.options.writer.trackerID == "ar")
    }

    @Test func `regions are circles with names`() throws {
        let settings = try UplinkConfigurationFile.parse(
            Array("[Broker]\nHost=b\n[Regions]\nHome=52.5163, 13.3777, 1.5km\nWork=1,2,50\nHome=1,2,3\n".utf8),
            path: "u.conf")
        #expect(settings.regions.map(\.identifier) == ["Work", "Home"])
        #expect(settings.regions[0].shape == .circle(center: Coordinate(latitude: 1, longitude: 2), radius: 50))
    }

    @Test func `a secret of which the unit hands over an empty line is not there`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("\n", to: "password")
        try directory.write("1a2b\n", to: "psk")
        let secrets = Credentials(directory: directory.path)
        #expect(try secrets.text("password") == nil && secrets.path("key.pem") == nil)
        #expect(try secrets.text("psk") == "1a2b")
    }
}
