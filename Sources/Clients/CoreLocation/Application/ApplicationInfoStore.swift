// SPDX-License-Identifier: Apache-2.0
internal import Foundation
import Synchronization

/// The declarations of a process: read when first asked for, and kept.
final class ApplicationInfoStore: Sendable {
    private struct State {
        var declared: CLApplicationInfo?
        var current: CLApplicationInfo?
    }

    /// This process's.
    static let shared = ApplicationInfoStore(
        environment: { ProcessInfo.processInfo.environment }, files: { .standard },
        mainBundle: { Bundle.main.infoDictionary ?? [:] },
        report: { ApplicationLog.write($0) })

    private let state = Mutex(State())
    private let environment: @Sendable () -> [String: String]
    private let files: @Sendable () -> ApplicationFiles
    private let mainBundle: @Sendable () -> [String: Any]
    private let report: @Sendable (String) -> Void

    /// A store over these places; `report` gets a line for everything in them that cannot count.
    init(
        environment: @escaping @Sendable () -> [String: String], files: @escaping @Sendable () -> ApplicationFiles,
        mainBundle: @escaping @Sendable () -> [String: Any], report: @escaping @Sendable (String) -> Void
    ) {
        self.environment = environment
        self.files = files
        self.mainBundle = mainBundle
        self.report = report
    }

    var current: CLApplicationInfo {
        var problems: [String] = []
        let current = state.withLock { state in
            if let current = state.current { return current }
            let current = read(declared: state.declared, problems: &problems)
            state.current = current
            return current
        }
        problems.forEach(report)
        return current
    }

    func declare(_ info: CLApplicationInfo) throws(CLApplicationInfoError) {
        for (key, declaration) in DeclaringPlace(code: info).values.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            if let problem = CLApplicationInfo.problem(with: declaration.value, for: key) {
                throw CLApplicationInfoError("cannot declare \(key.rawValue): \(problem)")
            }
        }
        let isInTime = state.withLock { state in
            guard state.current == nil else { return false }
            state.declared = info
            return true
        }
        guard isInTime else {
            throw CLApplicationInfoError(
                "cannot declare the program: Core Location is in use already; declare before the first manager,"
                    + " stream, monitor or session")
        }
    }

    private func read(declared: CLApplicationInfo?, problems: inout [String]) -> CLApplicationInfo {
        var places = declared.map { [DeclaringPlace(code: $0)] } ?? []
        places.append(DeclaringPlace(environment: environment()))
        places += files().places(problems: &problems)
        places.append(DeclaringPlace(propertyList: mainBundle(), at: .mainBundle))
        return CLApplicationInfo(merging: places, problems: &problems)
    }
}
