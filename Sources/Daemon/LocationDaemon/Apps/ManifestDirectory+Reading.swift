// SPDX-License-Identifier: Apache-2.0
import ConfigurationReading
package import LocationServices
package import SystemSupport

extension ManifestDirectory {
    /// Reads all `*.conf` in the directory at `path`; one that is missing has none.
    package init(path: String, accounts: Accounts = .system) {
        let (files, problem) = ConfigurationDirectory.files(in: path)
        var manifests: [AppManifest] = []
        var (problems, warnings) = (problem.map { [$0] } ?? [], [String]())
        var places: [String: String] = [:]
        for file in files {
            switch SmallFile(at: file) {
            case .missing: problems.append("cannot use \(file): it is gone")
            case .refused(let reason): problems.append("cannot use \(file): \(reason)")
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
        self.init(manifests, problems: problems, warnings: warnings)
    }
}
