// SPDX-License-Identifier: Apache-2.0
package import SystemSupport

/// All manifests of a directory, in the order of their files' names.
package struct ManifestDirectory: Sendable, Equatable {
    /// Those that can be used.
    package private(set) var manifests: [AppManifest] = []
    /// Faults, a sentence each with file and line, for the journal. A file with a fault counts for nothing.
    package private(set) var problems: [String] = []
    /// Warnings, in the same form.
    package private(set) var warnings: [String] = []

    /// No manifests.
    package init() {}

    /// Reads all `*.conf` in the directory at `path`; one that is missing has none.
    package init(path: String, accounts: Accounts = .system) {
        let (files, problem) = ConfigurationBytes.files(in: path)
        if let problem { problems.append(problem) }
        var places: [String: String] = [:]
        for file in files {
            switch ConfigurationBytes.contents(of: file) {
            case .missing: problems.append("cannot use \(file): it is gone")
            case .refused(let problem): problems.append(problem)
            case .bytes(let bytes):
                var reader = ManifestReader(path: file, accounts: accounts)
                let manifest = reader.read(bytes)
                problems += reader.problems
                warnings += reader.warnings
                guard let manifest else { continue }
                if let place = places[manifest.identifier] {
                    problems.append("cannot use \(file): \(manifest.identifier) is the app of \(place) already")
                    continue
                }
                places[manifest.identifier] = file
                manifests.append(manifest)
            }
        }
    }

    /// The first manifest that fits a process; nil: none does.
    package func manifest(for peer: ManifestPeer) -> AppManifest? { manifests.first { $0.matches(peer) } }

    /// The manifest of an app; nil: it has none.
    package func manifest(named identifier: String) -> AppManifest? {
        manifests.first { $0.identifier == identifier }
    }

    /// Whether an app of the name has a manifest, so that no other process may claim it.
    package func hasManifest(named identifier: String) -> Bool { manifest(named: identifier) != nil }
}
