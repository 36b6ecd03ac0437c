// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import SystemSupport

/// The state on the disk, and beside it the state before that: a disk that damages one of them seldom damages both.
struct StateFile {
    /// The result of reading the file.
    enum Found {
        case nothing
        case state(UplinkState)
        /// The file is damaged, or cannot be read, and was put aside, as this sentence says; this state is gone on with.
        case damaged(String, UplinkState)
    }

    private let file: AtomicFile
    private var former: String { "\(file.path).old" }
    private var draft: String { "\(former).new" }
    private var aside: String { "\(file.path).damaged" }

    /// The file `state.json` in `directory`, which is there.
    init(in directory: String) { file = AtomicFile(path: "\(directory)/state.json", isDurable: true, mode: 0o600) }

    /// Reads the state at the date `now`; puts a file aside that is damaged or cannot be read.
    func read(now: WallTime) -> Found {
        var problem: String
        switch SmallFile(at: file.path) {
        // A program that was killed after it put a state aside has not written its successor.
        case .missing:
            guard access(aside, F_OK) == 0 else { return .nothing }
            return goOn("cannot find \(file.path) beside \(aside)", at: now)
        case .refused(let reason): problem = "cannot use \(file.path): \(reason)"
        case .bytes(let bytes):
            if let state = StateFile.state(in: bytes) { return .state(state) }
            problem = "cannot understand \(file.path)"
        }
        let isAside = rename(file.path, aside) == 0
        problem += isAside ? "; it is \(aside) now" : "; \(SystemError(cannot: "rename it to \(aside)"))"
        return goOn(problem, at: now)
    }

    private func goOn(_ problem: String, at now: WallTime) -> Found {
        if case .bytes(let bytes) = SmallFile(at: former), var state = StateFile.state(in: bytes) {
            // Nobody knows what the broker retains since then, so it counts as exact.
            state.retained = .full
            return .damaged("\(problem), and what was acknowledged since the state before it is sent again", state)
        }
        return .damaged(
            "\(problem), and what was accepted before the next location is not sent", StateFile.anew(at: now))
    }

    private static func state(in bytes: [UInt8]) -> UplinkState? {
        try? JSONText.value(of: bytes)
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
        let bytes = try JSONWriter.text(of: state)
        // The new state is written even so.
        let problem = keepsFormer ? keepFormer() : forgetFormer()
        try file.write(bytes)
        if let problem { throw problem }
    }

    // Under a name of its own first: until the new one is there the one before it stays.
    private func keepFormer() -> SystemError? {
        unlink(draft)
        guard link(file.path, draft) == 0 else {
            // There is none yet, or the file system has no links and does without.
            if [ENOENT, EPERM, EOPNOTSUPP].contains(errno) { return nil }
            return SystemError(cannot: "keep \(file.path) as \(former)")
        }
        // To two names of one file rename() does nothing.
        defer { unlink(draft) }
        return rename(draft, former) == 0 ? nil : SystemError(cannot: "keep \(file.path) as \(former)")
    }

    // They have locations that nobody may have any more.
    private func forgetFormer() -> SystemError? {
        var problem: SystemError?
        for path in [former, draft, aside] where unlink(path) != 0 && errno != ENOENT {
            problem = SystemError(cannot: "remove \(path)")
        }
        return problem
    }
}
