// SPDX-License-Identifier: Apache-2.0
import ConfigurationReading
import LocationEngine
import LocationModel
import LocationTestSupport
import SystemSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("A configuration file")
struct ConfigurationTests {
    @Test("an empty file, blank lines and comments are the defaults")
    func nothing() throws {
        for text in [
            "", "\n\n", "# words\n ; words = [more]\n\t\r\n[Limits]\n", "# " + String(repeating: "long ", count: 500),
        ] {
            #expect(try configuration(of: text) == Configuration())
        }
    }

    @Test("sections may come again, the last assignment wins, an empty value is the default")
    func order() throws {
        let configuration = try configuration(
            of:
                """
                [Limits]
                Connections=100
                Connections = 200\r
                [Log]
                Level=debug
                [Limits]
                  ConnectionsPerUser=3
                RequestsPerTurn=9
                RequestsPerTurn=
                [GPSD]
                PreferredReceiver=/dev/ttyS0
                PreferredReceiver=
                """)
        #expect(configuration.limits.connections == 200 && configuration.limits.connectionsPerUser == 3)
        #expect(configuration.limits.requestsPerTurn == 16 && configuration.log.level == .debug)
        #expect(configuration.gpsd.preferredReceiver == "")
    }

    @Test(
        "a time has systemd's units",
        arguments: [
            ("30", 30), ("30s", 30), ("1.5s", 1.5), ("5min", 300), ("2m", 120), ("1h", 3600), ("500ms", 0.5),
            ("1min 30s", 90), ("1min30s", 90), ("2 s", 2), ("1hour", 3600), ("0", 0), ("3day", 259_200), (".5", 0.5),
            ("250000us", 0.25),
        ])
    func times(text: String, seconds: Double) {
        #expect(ConfigurationUnits.span(text) == .seconds(seconds))
    }

    @Test(
        "what is no time is refused",
        arguments: [
            "", "s", "-1", "+1", "1e3", "nan", "inf", "infinity", "1 month", "5 min.", "1..5", "0x10", "1s;", "٣", "1S",
            "5min 3", "1min -3s", "१s",
        ])
    func noTimes(text: String) {
        // A number behind a unit counts as seconds, as systemd has it.
        let expected: TimeSpan? = text == "5min 3" ? .seconds(303) : nil
        #expect(ConfigurationUnits.span(text) == expected)
    }

    @Test("distances and bytes have their units")
    func units() {
        #expect(ConfigurationUnits.metres("1.5km") == 1500 && ConfigurationUnits.metres("20 m") == 20)
        #expect(ConfigurationUnits.metres("7") == 7 && ConfigurationUnits.metres("1 mile") == nil)
        #expect(ConfigurationUnits.metres("km") == nil && ConfigurationUnits.metres("-5") == nil)
        #expect(ConfigurationUnits.bytes("64K") == 65536 && ConfigurationUnits.bytes("1M") == 1_048_576)
        #expect(ConfigurationUnits.bytes("12") == 12 && ConfigurationUnits.bytes("") == nil)
        for text in ["K", "1G", "1.5K", "-1K", "99999999999999999999", "9223372036854775807K"] {
            #expect(ConfigurationUnits.bytes(text) == nil)
        }
    }

    @Test(
        "gpsd's address is a host, a bracketed address or a path",
        arguments: [
            ("127.0.0.1:2947", GPSDAddress.tcp(host: "127.0.0.1", port: 2947)),
            ("gps.lan:1", .tcp(host: "gps.lan", port: 1)),
            ("[::1]:2947", .tcp(host: "::1", port: 2947)), ("/run/gpsd.sock", .unix(path: "/run/gpsd.sock")),
        ])
    func addresses(text: String, address: GPSDAddress) {
        #expect(GPSDAddress(text) == address && address.description == text)
    }

    @Test(
        "what is no address is refused",
        arguments: [
            "", "localhost", ":2947", "host:", "host:0", "host:65536", "host:-1", "::1:2947", "[::1]", "[host]:1",
            "a b:1", "host:2947x", "[]:1", "h/x:1", "/" + String(repeating: "x", count: 107),
        ])
    func noAddresses(text: String) { #expect(GPSDAddress(text) == nil) }

    @Test("a flag is any of systemd's words")
    func flags() throws {
        for word in ["yes", "true", "on", "1", "Yes"] {
            #expect(try configuration(of: "[Power]\nDutyCycle=\(word)").power.dutyCycle)
        }
        for word in ["no", "false", "off", "0"] {
            #expect(try !configuration(of: "[Power]\nDutyCycle=\(word)").power.dutyCycle)
        }
    }

    @Test("every key takes both ends of its range and its default, and refuses what lies beyond")
    func ranges() throws {
        for key in ConfigurationKey.all {
            let written = key.text(in: Configuration())
            var expected = Configuration()
            // Who sets it means root, too, see AuthorizationRulesTests.
            if key.name == "Default" { expected.authorization.always.users = [] }
            #expect(try configuration(of: "[\(key.section)]\n\(key.name)=\(written)") == expected, "\(key.name)")
            for value in beyond(key) {
                #expect(
                    configurationProblems("[\(key.section)]\n\(key.name)=\(value)")
                        == ["cannot use test.conf:2: \(key.name)=\(value) is not \(key.allowed)"])
            }
            for value in ends(key) {
                var configuration = Configuration()
                #expect(key.set(value, in: &configuration), "\(key.name)=\(value)")
                #expect(key.text(in: configuration) == value)
            }
        }
    }

