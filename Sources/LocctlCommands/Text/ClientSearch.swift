// SPDX-License-Identifier: Apache-2.0
package import LocationProtocol

/// Finds the clients that a person means.
package enum ClientSearch {
    /// The clients whose connection or process has the number `name`, or whose app or identity has this name. Throws
    /// when there is none, naming those that there are.
    package static func clients(
        named name: String, in status: Status, except ownProcess: Int? = nil
    ) throws(LocctlError) -> [ManagerStatus] {
        guard let all = status.managers else {
            throw LocctlError("cannot see the clients of the daemon: this user is not authorized", .refused)
        }
        let others = shown(in: all, except: ownProcess)
        let found = others.filter { matches($0, name) }
        guard found.isEmpty else { return found }
        let names = others.map { "\(ClientTable.name($0)) (connection \($0.connection))" }
        let present = names.isEmpty ? "there is none" : "there are " + names.joined(separator: ", ")
        throw LocctlError("cannot find a client \"\(printable(name))\": \(present)", .refused)
    }

    /// The app of this name, label or identity in a list of apps.
    package static func app(named name: String, in status: Status) -> AppStatus? {
        status.apps?.first { $0.app == name || $0.identity == name || $0.labels.contains(name) }
    }

    /// The clients that are worth a word: not this process, and none that has gone and asked for nothing.
    static func shown(in managers: [ManagerStatus], except ownProcess: Int?) -> [ManagerStatus] {
        managers.filter { manager in
            let isOver = manager.waitingToRejoin && !manager.asksForItself
            return !isOver && (ownProcess == nil || manager.pid != ownProcess)
        }
    }

    // `unit:gpxlogger.service uid:1000` is found by each of its words, with and without what is before the colon.
    private static func matches(_ manager: ManagerStatus, _ name: String) -> Bool {
        if let number = UInt64(name), manager.connection == number || manager.pid.map(UInt64.init) == number {
            return true
        }
        if manager.app == name || manager.identity == name { return true }
        return manager.identity.split(separator: " ").contains { word in
            let value = word.split(separator: ":", maxSplits: 1).last.map(String.init) ?? ""
            return word == name || (!word.hasPrefix("uid:") && (value == name || value == "\(name).service"))
        }
    }
}

extension ManagerStatus {
    /// Whether it has asked for something that ends with it: regions and visits are the app's, and every manager of the
    /// app has them.
    var asksForItself: Bool {
        request != nil || services.contains { ![.regions, .visits].contains($0.service) }
    }
}
