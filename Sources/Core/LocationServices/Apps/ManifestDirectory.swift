// SPDX-License-Identifier: Apache-2.0

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

    /// These manifests, and what is wrong with others.
    package init(_ manifests: [AppManifest], problems: [String], warnings: [String]) {
        (self.manifests, self.problems, self.warnings) = (manifests, problems, warnings)
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
