// SPDX-License-Identifier: Apache-2.0
import ConfigurationReading
import LocationModel
import LocationProtocol
import LocationServices
import SystemSupport

/// Reads one manifest: `[Section]`, `Key=Value` as in the configuration. Lists may be given over several lines, `Key=` empties one.
struct ManifestReader {
    /// `cannot use FILE:LINE: …`, for each fault. With any there is no manifest.
    private(set) var problems: [String] = []
    /// Warnings, in the same form.
    private(set) var warnings: [String] = []

    static let keys: [(section: String, names: [String])] = [
        (
            "App",
            [
                "Identifier", "User", "Group", "Unit", "App", "Agent", "History", "BackgroundModes",
                "RequireExplicitServiceSession",
            ]
        ),
        ("UsageDescriptions", ["WhenInUse", "Always"]),
        ("TemporaryFullAccuracy", []),
        ("Authorization", ["Default", "DefaultAccuracy"]),
    ]
    private static let statuses: [String: AuthorizationStatus] = [
        "authorizedAlways": .authorizedAlways, "authorizedWhenInUse": .authorizedWhenInUse, "denied": .denied,
        "ask": .notDetermined,
    ]

    private let path: String
    private let accounts: Accounts
    private var manifest: AppManifest
    private var defaultLine = 0

    /// - Parameter path: `…/NAME.conf`; NAME is the identifier if the file does not say another.
    init(path: String, accounts: Accounts) {
        self.path = path
        self.accounts = accounts
        let file = path.split(separator: "/").last ?? ""
        manifest = AppManifest(identifier: String(file.hasSuffix(".conf") ? file.dropLast(5) : file))
    }

    /// The manifest of `bytes`; nil: see `problems`.
    mutating func read(_ bytes: [UInt8]) -> AppManifest? {
        problems = ConfigurationText(bytes).problems(in: path) { apply($0) }
        if problems.isEmpty { checkTogether() }
        return problems.isEmpty ? manifest : nil
    }

    private func problem(_ line: Int?, _ reason: String) -> String {
        "cannot use \(path)\(line.map { ":\($0)" } ?? ""): \(reason)"
    }

    private mutating func checkTogether() {
        guard AppManifest.isIdentifier(manifest.identifier) else {
            problems.append(problem(nil, "its name \(shown(manifest.identifier)) is not \(identifierRule)"))
            return
        }
        let isVouchedFor = manifest.users != nil || manifest.groups != nil
        guard isVouchedFor || manifest.units != nil || manifest.applications != nil else {
            problems.append(
                problem(nil, "it names no User=, Group=, Unit= or App=; without one anybody could use its name"))
            return
        }
        let isGrant = manifest.defaultStatus == .authorizedAlways || manifest.defaultStatus == .authorizedWhenInUse
        if isGrant, manifest.applications != nil, !isVouchedFor {
            let reason =
                "Default= cannot grant to App= without User= or Group=: every user can start an app of any name"
            problems.append(problem(defaultLine, reason))
        }
    }

    private mutating func apply(_ assignment: ConfigurationText.Assignment) -> String? {
        let (name, value) = (assignment.name, assignment.value)
        guard let section = ManifestReader.keys.first(where: { $0.section == assignment.section }) else {
            let names = ManifestReader.keys.map(\.section).joined(separator: ", ")
            return "[\(assignment.section)] is not a section; the sections are \(names)"
        }
        if section.section == "TemporaryFullAccuracy" {
            return setUsage(name, value) { $0.temporaryFullAccuracy[name] = $1 }
        }
        guard section.names.contains(name) else {
            let names = section.names.joined(separator: ", ")
            return "\(name) is not a key of [\(section.section)]; its keys are \(names)"
        }
        switch name {
        case "WhenInUse": return setUsage(name, value) { $0.whenInUse = $1 }
        case "Always": return setUsage(name, value) { $0.always = $1 }
        case "Default", "DefaultAccuracy": return setDefault(name, value, assignment.line)
        default: return setApp(name, value, assignment.line)
        }
    }

    private mutating func setUsage(
        _ name: String, _ value: String, _ set: (inout UsageDescriptions, String?) -> Void
    ) -> String? {
        guard isUsageText(value), isUsageText(name), name.utf8.count <= 128 else {
            return
                "\(shown(name))=\(shown(value)) is not a text of at most 256 bytes without control or bidirectional characters"
        }
        set(&manifest.usageDescriptions, value.isEmpty ? nil : value)
        return nil
    }

    private mutating func setDefault(_ name: String, _ value: String, _ line: Int) -> String? {
        if name == "Default" {
            guard value.isEmpty || ManifestReader.statuses[value] != nil else {
                return "Default=\(value) is not authorizedAlways, authorizedWhenInUse, denied or ask"
            }
            manifest.defaultStatus = ManifestReader.statuses[value]
            defaultLine = line
        } else {
            let accuracy = AccuracyAuthorization.allCases.first { "\($0)" == value }
            guard value.isEmpty || accuracy != nil else { return "DefaultAccuracy=\(value) is not full or reduced" }
            manifest.defaultAccuracy = accuracy
        }
        return nil
    }

    private mutating func setApp(_ name: String, _ value: String, _ line: Int) -> String? {
        let words = value.split(separator: " ").map(String.init)
        switch name {
        case "Identifier":
            guard AppManifest.isIdentifier(value) else { return "Identifier=\(shown(value)) is not \(identifierRule)" }
            manifest.identifier = value
        case "User", "Group":
            guard words.allSatisfy({ Accounts.isName($0) }) else {
                return "\(name)=\(value) is not names or numbers of \(name == "User" ? "users" : "groups")"
            }
            addAccounts(name, words, line)
        case "Unit":
            let patterns = words.compactMap { UnitPattern($0) }
            guard patterns.count == words.count else {
                return "Unit=\(value) is not names or patterns of services; other kinds of units do not run programs"
            }
            manifest.units = words.isEmpty ? nil : (manifest.units ?? []) + patterns
        case "App":
            manifest.applications = words.isEmpty ? nil : (manifest.applications ?? []) + words
        case "Agent", "History", "RequireExplicitServiceSession":
            guard let flag = value.isEmpty ? false : ConfigurationUnits.flag(value) else {
                return "\(name)=\(value) is not yes or no"
            }
            switch name {
            case "Agent": manifest.isAgent = flag
            case "History": manifest.readsHistory = flag
            default: manifest.requiresExplicitServiceSession = flag
            }
        default:
            guard words.allSatisfy({ $0 == "location" }) else { return "BackgroundModes=\(value) is not location" }
            manifest.hasLocationBackgroundMode = !words.isEmpty
        }
        return nil
    }

    // A name that nobody has matches nobody: it must not make the list one that everybody matches.
    private mutating func addAccounts(_ key: String, _ words: [String], _ line: Int) {
        var numbers: [UInt32] = []
        for word in words {
            if let number = key == "User" ? accounts.uid(word) : accounts.gid(word) {
                numbers.append(number)
            } else {
                warnings.append(
                    problem(line, "\(key)=\(word) is no \(key.lowercased()) of this system, and fits nobody"))
            }
        }
        let place: WritableKeyPath<AppManifest, [UInt32]?> = key == "User" ? \.users : \.groups
        manifest[keyPath: place] = words.isEmpty ? nil : (manifest[keyPath: place] ?? []) + numbers
    }

    private let identifierRule = "1 to 128 bytes without space, colon, slash, control and bidirectional characters"

    private func shown(_ text: String) -> String {
        String(text.unicodeScalars.map { isPlain($0) ? Character($0) : "\u{FFFD}" })
    }
}
