// SPDX-License-Identifier: Apache-2.0
import LocationEngine

/// The apps that are connected or were lately: an identity, divided by the labels that its processes give themselves.
struct AppTable {
    struct Key: Hashable {
        let identity: PeerIdentity
        let label: String?
    }

    /// Labels of one identity (protocol.md, Identity).
    static let labelsPerIdentity = 32
    /// Apps without a manager that are remembered, so that `resumeAfter` works across a reconnect.
    static let remembered = 1024

    private var numbers: [Key: AppID] = [:]
    private var keys: [Key?] = []
    private var managers: [Int] = []
    /// Apps without a manager, longest ago first.
    private var idle: [AppID] = []

    /// The number of an app, and whether it is new. nil: its identity has used all its labels.
    mutating func enter(_ key: Key) -> (app: AppID, isNew: Bool)? {
        if let app = numbers[key] {
            managers[Int(app.rawValue)] += 1
            idle.removeAll { $0 == app }
            return (app, false)
        }
        let labels = numbers.keys.count { $0.identity == key.identity && $0.label != nil }
        guard key.label == nil || labels < AppTable.labelsPerIdentity else { return nil }
        let index = keys.firstIndex { $0 == nil } ?? keys.count
        let app = AppID(rawValue: Int32(index))
        if index == keys.count {
            keys.append(key)
            managers.append(1)
        } else {
            keys[index] = key
            managers[index] = 1
        }
        numbers[key] = app
        return (app, true)
    }

    /// A manager of the app is gone.
    mutating func leave(_ app: AppID) {
        managers[Int(app.rawValue)] -= 1
        guard managers[Int(app.rawValue)] == 0 else { return }
        idle.append(app)
        guard idle.count > AppTable.remembered else { return }
        forget(idle.removeFirst())
    }

    private mutating func forget(_ app: AppID) {
        guard let key = keys[Int(app.rawValue)] else { return }
        numbers[key] = nil
        keys[Int(app.rawValue)] = nil
    }

    /// All apps that are known, by number.
    var known: [AppID] { keys.indices.filter { keys[$0] != nil }.map { AppID(rawValue: Int32($0)) } }
}
