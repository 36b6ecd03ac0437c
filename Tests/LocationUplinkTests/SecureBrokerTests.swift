// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

/// A broker that wants to be sure of who comes, and that proves who it is.
@Suite("The uplink and a secure broker", .blocking)
struct SecureBrokerTests {
    private func openssl(_ arguments: String, in directory: TemporaryDirectory) throws {
        let process = try ChildProcess(
            try requireProgram("openssl"), arguments.split(separator: " ").map { String($0).replaceAt(directory.path) })
        try #require(try process.waitForExit() == .exited(0), "\(process.standardError)")
    }

    /// An authority, and certificates of it for the broker `localhost` and for the device.
    private func makeCertificates(in directory: TemporaryDirectory) throws {
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=authority -days 2 -keyout @/ca.key -out @/ca.pem",
            in: directory)
        for name in ["localhost", "car"] {
            try openssl(
                "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=\(name) -keyout @/\(name).key -out @/\(name).csr",
                in: directory)
            try directory.write("subjectAltName=DNS:\(name)\n", to: "\(name).ext")
            try openssl(
                "x509 -req -in @/\(name).csr -CA @/ca.pem -CAkey @/ca.key -CAcreateserial -days 2 -extfile @/\(name).ext -out @/\(name).pem",
                in: directory)
        }
    }

    private func sends(_ bench: UplinkBench, _ count: Int, environment: [String: String?] = [:]) throws {
        try bench.startAll(environment: environment)
        try bench.fixes(count)
        try waitUntil("\(count) are acknowledged: \(bench.status.map { "\($0)" } ?? "")") {
            bench.status?["sent"]?.int == count && bench.status?["waiting"]?.int == 0
        }
    }

    @Test func `proves itself with a certificate to a broker that does so, too`() throws {
        let directory = try TemporaryDirectory()
        try makeCertificates(in: directory)
        let bench = try UplinkBench(
            uplink: "Host=localhost\nTLS=yes\nCAFile=\(directory.file("ca.pem"))\n"
                + "CertificateFile=\(directory.file("car.pem"))",
            broker: "cafile \(directory.file("ca.pem"))\ncertfile \(directory.file("localhost.pem"))\n"
                + "keyfile \(directory.file("localhost.key"))\nrequire_certificate true\nuse_identity_as_username true\n"
        )
        try bench.directory.write(readFile(directory.file("car.key")), to: "secrets/key.pem")
        try sends(bench, 10)
    }

    @Test(arguments: [false, true])
    func `believes the authorities that the system knows, in a directory or in a file`(isServer: Bool) throws {
        let directory = try TemporaryDirectory()
        try makeCertificates(in: directory)
        func bench() throws -> UplinkBench {
            guard !isServer else {
                return try UplinkBench(server: [directory.file("localhost.pem"), directory.file("localhost.key")])
            }
            return try UplinkBench(
                uplink: "Host=localhost\nTLS=yes",
                broker: "allow_anonymous true\ncertfile \(directory.file("localhost.pem"))\n"
                    + "keyfile \(directory.file("localhost.key"))\n")
        }
        mkdir(directory.file("authorities"), 0o700)
        try directory.write(readFile(directory.file("ca.pem")), to: "authorities/ca.pem")
        try openssl("rehash @/authorities", in: directory)
        try sends(try bench(), 3, environment: ["SSL_CERT_DIR": directory.file("authorities"), "SSL_CERT_FILE": nil])
        try sends(try bench(), 3, environment: ["SSL_CERT_FILE": directory.file("ca.pem")])
        let stranger = try bench()
        try stranger.startAll(environment: ["SSL_CERT_FILE": nil, "SSL_CERT_DIR": nil])
        try stranger.fixes(3)
        try waitUntil("others are not believed") { stranger.status?["lastError"]?.string?.hasPrefix("cannot ") == true }
        #expect(stranger.status?["sent"]?.int == 0)
    }

    @Test func `proves itself to a server with a certificate, a password and a key in the URL`() throws {
        let directory = try TemporaryDirectory()
        try makeCertificates(in: directory)
        let (authority, own) = (directory.file("ca.pem"), directory.file("car.pem"))
        let bench = try UplinkBench(
            uplink: "CAFile=\(authority)\nCertificateFile=\(own)\nUsername=ada",
            server: [directory.file("localhost.pem"), directory.file("localhost.key"), authority])
        try bench.directory.write(readFile(directory.file("car.key")), to: "secrets/key.pem")
        try bench.directory.write("secret\n", to: "secrets/password")
        try bench.directory.write("key=1\n", to: "secrets/query")
        try sends(bench, 3)
        let request = try #require(bench.server?.taken.first)
        #expect(request.json["Authorization"]?.string == "Basic YWRhOnNlY3JldA==")
        #expect(request.json["path"]?.string == "/pub?key=1")
        #expect(bench.status?["broker"]?.string?.contains("key=1") == false)
    }

    @Test func `does not send to a server without its certificate, or of another name`() throws {
        let directory = try TemporaryDirectory()
        try makeCertificates(in: directory)
        let wanting = [directory.file("localhost.pem"), directory.file("localhost.key"), directory.file("ca.pem")]
        for tls in [wanting, [directory.file("car.pem"), directory.file("car.key")]] {
            let bench = try UplinkBench(uplink: "CAFile=\(directory.file("ca.pem"))", server: tls)
            try bench.directory.write("secret\n", to: "secrets/password")
            try bench.startAll()
            try bench.fixes(3)
            try waitUntil("that is said") {
                bench.status?["lastError"]?.string?.hasPrefix("cannot send to https://localhost") == true
            }
            #expect(bench.server?.requests.isEmpty == true)
        }
    }

    @Test func `gives a server a token where there is no name`() throws {
        let bench = try UplinkBench(server: [])
        try bench.directory.write("secret\n", to: "secrets/password")
        try sends(bench, 3)
        #expect(bench.server?.taken.first?.json["Authorization"]?.string == "Bearer secret")
    }

    @Test func `names its protocol to who serves several at one port`() throws {
        let directory = try TemporaryDirectory()
        try makeCertificates(in: directory)
        let port = try UplinkBench.freePort()
        let settings = "Host=localhost\nPort=\(port)\nTLS=yes\nCAFile=\(directory.file("ca.pem"))\n"
        let bench = try UplinkBench(uplink: settings + "ALPN=x-amzn-mqtt-ca")
        let program = try BuildProducts.packageDirectory() + "/Tests/LocationUplinkTests/Programs/tls-relay.py"
        let relay = try ChildProcess(
            "/usr/bin/python3",
            [
                "-B", program, "\(port)", "\(bench.tap.port)", directory.file("localhost.pem"),
                directory.file("localhost.key"), "x-amzn-mqtt-ca",
            ])
        _ = try relay.waitForOutput { $0 == "listening" }
        try sends(bench, 10)
        try bench.kill(.uplink)
        try bench.directory.write("[Uplink]\nDevice=car\n[Broker]\n\(settings)", to: "uplink.conf")
        try bench.startUplink()
        try waitUntil("who names none is turned away") {
            bench.status?["lastError"]?.string?.hasPrefix("cannot ") == true
        }
    }

    /// What keeps the uplink from trusting a broker.
    enum Distrust: CaseIterable {
        case otherName, otherAuthority, noEncryption

        /// In OpenSSL's and the library's words.
        var words: String {
            switch self {
            case .otherName: "host name verification failed; certificate verify failed"
            case .otherAuthority: "certificate verify failed"
            case .noEncryption: "unexpected eof while reading"
            }
        }
    }

    @Test(arguments: Distrust.allCases)
    func `does not talk to a broker that it cannot trust, and says why and with which file`(why: Distrust) throws {
        let directory = try TemporaryDirectory()
        try makeCertificates(in: directory)
        let believed = directory.file(why == .otherAuthority ? "localhost.pem" : "ca.pem")
        let certificates =
            "cafile \(directory.file("ca.pem"))\ncertfile \(directory.file("localhost.pem"))\n"
            + "keyfile \(directory.file("localhost.key"))\n"
        let bench = try UplinkBench(
            uplink: "\(why == .otherAuthority ? "Host=localhost\n" : "")TLS=yes\nCAFile=\(believed)",
            broker: "allow_anonymous true\n\(why == .noEncryption ? "" : certificates)")
        try bench.startAll()
        try bench.fixes(3)
        let host = why == .otherAuthority ? "localhost" : "127.0.0.1"
        let said = "cannot go on with the broker \(host):\(bench.tap.port): "
        try waitUntil("that is said, not \(bench.status?["lastError"]?.string ?? "nothing")") {
            bench.status?["lastError"]?.string == "\(said)TLS: \(why.words) (with CAFile=\(believed))"
        }
        #expect(bench.status?["sent"]?.int == 0)
    }

    @Test func `knows a key that the broker knows`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("car:00112233445566778899aabbccddeeff\n", to: "keys")
        let bench = try UplinkBench(
            uplink: "TLS=psk\nIdentity=car",
            broker: "allow_anonymous true\npsk_hint here\npsk_file \(directory.file("keys"))\n")
        try bench.directory.write("00112233445566778899aabbccddeeff\n", to: "secrets/psk")
        try sends(bench, 10)
    }

    @Test func `says its name and its password`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("car:secret\n", to: "users")
        let process = try ChildProcess(try requireProgram("mosquitto_passwd"), ["-U", directory.file("users")])
        try process.waitForExit()
        let bench = try UplinkBench(
            uplink: "Username=car", broker: "allow_anonymous false\npassword_file \(directory.file("users"))\n")
        try bench.directory.write("secret\n", to: "secrets/password")
        try sends(bench, 10)
    }
}

extension String {
    fileprivate func replaceAt(_ path: String) -> String { hasPrefix("@/") ? path + dropFirst() : self }
}