    @Test("every key has a name of its own and its own place")
    func keysAreDistinct() {
        #expect(Set(ConfigurationKey.all.map { "\($0.section)/\($0.name)" }).count == ConfigurationKey.all.count)
        for key in ConfigurationKey.all {
            guard let value = ends(key).first(where: { $0 != key.text(in: Configuration()) }) else {
                Issue.record("\(key.name) has no other value")
                continue
            }
            var configuration = Configuration()
            _ = key.set(value, in: &configuration)
            let changed = ConfigurationKey.all.filter { $0.text(in: configuration) != $0.text(in: Configuration()) }
            #expect(changed.map(\.name) == [key.name])
        }
    }

    @Test("only the size of the log, how gpsd is reached and read, and where GeoClue's file is wait for a restart")
    func restart() {
        let waiting = [
            "LogRecords", "Address", "ReconnectMinSec", "ReconnectMaxSec", "GatherSec", "UserRangeErrorMeters",
            "DifferentialRangeErrorMeters", "GeolocationFile",
        ]
        for key in ConfigurationKey.all {
            guard let value = ends(key).first(where: { $0 != key.text(in: Configuration()) }) else { continue }
            var configuration = Configuration()
            _ = key.set(value, in: &configuration)
            let names = configuration.changesNeedingRestart(from: Configuration())
            #expect(names == (waiting.contains(key.name) ? ["[\(key.section)] \(key.name)"] : []))
            let kept = configuration.keepingWhatNeedsRestart(from: Configuration())
            #expect(kept == (waiting.contains(key.name) ? Configuration() : configuration))
        }
    }

    /// Values at the ends of a key's range, or all its words.
    private func ends(_ key: ConfigurationKey) -> [String] {
        switch key.form {
        case .number(_, let range): ["\(range.lowerBound)", "\(range.upperBound)"]
        case .bytes(_, let range): [range.lowerBound, range.upperBound].map { $0.inBytes }
        case .span(_, let range): [range.lowerBound, range.upperBound].map { ConfigurationUnits.text($0) }
        case .metres(_, let range), .speed(_, let range):
            [range.lowerBound, range.upperBound].map { ConfigurationUnits.text($0) }
        case .flag: ["yes", "no"]
        case .address: ["[::1]:1", "/run/gpsd.sock"]
        case .path: ["/dev/ttyACM0"]
        case .group: ["wheel", "a_b-c.1"]
        case .accounts: ["none", "0 alice b_c-d.1", "4294967295"]
        case .units: ["none", "a.service b@*.service"]
        case .word(let words, _, _, _): words
        }
    }

    private func beyond(_ key: ConfigurationKey) -> [String] {
        switch key.form {
        case .number(_, let range): ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "many", "1.5", "+5", "0x10"]
        case .bytes(_, let range): ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "1G"]
        case .span(_, let range):
            [ConfigurationUnits.text(range.upperBound + .milliseconds(1)), "soon", "-1s"]
                + (range.lowerBound > .zero ? ["0"] : [])
        case .metres(_, let range), .speed(_, let range):
            ["\(range.upperBound + 1)", "far", "nan"] + (range.lowerBound > 0 ? ["0"] : [])
        case .flag: ["maybe", "2"]
        case .address: ["localhost"]
        case .path: ["ttyS0"]
        case .group: ["a b", "-x", "a:b", String(repeating: "g", count: 33)]
        case .accounts: ["a:b", "ok -x", "a,b", String(repeating: "g", count: 33)]
        case .units: ["a.socket", "a.service b/c", "é"]
        case .word: ["else", "Info", "4"]
        }
    }
}

/// The configuration of a text that is called `test.conf`.
func configuration(of text: String) throws(ConfigurationError) -> Configuration {
    try ConfigurationFile.parse(Array(text.utf8), path: "test.conf")
}

/// What is wrong with a text that is called `test.conf`.
func configurationProblems(_ text: String) -> [String] { configurationProblems(Array(text.utf8)) }

func configurationProblems(_ bytes: [UInt8]) -> [String] {
    do throws(ConfigurationError) {
        _ = try ConfigurationFile.parse(bytes, path: "test.conf")
        return []
    } catch {
        return error.problems
    }
}
