// SPDX-License-Identifier: Apache-2.0
package import ConfigurationReading
import LocationModel
import SystemSupport

/// Reads `uplink.conf`, which has the form of `locationd.conf`. All faults are told at once.
package enum UplinkConfigurationFile {
    /// The path of the file that is read when nothing else is named.
    package static let defaultPath = "/etc/locationd/uplink.conf"

    /// The settings of the file at `path`.
    package static func load(_ path: String) throws(ConfigurationError) -> UplinkSettings {
        switch SmallFile(at: path) {
        case .missing: throw ConfigurationError(problems: ["cannot use \(path): No such file or directory"])
        case .refused(let reason): throw ConfigurationError(problems: ["cannot use \(path): \(reason)"])
        case .bytes(let bytes): return try parse(bytes, path: path)
        }
    }

    /// The settings in `bytes`, which errors call `path`.
    package static func parse(_ bytes: [UInt8], path: String) throws(ConfigurationError) -> UplinkSettings {
        let text = ConfigurationText(bytes)
        var settings = UplinkSettings()
        var problems = text.problems(in: path) { apply($0, to: &settings) }
        if problems.isEmpty {
            problems = contradictions(in: settings).map { fault in
                (text.assignments.last { fault.keys.contains("[\($0.section)] \($0.name)") }?.line ?? 0, fault.reason)
            }.sorted { $0.0 < $1.0 }.map { line, reason in
                "cannot use \(path)\(line > 0 ? ":\(line)" : ""): \(reason)"
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return settings
    }

    private static func apply(
        _ assignment: ConfigurationText.Assignment, to settings: inout UplinkSettings
    ) -> String? {
        if assignment.section == "Regions" { return addRegion(assignment, to: &settings) }
        let section = UplinkKey.all.filter { $0.section == assignment.section }
        guard !section.isEmpty else {
            return
                "[\(assignment.section)] is not a section; the sections are Broker, HTTP, Uplink, HomeAssistant, Regions"
        }
        guard let key = section.first(where: { $0.name == assignment.name }) else {
            let names = section.map(\.name).joined(separator: ", ")
            return "\(assignment.name) is not a key of [\(assignment.section)]; its keys are \(names)"
        }
        guard key.set(assignment.value, in: &settings) else {
            return "\(assignment.name)=\(assignment.value) is not \(key.allowed)"
        }
        return nil
    }

    /// Regions that an app may have.
    private static let mostRegions = 20
    /// Metres that locationd may be configured to allow at most as its radius.
    private static let greatestRadius = 20_000_000.0

    // NAME=LATITUDE,LONGITUDE,RADIUS
    private static func addRegion(
        _ assignment: ConfigurationText.Assignment, to settings: inout UplinkSettings
    ) -> String? {
        settings.regions.removeAll { $0.identifier == assignment.name }
        guard !assignment.value.isEmpty else { return nil }
        let parts = assignment.value.split(separator: ",", omittingEmptySubsequences: false).map { part in
            part.drop { $0 == " " }
        }
        guard parts.count == 3, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
            let radius = ConfigurationUnits.metres(String(parts[2])), radius > 0,
            case let center = Coordinate(latitude: latitude, longitude: longitude), center.isValid,
            (1...128).contains(assignment.name.utf8.count)
        else {
            return "\(assignment.name)=\(assignment.value) is not LATITUDE,LONGITUDE,RADIUS, "
                + "such as 52.5163,13.3777,100m"
        }
        guard radius <= greatestRadius else {
            return "\(assignment.name)=\(assignment.value) has a radius over \(Int(greatestRadius / 1000))km"
        }
        settings.regions.append(
            Region(identifier: assignment.name, shape: .circle(center: center, radius: radius)))
        guard settings.regions.count <= mostRegions else {
            return "[Regions] has more than \(mostRegions) regions"
        }
        return nil
    }

    /// A fault of several keys together, and which they are: it is told at the last that the file has.
    private typealias Contradiction = (reason: String, keys: [String])

    private static func contradictions(in settings: UplinkSettings) -> [Contradiction] {
        let broker = settings.broker
        if !settings.server.url.isEmpty { return contradictions(ofServerIn: settings) }
        var found = excess(in: ["HTTP"], of: settings) { "\($0)= needs URL= in [HTTP]" }
        if broker.host.isEmpty, found.isEmpty {
            let reason = "neither [Broker] Host= nor [HTTP] URL= says where the messages go"
            found.append((reason, ["[Broker] Host", "[HTTP] URL"]))
        }
        let keys = ["[Broker] TLS", "[Broker] CAFile", "[Broker] CertificateFile"]
        let hasCertificates = !broker.authorities.isEmpty || !broker.certificate.isEmpty
        if broker.encryption == .no, hasCertificates || !broker.alpn.isEmpty {
            found.append(("CAFile=, CertificateFile= and ALPN= need TLS=yes", keys + ["[Broker] ALPN"]))
        }
        if broker.encryption == .psk, hasCertificates {
            found.append(("TLS=psk has no certificates: CAFile= and CertificateFile= need TLS=yes", keys))
        }
        return found
    }

    private static func contradictions(ofServerIn settings: UplinkSettings) -> [Contradiction] {
        let server = settings.server
        // A server retains nothing, knows no topics and sends no will.
        var found = excess(in: ["Broker", "HomeAssistant"], of: settings) {
            "\($0)= is for a broker, and not for the URL= of [HTTP]"
        }
        func refuse(_ keys: String..., because reason: String) { found.append((reason, keys + ["[HTTP] URL"])) }
        if settings.messages.backlog == .topic {
            refuse("[Uplink] Backlog", because: "Backlog=topic is for a broker: a server has no topics")
        }
        if ServerURL.hasUser(server.url) {
            refuse(because: "URL= has a user or a password, which everybody can read: see Username=")
        }
        if !ServerURL.isEncrypted(server.url), !server.authorities.isEmpty || !server.certificate.isEmpty {
            let reason = "CAFile= and CertificateFile= need a URL= with https://"
            refuse("[HTTP] CAFile", "[HTTP] CertificateFile", because: reason)
        }
        return found
    }

    // Keys of these sections that say something else than their default.
    private static func excess(
        in sections: [String], of settings: UplinkSettings, reason: (String) -> String
    ) -> [Contradiction] {
        UplinkKey.all.filter { key in
            sections.contains(key.section) && key.text(in: settings) != key.text(in: UplinkSettings())
        }.map { "[\($0.section)] \($0.name)" }.map { (reason($0), [$0, "[HTTP] URL"]) }
    }
}
