// SPDX-License-Identifier: Apache-2.0
package import ConfigurationReading
import LocationEngine
import LocationServices
import SystemSupport

/// Reads the configuration: one file, then the drop-ins beside it, each later assignment over the earlier ones.
///
/// The format is systemd's: `[Section]`, `Key=Value`, comments on lines of their own that begin with `#` or `;`. A section may
/// occur several times, the last assignment of a key wins, `Key=` means the default. Neither lines continued with a backslash
/// nor comments behind a value.
package struct ConfigurationFile {
    /// The path of the file that is read when nothing else is named; need not exist.
    package static let defaultPath = "/etc/locationd/locationd.conf"
    /// Its drop-ins: `*.conf`, ordered by the bytes of their names; need not exist.
    package static let defaultDropIns = "/etc/locationd/conf.d"
    private var configuration = Configuration()
    private var problems: [String] = []
    /// Where each key was set last, by `[Section] Key`.
    private var places: [String: String] = [:]

    /// The configuration in force: of `file` alone if one is named (it must exist), else of the default file and its drop-ins.
    ///
    /// Throws all faults of all files at once.
    package static func load(named file: String?) throws(ConfigurationError) -> Configuration {
        if let file { return try load(path: file, mustExist: true, dropIns: nil) }
        return try load(path: defaultPath, mustExist: false, dropIns: defaultDropIns)
    }

    /// The directories in which `load(named: file)` finds its files.
    package static func directories(of file: String?) -> [String] {
        let path = file ?? defaultPath
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        return [parent.isEmpty ? "/" : parent] + (file == nil ? [defaultDropIns] : [])
    }

    /// The configuration of the file at `path` and of all `*.conf` in the directory `dropIns`.
    package static func load(
        path: String, mustExist: Bool, dropIns: String?
    ) throws(ConfigurationError) -> Configuration {
        var file = ConfigurationFile()
        file.read(path, mustExist: mustExist)
        if let dropIns {
            let (paths, problem) = ConfigurationDirectory.files(in: dropIns)
            if let problem { file.problems.append(problem) }
            for path in paths { file.read(path, mustExist: true) }
        }
        return try file.result()
    }

    /// The configuration of `bytes` alone, which errors call `path`.
    package static func parse(_ bytes: [UInt8], path: String) throws(ConfigurationError) -> Configuration {
        var file = ConfigurationFile()
        file.apply(bytes, path: path)
        return try file.result()
    }

    private mutating func result() throws(ConfigurationError) -> Configuration {
        // `Default` holds for root, too, unless `AlwaysUsers` names it.
        if places["[Authorization] Default"] != nil, places["[Authorization] AlwaysUsers"] == nil {
            configuration.authorization.always.users = []
        }
        checkTogether()
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return configuration
    }

    private mutating func apply(_ bytes: [UInt8], path: String) {
        let found = ConfigurationText(bytes).problems(in: path) { apply($0, path) }
        problems += found
    }

    private mutating func apply(_ assignment: ConfigurationText.Assignment, _ path: String) -> String? {
        let section = ConfigurationKey.all.filter { $0.section == assignment.section }
        guard !section.isEmpty else {
            let names = ConfigurationKey.sections.joined(separator: ", ")
            return "[\(assignment.section)] is not a section; the sections are \(names)"
        }
        guard let key = section.first(where: { $0.name == assignment.name }) else {
            let names = section.map(\.name).joined(separator: ", ")
            return "\(assignment.name) is not a key of [\(assignment.section)]; its keys are \(names)"
        }
        guard key.set(assignment.value, in: &configuration) else {
            return "\(assignment.name)=\(assignment.value) is not \(key.allowed)"
        }
        // An empty value takes back what was set before.
        places["[\(key.section)] \(key.name)"] = assignment.value.isEmpty ? nil : "\(path):\(assignment.line)"
        return nil
    }

    /// Pairs of keys whose values must fit each other. The fault is shown where either was set last.
    private mutating func checkTogether() {
        let limits = configuration.limits
        if limits.reservedConnections >= limits.connections {
            refuse("Limits", "ReservedConnections", "is not less than", "Connections")
        }
        if limits.outputHighWater > limits.outputLimit {
            refuse("Limits", "OutputHighWater", "is more than", "OutputLimit")
        }
        if configuration.gpsd.reconnectMinimum > configuration.gpsd.reconnectMaximum {
            refuse("GPSD", "ReconnectMinSec", "is longer than", "ReconnectMaxSec")
        }
        if configuration.power.minimumSleep > configuration.power.maximumSleep {
            refuse("Power", "MinimumSleepSec", "is longer than", "MaximumSleepSec")
        }
        if configuration.regions.cushionMinimum > configuration.regions.cushionMaximum {
            refuse("Regions", "CushionMinimumMeters", "is more than", "CushionMaximumMeters")
        }
        if configuration.visits.radius > configuration.visits.departure {
            refuse("Visits", "RadiusMeters", "is more than", "DepartureMeters")
        }
    }

    private mutating func refuse(_ section: String, _ first: String, _ relation: String, _ second: String) {
        func written(_ name: String) -> String {
            let key = ConfigurationKey.all.first { $0.section == section && $0.name == name }
            return "\(name)=\(key?.text(in: configuration) ?? "")"
        }
        let place = places["[\(section)] \(first)"] ?? places["[\(section)] \(second)"] ?? "the configuration"
        problems.append("cannot use \(place): \(written(first)) \(relation) \(written(second))")
    }
}

extension ConfigurationFile {
    private mutating func read(_ path: String, mustExist: Bool) {
        switch SmallFile(at: path) {
        case .bytes(let bytes): apply(bytes, path: path)
        case .missing: if mustExist { problems.append("cannot use \(path): No such file or directory") }
        case .refused(let reason): problems.append("cannot use \(path): \(reason)")
        }
    }
}

extension ConfigurationKey {
    /// The names of all sections, in the order of the file.
    package static var sections: [String] {
        all.reduce(into: []) { names, key in if names.last != key.section { names.append(key.section) } }
    }
}
