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
        var settings = UplinkSettings()
        var problems = ConfigurationText(bytes).problems(in: path) { apply($0, to: &settings) }
        if problems.isEmpty { problems = contradictions(in: settings).map { "cannot use \(path): \($0)" } }
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
        settings.regions.append(
            Region(identifier: assignment.name, shape: .circle(center: center, radius: radius)))
        guard settings.regions.count <= mostRegions else {
            return "[Regions] has more than \(mostRegions) regions"
        }
        return nil
    }

    private static func contradictions(in settings: UplinkSettings) -> [String] {
        let broker = settings.broker
        if !settings.server.url.isEmpty { return contradictions(ofServerIn: settings) }
        var found = excess(in: ["HTTP"], of: settings).map { "\($0)= needs URL= in [HTTP]" }
        if broker.host.isEmpty, found.isEmpty {
            found.append("neither [Broker] Host= nor [HTTP] URL= says where the messages go")
        }
        if broker.encryption == .no, !broker.authorities.isEmpty || !broker.certificate.isEmpty || !broker.alpn.isEmpty
        {
            found.append("CAFile=, CertificateFile= and ALPN= need TLS=yes")
        }
        if broker.encryption == .psk, !broker.authorities.isEmpty || !broker.certificate.isEmpty {
            found.append("TLS=psk has no certificates: CAFile= and CertificateFile= need TLS=yes")
        }
        return found
    }

    private static func contradictions(ofServerIn settings: UplinkSettings) -> [String] {
        // A server retains nothing, knows no topics and sends no will.
        var found = excess(in: ["Broker", "HomeAssistant"], of: settings).map {
            "\($0)= is for a broker, and not for the URL= of [HTTP]"
        }
        if settings.messages.backlog == .topic { found.append("Backlog=topic is for a broker: a server has no topics") }
        if ServerURL.hasUser(settings.server.url) {
            found.append("URL= has a user or a password, which everybody can read: see Username=")
        }
        if !ServerURL.isEncrypted(settings.server.url),
            !settings.server.authorities.isEmpty || !settings.server.certificate.isEmpty
        {
            found.append("CAFile= and CertificateFile= need a URL= with https://")
        }
        return found
    }

    // Keys of these sections that say something else than their default.
    private static func excess(in sections: [String], of settings: UplinkSettings) -> [String] {
        UplinkKey.all.filter { key in
            sections.contains(key.section) && key.text(in: settings) != key.text(in: UplinkSettings())
        }.map { "[\($0.section)] \($0.name)" }
    }
}
