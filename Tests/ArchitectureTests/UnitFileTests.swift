// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("The units for systemd")
struct UnitFileTests {
    /// The settings of a unit: the last of each name counts, but for those that add up.
    private static func settings(_ name: String) throws -> [String: String] {
        var settings: [String: String] = [:]
        for line in try SourceTree.lines(of: "systemd/\(name)") where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if let name = parts.first { settings[String(name)] = parts.count > 1 ? String(parts[1]) : "" }
        }
        return settings
    }

    @Test("end a daemon that hangs before its clients have waited for two minutes")
    func watchdog() throws {
        let seconds = try UnitFileTests.settings("locationd.service")["WatchdogSec"].flatMap { text in
            text.hasSuffix("s") ? Int(text.dropLast()) : nil
        }
        #expect((30...120).contains(seconds ?? 0), "\(seconds ?? 0)")
    }

    @Test("bound how often the daemon is started, and what it takes of the device")
    func bounds() throws {
        let settings = try UnitFileTests.settings("locationd.service")
        #expect(settings["StartLimitIntervalSec"] ?? "0" != "0" && Int(settings["StartLimitBurst"] ?? "") ?? 0 > 0)
        for name in ["MemoryMax", "TasksMax", "CPUWeight", "LimitNOFILE"] {
            #expect(settings[name]?.isEmpty == false, "\(name)")
        }
    }

    @Test("give the daemon no directory of /etc to write into")
    func configuration() throws {
        let settings = try UnitFileTests.settings("locationd.service")
        #expect(settings["ConfigurationDirectory"] == nil && settings["ReadWritePaths"] == nil)
        #expect(settings["ProtectSystem"] == "strict")
    }

    @Test("write metrics where node_exporter looks, also to say that there is no daemon, and have no other right")
    func metrics() throws {
        let service = try UnitFileTests.settings("locationd-metrics.service")
        let words = (service["ExecStart"] ?? "").split(separator: " ")
        #expect(words.prefix(4) == ["/usr/bin/locctl", "metrics", "--prometheus", "--output"])
        let directory = try #require(service["ReadWritePaths"])
        #expect(words.last == "\(directory)/locationd.prom" && service["ConditionPathIsDirectory"] == directory)
        #expect(service["SuccessExitStatus"] == "3" && service["CapabilityBoundingSet"] == "")
        #expect(try UnitFileTests.settings("locationd-metrics.timer")["OnCalendar"] == "minutely")
        let examples = try SourceTree.lines(of: "debian/locationd.examples")
        for unit in ["service", "timer"] { #expect(examples.contains("systemd/locationd-metrics.\(unit)")) }
    }

    @Test("have the user's agent by the name that the daemon knows, where its package puts it")
    func agent() throws {
        let rule = try SourceTree.lines(of: "Sources/Core/LocationServices/Service/Prompts.swift")
        #expect(rule.contains { $0.contains("\"user-unit:locationd-agent.service\"") })
        let service = try UnitFileTests.settings("locationd-agent.service")
        #expect(service["ExecStart"] == "/usr/libexec/locationd-agent")
        #expect(try SourceTree.lines(of: "debian/rules").contains { $0.hasSuffix("/usr/libexec/locationd-agent") })
        let installed = try SourceTree.lines(of: "debian/locationd.install")
        #expect(installed.contains { $0.hasPrefix("systemd/locationd-agent.service ") && $0.hasSuffix("systemd/user") })
    }

    @Test("try an app again that was given up because its service failed too often")
    func wake() throws {
        #expect(try UnitFileTests.settings("locationd-wake@.path")["OnFailure"] == "locationd-wake-again@%i.service")
        let again = try UnitFileTests.settings("locationd-wake-again@.service")
        #expect(again["ExecStart"]?.contains("start \"$$0\"' locationd-wake@%i.path") == true)
        #expect(again["PartOf"] == "locationd-wake@%i.path")
    }
}
