// SPDX-License-Identifier: Apache-2.0
import ConfigurationReading
import FoundationEssentials
import Glibc
import SystemSupport

/// The state on the disk.
struct StateFile {
    /// What was there.
    enum Found {
        case nothing
        case state(UplinkState)
        /// A damaged file was put aside, as this sentence says: better send everything once more than leave something out.
        case damaged(String)
    }

    private let file: AtomicFile

    /// The file `state.json` in `directory`, which is there.
    init(in directory: String) { file = AtomicFile(path: "\(directory)/state.json", isDurable: true, mode: 0o600) }

    func read() -> Found {
        switch ConfigurationBytes.contents(of: file.path) {
        case .missing: return .nothing
        case .refused(let problem): return .damaged(problem)
        case .bytes(let bytes):
            if let state = try? JSONDecoder().decode(UplinkState.self, from: Data(bytes)) { return .state(state) }
            let aside = "\(file.path).damaged"
            rename(file.path, aside)
            return .damaged(
                "cannot understand \(file.path): it is \(aside) now, and all that locationd has is sent again")
        }
    }

    func write(_ state: UplinkState) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try file.write(Array(try encoder.encode(state)))
    }
}
