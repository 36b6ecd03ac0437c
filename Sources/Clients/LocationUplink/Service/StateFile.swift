// SPDX-License-Identifier: Apache-2.0
import ConfigurationReading
import FoundationEssentials
import Glibc
import LocationModel
import SystemSupport

/// The state on the disk, and beside it the state before that: a disk that damages one of them seldom damages both.
struct StateFile {
    /// What was there.
    enum Found {
        case nothing
        case state(UplinkState)
        /// The file is damaged and was put aside, as this sentence says; this state is gone on with.
        case damaged(String, UplinkState)
    }

    private let file: AtomicFile
    private var former: String { "\(file.path).old" }
    private var aside: String { "\(file.path).damaged" }

    /// The file `state.json` in `directory`, which is there.
    init(in directory: String) { file = AtomicFile(path: "\(directory)/state.json", isDurable: true, mode: 0o600) }

    /// What is there at the date `now`.
    func read(now: WallTime) -> Found {
        let bytes: [UInt8]
        switch ConfigurationBytes.contents(of: file.path) {
        case .missing: return .nothing
        case .refused: bytes = []
        case .bytes(let found): bytes = found
        }
        if let state = try? JSONDecoder().decode(UplinkState.self, from: Data(bytes)) { return .state(state) }
        rename(file.path, aside)
        // What the broker retains since then nobody knows, so it counts as exact below.
        let problem = "cannot understand \(file.path): it is \(aside) now"
        if case .bytes(let bytes) = ConfigurationBytes.contents(of: former),
            var state = try? JSONDecoder().decode(UplinkState.self, from: Data(bytes))
        {
            state.retained = .full
            return .damaged("\(problem), and what was acknowledged since the state before it is sent again", state)
        }
        return .damaged(
            "\(problem), and what was accepted before the next location is not sent", StateFile.anew(at: now))
    }

    // To send all that there is once more would flood the broker, under numbers that may mean others there: it begins with the next
    // location, numbered apart from all before.
    private static func anew(at now: WallTime) -> UplinkState {
        var state = UplinkState()
        state.startsAtNewest = true
        state.generation = UInt64(max(now.milliseconds / 1000, 1))
        state.retained = .full
        return state
    }

    /// Writes `state`. `keepsFormer`: the state before it stays beside it; else nothing of any former state does.
    func write(_ state: UplinkState, keepsFormer: Bool = true) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = Array(try encoder.encode(state))
        if keepsFormer {
            unlink(former)
            link(file.path, former)
        } else {
            try forgetFormer()
        }
        try file.write(bytes)
    }

    // They have locations that nobody may have any more.
    private func forgetFormer() throws(SystemError) {
        for path in [former, aside] where unlink(path) != 0 && errno != ENOENT {
            throw SystemError(cannot: "remove \(path)")
        }
    }
}
